//! Server-side apply: its effect on an object and on the managers of its fields.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Entry, Managed, Manager, Scope, UNMANAGED};
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::fields::{Set, collect, merge, remove, validate};
use crate::testing::api_server::schema::Schema;

impl Managed {
    /// Applies a manager's fields to a live object, both without managed fields. Returns the new object, or `None` if
    /// nothing changes.
    ///
    /// # Errors
    /// If the apply does not match the schema, or conflicts with another manager.
    pub(crate) fn apply(
        &mut self,
        scope: &Scope,
        live: &Value,
        applied: &Value,
        manager: Manager,
        force: bool,
    ) -> Result<Option<Value>, Failure> {
        let schema = scope.schema;
        if let Some(error) = validate(schema, applied) {
            let name = applied["metadata"]["name"].as_str().unwrap_or_default();
            let namespace = applied["metadata"]["namespace"]
                .as_str()
                .unwrap_or_default();
            let kind = applied["kind"].as_str().unwrap_or_default();
            let of = if scope.api_version.contains('/') {
                scope.api_version.to_owned()
            } else {
                format!("/{}", scope.api_version)
            };
            let message = format!(
                "failed to create typed patch object ({namespace}/{name}; {of}, Kind={kind}): {error}"
            );
            return Err(Failure::internal(message));
        }
        let merged = merge(schema, live, applied);
        let set = collect(schema, applied).without_below(scope.reset);
        let last = self.0.get(&manager).cloned();
        let entry = Entry {
            set,
            api_version: scope.api_version.to_owned(),
            time: Value::Null,
        };
        let time = self
            .0
            .insert(manager.clone(), entry)
            .map_or(Value::Null, |entry| entry.time);
        let new = match last {
            Some(last) if !last.set.is_empty() => self.prune(scope, merged, &last),
            _ => merged,
        };
        self.yield_to(scope, live, &new, &manager, force)?;
        let is_changed = new != *live;
        if let Some(entry) = self.0.get_mut(&manager) {
            entry.set = entry.set.difference(&UNMANAGED);
            entry.time = if is_changed { json!(scope.now) } else { time };
        }
        self.0.retain(|_, entry| !entry.set.is_empty());
        Ok(is_changed.then_some(new))
    }

    /// Removes fields that the manager applied last time and that nobody owns now, in the version of that time.
    fn prune(&self, scope: &Scope, merged: Value, last: &Entry) -> Value {
        let version = &*last.api_version;
        let converted = if version == scope.api_version {
            None
        } else {
            (scope.versions)(&merged, version)
        };
        let Some((merged, schema)) = converted else {
            return self.pruned(scope, scope.schema, version, &merged, &last.set);
        };
        let pruned = self.pruned(scope, &schema, version, &merged, &last.set);
        match (scope.versions)(&pruned, scope.api_version) {
            Some((pruned, _)) => pruned,
            None => pruned,
        }
    }

    fn pruned(
        &self,
        scope: &Scope,
        schema: &Schema,
        version: &str,
        merged: &Value,
        last: &Set,
    ) -> Value {
        let named = |set: &Set| set.with_named_fields(schema);
        let last = named(last);
        let of_merged = named(&collect(schema, merged));
        let pruned = remove(schema, merged, &last);
        let pruned = self.with_owned(scope, schema, version, merged, pruned);
        let of_pruned = named(&collect(schema, &pruned));
        let gone = of_merged.difference(&of_pruned).intersection(&last);
        remove(schema, merged, &gone)
    }

    /// Restores pruned fields that managers still own: those of the same version first, because a conversion may depend
    /// on them (`addBackOwnedItems` of structured-merge-diff).
    fn with_owned(
        &self,
        scope: &Scope,
        schema: &Schema,
        version: &str,
        merged: &Value,
        pruned: Value,
    ) -> Value {
        let mut owned: BTreeMap<&str, Set> = BTreeMap::new();
        for entry in self.0.values() {
            let set = owned.entry(&entry.api_version).or_default();
            *set = set.union(&entry.set);
        }
        let back = |schema: &Schema, merged: &Value, pruned: &Value, set: &Set| {
            let named = |set: &Set| set.with_named_fields(schema);
            let of_merged = named(&collect(schema, merged));
            let of_pruned = named(&collect(schema, pruned));
            let gone = of_merged.difference(&of_pruned.union(&named(set)));
            remove(schema, merged, &gone)
        };
        let mut same = owned.remove(version).unwrap_or_default();
        let mut others = Vec::new();
        for (other, set) in owned {
            match (scope.versions)(merged, other) {
                Some(converted) => others.push((other, set, converted)),
                // The versions only differ by name.
                None => same = same.union(&set),
            }
        }
        let mut pruned = back(schema, merged, &pruned, &same);
        for (other, set, (merged, schema)) in others {
            let part = (scope.versions)(&pruned, other);
            let kept = part
                .map(|(part, _)| back(&schema, &merged, &part, &set))
                .and_then(|kept| (scope.versions)(&kept, version));
            if let Some((kept, _)) = kept {
                pruned = kept;
            }
        }
        pruned
    }

    /// Removes changed fields from other managers.
    fn yield_to(
        &mut self,
        scope: &Scope,
        live: &Value,
        new: &Value,
        manager: &Manager,
        force: bool,
    ) -> Result<(), Failure> {
        let written = scope.written(live, new, self.versions());
        let others = self.0.iter().filter(|(other, _)| *other != manager);
        let mut conflicts = others
            .map(|(other, entry)| {
                let changed = &written[&entry.api_version].changed;
                (other.clone(), entry.set.intersection(changed))
            })
            .filter(|(_, set)| !set.is_empty())
            .collect::<Vec<_>>();
        if !force && !conflicts.is_empty() {
            conflicts.sort_by_key(|(other, _)| other.key());
            return Err(conflict(&conflicts));
        }
        for (_, entry) in self.0.iter_mut().filter(|(other, _)| *other != manager) {
            entry.set = written[&entry.api_version].left(&entry.set);
        }
        self.0.retain(|_, entry| !entry.set.is_empty());
        Ok(())
    }
}

fn conflict(conflicts: &[(Manager, Set)]) -> Failure {
    let all = conflicts
        .iter()
        .flat_map(|(manager, set)| set.paths().into_iter().map(move |path| (manager, path)))
        .collect::<Vec<_>>();
    let causes = all
        .iter()
        .map(|(manager, path)| {
            json!({
                "reason": "FieldManagerConflict",
                "message": format!("conflict with {}", manager.readable()),
                "field": path,
            })
        })
        .collect::<Vec<_>>();
    let message = match &*all {
        [(manager, path)] => {
            format!(
                "Apply failed with 1 conflict: conflict with {}: {path}",
                manager.readable()
            )
        }
        all => {
            let mut lines = Vec::new();
            for (manager, set) in conflicts {
                lines.push(format!("conflicts with {}:", manager.readable()));
                lines.extend(set.paths().iter().map(|path| format!("- {path}")));
            }
            format!(
                "Apply failed with {} conflicts: {}",
                all.len(),
                lines.join("\n")
            )
        }
    };
    Failure::new(409, "Conflict", message).with_details(json!({ "causes": causes }))
}
