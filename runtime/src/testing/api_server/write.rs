//! Creates and updates objects.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::decoded::{self, body, empty};
use super::failure::{Failure, FieldError};
use super::fields::Set;
use super::managed::{Managed, Manager, Scope};
use super::request::Asked;
use super::state::State;
use super::store::key;
use super::{metadata, strategy, valid};

impl State {
    /// Creates the object in the body of a request.
    pub(super) fn create(&mut self, asked: &Asked) -> Result<Value, Failure> {
        let resource = &asked.resource;
        let mut object = body(resource, &asked.body, asked.query.get("fieldValidation"))?;
        wipe(&mut object);
        if !object["metadata"]["resourceVersion"].is_null() {
            return Err(Failure::internal(
                "resourceVersion should not be set on objects to be created",
            ));
        }
        metadata::set_namespace(asked, &mut object)?;
        self.create_managed(asked, object)
    }

    /// Stores a new object, whose fields the sender manages.
    fn create_managed(&mut self, asked: &Asked, mut object: Value) -> Result<Value, Failure> {
        self.has_namespace(asked)?;
        let (empty, reset) = (empty(&asked.resource), strategy::reset(&asked.resource, ""));
        self.manage(asked, &mut Managed::default(), &empty, &mut object, &reset);
        self.insert(asked, object)
    }

    /// Fails if the namespace of a new object does not exist or is being deleted.
    fn has_namespace(&self, asked: &Asked) -> Result<(), Failure> {
        if asked.namespace.is_empty() {
            return Ok(());
        }
        let Some(namespace) = self.store.get("namespaces", &asked.namespace) else {
            return Err(Failure::not_found(("", "namespaces"), &asked.namespace));
        };
        if !namespace["metadata"]["deletionTimestamp"].is_null() {
            return Err(Failure::new(
                403,
                "Forbidden",
                format!("namespace {} is being terminated", asked.namespace),
            ));
        }
        Ok(())
    }

    /// Stores a new object that already has managers.
    pub(super) fn insert(&mut self, asked: &Asked, mut object: Value) -> Result<Value, Failure> {
        let resource = Arc::clone(&asked.resource);
        let is_patched = self.admit(asked, "CREATE", &mut object, &Value::Null)?;
        let meta = &mut object["metadata"];
        meta["uid"] = json!(self.uid());
        let created = self.created.take();
        meta["creationTimestamp"] = json!(created.unwrap_or_else(|| self.clock.seconds()));
        let prefix = meta["generateName"].as_str().unwrap_or_default().to_owned();
        if meta["name"].is_null() && !prefix.is_empty() {
            meta["name"] = json!(format!("{prefix}{}", self.suffix()));
        }
        strategy::create(self, &resource, &mut object);
        let errors = valid::created(&resource, &object);
        let name = object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if !errors.is_empty() {
            return Err(Failure::invalid(resource.group_kind(), &name, errors));
        }
        self.validate(&asked.event("CREATE", &name), &object, &Value::Null)?;
        let is_pruned = is_patched && decoded::prune_admitted(&resource, &mut object);
        let (storage, key) = (resource.storage(), key(&asked.namespace, &name));
        if let Some(known) = self.store.get(&storage, &key) {
            let mut failure = Failure::already_exists(resource.id(), &name);
            if !known["metadata"]["deletionTimestamp"].is_null() {
                failure.message = format!("object is being deleted: {}", failure.message);
            }
            return Err(failure);
        }
        if asked.is_dry_run() {
            return Ok(object);
        }
        let object = self.to_stored(&resource, object)?;
        if is_pruned {
            self.unsettled.insert((storage.clone(), key.clone()));
        }
        let stored = self.store.put(&storage, key, object);
        self.after_write(&resource, &Value::Null, &stored);
        self.to(&resource, &stored).map(Cow::into_owned)
    }

    /// Runs admission, whose changes count as those of the user. Returns whether a webhook changed anything.
    fn admit(
        &mut self,
        asked: &Asked,
        operation: &'static str,
        object: &mut Value,
        old: &Value,
    ) -> Result<bool, Failure> {
        strategy::admit(&asked.resource, object);
        let name = object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        self.mutate(&asked.event(operation, &name), object, old)
    }

    /// The server's own actions after an object was written.
    fn after_write(&mut self, resource: &super::resource::Resource, old: &Value, object: &Value) {
        if resource.kind == "CustomResourceDefinition" && old["spec"] != object["spec"] {
            self.resources.add_crd(object);
        }
    }

    /// A unique suffix of five letters.
    fn suffix(&mut self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        self.names += 1;
        let mut number = self.names.wrapping_mul(7_919);
        let letters = (0..5).map(|_| {
            let letter = LETTERS[usize::try_from(number % 27).unwrap_or_default()];
            number /= 27;
            char::from(letter)
        });
        letters.collect()
    }

    /// Replaces an object with the one in the body of a request. Returns whether it was created.
    pub(super) fn update(&mut self, asked: &Asked) -> Result<(bool, Value), Failure> {
        let resource = &asked.resource;
        if asked.subresource == "scale" {
            let scale: Value = serde_json::from_slice(&asked.body)
                .map_err(|error| Failure::bad_request(error.to_string()))?;
            return self.set_scale(asked, &scale).map(|scale| (false, scale));
        }
        let mut object = body(resource, &asked.body, asked.query.get("fieldValidation"))?;
        metadata::set_namespace(asked, &mut object)?;
        metadata::check_name(asked, &object)?;
        let storage = resource.storage();
        let live = self
            .store
            .get(&storage, &key(&asked.namespace, &asked.name))
            .cloned();
        let live = live.as_deref().map(|live| self.to(resource, live));
        let live = live.transpose()?;
        let Some(live) = live else {
            if !strategy::creates_on_update(resource) {
                return Err(Failure::not_found(resource.id(), &asked.name));
            }
            metadata::check_uid(asked, &Value::Null, &object)?;
            return Ok((true, self.create_managed(asked, object)?));
        };
        metadata::check_uid(asked, &live, &object)?;
        let mut managed = Managed::of_update(&live, &object, !asked.subresource.is_empty());
        self.manage(
            asked,
            &mut managed,
            &live,
            &mut object,
            &strategy::reset(resource, &asked.subresource),
        );
        self.replace(asked, &live, object)
            .map(|object| (false, object))
    }

