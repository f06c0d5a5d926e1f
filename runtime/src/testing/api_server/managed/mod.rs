//! The managers of the fields of an object: `metadata.managedFields`.

mod apply;
mod manager;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::fields::{Set, compare};
use super::schema::Schema;
pub(super) use manager::Manager;

/// Maximum number of entries of managers that update an object.
const MOST_UPDATERS: usize = 10;

/// The name of the entry that combines the oldest updaters.
const OLDEST: &str = "ancient-changes";

/// The entry of a manager.
#[derive(Clone, Debug)]
struct Entry {
    set: Set,
    api_version: String,
    time: Value,
}

/// The managers of an object and their fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Managed(BTreeMap<Manager, Entry>);

/// Converts an object, and returns the schema of that version. `None` if the versions only differ by name.
type Versions<'a> = dyn Fn(&Value, &str) -> Option<(Value, Arc<Schema>)> + 'a;

/// The parts of a request that field management needs.
pub(super) struct Scope<'a> {
    pub(super) schema: &'a Schema,
    pub(super) api_version: &'a str,
    pub(super) now: &'a str,
    /// The fields that this endpoint does not change.
    pub(super) reset: &'a Set,
    /// Converts objects to the versions in which managers have set fields.
    pub(super) versions: &'a Versions<'a>,
}

/// The effect of a write on the fields of an object, in one version.
struct Written {
    /// The fields that were set or changed.
    changed: Set,
    removed: Set,
}

impl Written {
    /// The fields of `set` that other managers still own.
    fn left(&self, set: &Set) -> Set {
        set.difference(&self.changed).difference(&self.removed)
    }
}

impl Scope<'_> {
    /// The effect of a write, in each version in which managers have set fields.
    fn written<'b>(
        &self,
        live: &Value,
        new: &Value,
        versions: impl Iterator<Item = &'b str>,
    ) -> BTreeMap<String, Written> {
        let mut all = BTreeMap::new();
        let own: &str = self.api_version;
        for version in versions.map(str::to_owned).chain([own.to_owned()]) {
            if all.contains_key(&version) {
                continue;
            }
            let in_version = |object| {
                if version == own {
                    None
                } else {
                    (self.versions)(object, &version)
                }
            };
            let compared = match (in_version(live), in_version(new)) {
                (Some((live, schema)), Some((new, _))) => compare(&schema, &live, &new),
                _ => compare(self.schema, live, new),
            };
            let compared = compared.without(self.reset);
            let written = Written {
                changed: compared.changed(),
                removed: compared.removed,
            };
            all.insert(version, written);
        }
        all
    }
}

impl Managed {
    /// Reads the entries of an object. `None` if one is malformed.
    pub(super) fn of(object: &Value) -> Option<Self> {
        let entries = object["metadata"]["managedFields"].as_array();
        let mut managed = BTreeMap::new();
        for entry in entries.into_iter().flatten() {
            let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            let (name, subresource) = (text("manager"), text("subresource"));
            let api_version = text("apiVersion");
            let manager = match entry["operation"].as_str()? {
                "Apply" => Manager::applying(&name, &subresource),
                "Update" => Manager::updating(&name, &api_version, &subresource),
                _ => return None,
            };
            if api_version.is_empty() || entry["fieldsType"] != "FieldsV1" {
                return None;
            }
            let set = match &entry["fieldsV1"] {
                Value::Null => Set::default(),
                fields => Set::parse(fields)?,
            };
            let time = entry["time"].clone();
            let entry = Entry {
                set,
                api_version,
                time,
            };
            managed.insert(manager, entry);
        }
        Some(Self(managed))
    }

    /// The managers after an update: those of the new object if it has any, otherwise those of the live one.
    pub(super) fn of_update(live: &Value, new: &Value, is_subresource: bool) -> Self {
        let of_live = || Self::of(live).unwrap_or_default();
        if is_subresource {
            return of_live();
        }
        let given = new["metadata"]["managedFields"].as_array();
        if given.is_some_and(|given| matches!(&**given, [only] if is_reset(only))) {
            return Self::default();
        }
        match Self::of(new) {
            Some(managed) if !managed.0.is_empty() => managed,
            _ => of_live(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The versions in which managers have set fields.
    fn versions(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|entry| &*entry.api_version)
    }

    /// Writes the entries into an object.
    pub(super) fn write(&self, object: &mut Value) {
        let mut entries = self.0.iter().collect::<Vec<_>>();
        entries.sort_by_cached_key(|(manager, entry)| {
            let time = entry.time.as_str().unwrap_or_default().to_owned();
            (
                manager.operation,
                time,
                manager.name.clone(),
                entry.api_version.clone(),
                manager.subresource.clone(),
            )
        });
        let entries = entries
            .into_iter()
            .map(|(manager, entry)| {
                let mut json = json!({
                    "manager": manager.name,
                    "operation": manager.operation,
                    "apiVersion": entry.api_version,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": entry.set.to_json(),
                });
                if !entry.time.is_null() {
                    json["time"] = entry.time.clone();
                }
                if !manager.subresource.is_empty() {
                    json["subresource"] = json!(manager.subresource);
                }
                json
            })
            .collect::<Vec<_>>();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
            if !entries.is_empty() {
                metadata.insert("managedFields".to_owned(), json!(entries));
            }
        }
    }

    /// Updates the managers after a manager has replaced a live object, both without managed fields.
    pub(super) fn update(&mut self, scope: &Scope, live: &Value, new: &Value, manager: Manager) {
        let written = scope.written(live, new, self.versions());
        for entry in self.0.values_mut() {
            entry.set = written[&entry.api_version].left(&entry.set);
        }
        self.0.retain(|_, entry| !entry.set.is_empty());
        let own = written[scope.api_version].changed.difference(&UNMANAGED);
        if own.is_empty() {
            return;
        }
        let previous = self.0.remove(&manager);
        let entry = Entry {
            set: previous.map_or_else(|| own.clone(), |previous| previous.set.union(&own)),
            api_version: scope.api_version.to_owned(),
            time: json!(scope.now),
        };
        self.0.insert(manager, entry);
        self.cap(scope);
    }

    /// Combines the oldest updaters if there are too many.
    fn cap(&mut self, scope: &Scope) {
        let mut updaters = self
            .0
            .iter()
            .filter(|(manager, _)| manager.operation == "Update")
            .map(|(manager, entry)| {
                (
                    entry.time.as_str().unwrap_or_default().to_owned(),
                    manager.key(),
                    manager.clone(),
                )
            })
            .collect::<Vec<_>>();
        if updaters.len() <= MOST_UPDATERS {
            return;
        }
        updaters.sort();
        let oldest = Manager::updating(OLDEST, scope.api_version, "");
        let too_many = updaters.len() - MOST_UPDATERS + 1;
        for (_, _, manager) in updaters.into_iter().take(too_many) {
            if manager == oldest {
                continue;
            }
            let Some(entry) = self.0.remove(&manager) else {
                continue;
            };
            match self.0.get_mut(&oldest) {
                Some(known) => {
                    known.set = known.set.union(&entry.set);
                    known.time = entry.time;
                }
                None => {
                    self.0.insert(oldest.clone(), entry);
                }
            }
        }
    }
}

fn is_reset(entry: &Value) -> bool {
    let fields = entry.as_object().into_iter().flatten();
    fields
        .into_iter()
        .all(|(_, value)| value.is_null() || value == "")
}

/// Fields without managers.
static UNMANAGED: LazyLock<Set> = LazyLock::new(|| {
    let of_metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let top = ["apiVersion", "kind", "metadata"].map(|name| Set::of(&[name]));
    let below = of_metadata.map(|name| Set::of(&["metadata", name]));
    let all = top.into_iter().chain(below);
    all.fold(Set::default(), |all, set| all.union(&set))
});