    /// Records the managers of the fields of a write.
    pub(super) fn manage(
        &self,
        asked: &Asked,
        managed: &mut Managed,
        live: &Value,
        object: &mut Value,
        reset: &Set,
    ) {
        let api_version = asked.resource.api_version();
        let scope = Scope {
            schema: &asked.resource.schema,
            api_version: &api_version,
            now: &self.clock.seconds(),
            reset,
            versions: &|object, to| self.to_managed(&asked.resource, object, to),
        };
        // An object without managers gets none by an update.
        let is_new = live["metadata"]["uid"].is_null();
        if is_new || !managed.is_empty() {
            let manager = Manager::updating(&asked.manager(), &api_version, &asked.subresource);
            managed.update(&scope, &unmanaged(live), &unmanaged(object), manager);
        }
        managed.write(object);
    }

    /// Replaces a live object of the same version with an object that has managers.
    pub(super) fn replace(
        &mut self,
        asked: &Asked,
        old: &Value,
        mut object: Value,
    ) -> Result<Value, Failure> {
        let resource = Arc::clone(&asked.resource);
        let is_patched = self.admit(asked, "UPDATE", &mut object, old)?;
        check_revision(asked, old, &mut object)?;
        metadata::keep(old, &mut object);
        strategy::update(&resource, &asked.subresource, old, &mut object);
        let errors = valid::updated(&resource, &asked.subresource, old, &object);
        if !errors.is_empty() {
            return Err(Failure::invalid(resource.group_kind(), &asked.name, errors));
        }
        self.validate(&asked.event("UPDATE", &asked.name), &object, old)?;
        let (storage, key) = (resource.storage(), key(&asked.namespace, &asked.name));
        let is_settled = !self.unsettled.contains(&(storage.clone(), key.clone()));
        if is_same(old, &object) && is_settled {
            return Ok(old.clone());
        }
        if metadata::is_finished(&object) {
            if asked.is_dry_run() {
                return Ok(object);
            }
            // The response is the object that would have been written.
            self.remove(&resource, &key);
            return Ok(object);
        }
        let is_pruned = is_patched && decoded::prune_admitted(&resource, &mut object);
        if asked.is_dry_run() {
            return Ok(object);
        }
        let place = (storage.clone(), key.clone());
        let object = self.to_stored(&resource, object)?;
        if is_pruned {
            self.unsettled.insert(place)
        } else {
            self.unsettled.remove(&place)
        };
        let stored = self.store.put(&storage, key, object);
        self.after_write(&resource, old, &stored);
        self.to(&resource, &stored).map(Cow::into_owned)
    }
}

/// Fails if an update is not for the current revision of the object.
fn check_revision(asked: &Asked, old: &Value, object: &mut Value) -> Result<(), Failure> {
    let resource = &asked.resource;
    let given = object["metadata"]["resourceVersion"]
        .as_str()
        .unwrap_or_default();
    let is_given = !matches!(given, "" | "0");
    if is_given && given.parse::<u64>().is_err() {
        let text = format!("invalid resource version {given:?}");
        let error = FieldError::invalid("metadata.resourceVersion", json!(given), text);
        return Err(Failure::invalid(
            resource.group_kind(),
            &asked.name,
            vec![error],
        ));
    }
    if is_given {
        return if old["metadata"]["resourceVersion"] == *given {
            Ok(())
        } else {
            Err(Failure::outdated(resource.id(), &asked.name))
        };
    }
    if strategy::is_unconditional(resource) {
        object["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
        return Ok(());
    }
    let text = "must be specified for an update";
    let error = FieldError::invalid("metadata.resourceVersion", json!(0), text);
    let names = (&*resource.group, &*resource.plural);
    Err(Failure::invalid(names, &asked.name, vec![error]))
}

/// The object without `managedFields`.
pub(super) fn unmanaged(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

/// Whether two objects only differ by the times of writes.
fn is_same(old: &Value, new: &Value) -> bool {
    let [old, new] = [old, new].map(|object| {
        let metadata = &object["metadata"];
        let managers = metadata["managedFields"].as_array().into_iter().flatten();
        let managers = managers.map(|entry| fields_but(entry, "time"));
        (
            fields_but(object, "metadata"),
            fields_but(metadata, "managedFields"),
            managers.collect::<Vec<_>>(),
        )
    });
    old == new
}

/// The fields of an object except for one.
fn fields_but<'a>(object: &'a Value, name: &str) -> BTreeMap<&'a String, &'a Value> {
    let fields = object.as_object().into_iter().flatten();
    fields.filter(|(field, _)| *field != name).collect()
}

/// Removes fields that only the server sets.
fn wipe(object: &mut Value) {
    if !object["metadata"].is_object() {
        object["metadata"] = Value::Object(Map::new());
    }
    let fields = [
        "creationTimestamp",
        "uid",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ];
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|name, _| !fields.contains(&&**name));
        metadata.remove("managedFields");
    }
}
