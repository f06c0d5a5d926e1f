//! Creates and updates objects.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::decoded::{self, body, empty};
use super::failure::{Failure, FieldError};
use super::fields::Set;
use super::managed::{Managed, Manager, Scope};
use super::request::ResourceRequest;
use super::state::State;
use super::store::key;
use super::{metadata, strategy, valid};

impl State {
    /// Creates the object in the body of a request.
    pub(super) fn create(&mut self, request: &ResourceRequest) -> Result<Value, Failure> {
        let resource = &request.resource;
        let mut object = body(
            resource,
            &request.body,
            request.query.get("fieldValidation"),
        )?;
        wipe(&mut object);
        if !object["metadata"]["resourceVersion"].is_null() {
            return Err(Failure::internal(
                "resourceVersion should not be set on objects to be created",
            ));
        }
        metadata::set_namespace(request, &mut object)?;
        self.create_managed(request, object)
    }

    /// Stores a new object, whose fields the sender manages.
    fn create_managed(
        &mut self,
        request: &ResourceRequest,
        mut object: Value,
    ) -> Result<Value, Failure> {
        self.has_namespace(request)?;
        let (empty, reset) = (
            empty(&request.resource),
            strategy::reset(&request.resource, ""),
        );
        self.manage(
            request,
            &mut Managed::default(),
            &empty,
            &mut object,
            &reset,
        );
        self.insert(request, object)
    }

    /// Fails if the namespace of a new object does not exist or is being deleted.
    fn has_namespace(&self, request: &ResourceRequest) -> Result<(), Failure> {
        if request.namespace.is_empty() {
            return Ok(());
        }
        let Some(namespace) = self.store.get("namespaces", &request.namespace) else {
            return Err(Failure::not_found(("", "namespaces"), &request.namespace));
        };
        if !namespace["metadata"]["deletionTimestamp"].is_null() {
            return Err(Failure::new(
                403,
                "Forbidden",
                format!("namespace {} is being terminated", request.namespace),
            ));
        }
        Ok(())
    }

    /// Stores a new object that already has managers.
    pub(super) fn insert(
        &mut self,
        request: &ResourceRequest,
        mut object: Value,
    ) -> Result<Value, Failure> {
        let resource = Arc::clone(&request.resource);
        let is_patched = self.admit(request, "CREATE", &mut object, &Value::Null)?;
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
        self.validate(&request.event("CREATE", &name), &object, &Value::Null)?;
        let is_pruned = is_patched && decoded::prune_admitted(&resource, &mut object);
        let (storage, key) = (resource.storage(), key(&request.namespace, &name));
        if let Some(known) = self.store.get(&storage, &key) {
            let mut failure = Failure::already_exists(resource.id(), &name);
            if !known["metadata"]["deletionTimestamp"].is_null() {
                failure.message = format!("object is being deleted: {}", failure.message);
            }
            return Err(failure);
        }
        if request.is_dry_run() {
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
        request: &ResourceRequest,
        operation: &'static str,
        object: &mut Value,
        old: &Value,
    ) -> Result<bool, Failure> {
        strategy::admit(&request.resource, object);
        let name = object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        self.mutate(&request.event(operation, &name), object, old)
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
    pub(super) fn update(&mut self, request: &ResourceRequest) -> Result<(bool, Value), Failure> {
        let resource = &request.resource;
        if request.subresource == "scale" {
            let scale: Value = serde_json::from_slice(&request.body)
                .map_err(|error| Failure::bad_request(error.to_string()))?;
            return self.set_scale(request, &scale).map(|scale| (false, scale));
        }
        let mut object = body(
            resource,
            &request.body,
            request.query.get("fieldValidation"),
        )?;
        metadata::set_namespace(request, &mut object)?;
        metadata::check_name(request, &object)?;
        let storage = resource.storage();
        let stored = self
            .store
            .get(&storage, &key(&request.namespace, &request.name))
            .cloned();
        let live = stored
            .as_deref()
            .map(|live| self.to(resource, live))
            .transpose()?;
        let Some(live) = live else {
            if !strategy::creates_on_update(resource) {
                return Err(Failure::not_found(resource.id(), &request.name));
            }
            metadata::check_uid(request, &Value::Null, &object)?;
            return Ok((true, self.create_managed(request, object)?));
        };
        metadata::check_uid(request, &live, &object)?;
        let mut managed = Managed::of_update(&live, &object, !request.subresource.is_empty());
        self.manage(
            request,
            &mut managed,
            &live,
            &mut object,
            &strategy::reset(resource, &request.subresource),
        );
        self.replace(request, &live, object)
            .map(|object| (false, object))
    }

    /// Records the managers of the fields of a write.
    pub(super) fn manage(
        &self,
        request: &ResourceRequest,
        managed: &mut Managed,
        live: &Value,
        object: &mut Value,
        reset: &Set,
    ) {
        let api_version = request.resource.api_version();
        let scope = Scope {
            schema: &request.resource.schema,
            api_version: &api_version,
            now: &self.clock.seconds(),
            reset,
            versions: &|object, to| self.to_managed(&request.resource, object, to),
        };
        // An object without managers gets none by an update.
        let is_new = live["metadata"]["uid"].is_null();
        if is_new || !managed.is_empty() {
            let manager = Manager::updating(&request.manager(), &api_version, &request.subresource);
            managed.update(&scope, &unmanaged(live), &unmanaged(object), manager);
        }
        managed.write(object);
    }

    /// Replaces a live object of the same version with an object that has managers.
    pub(super) fn replace(
        &mut self,
        request: &ResourceRequest,
        old: &Value,
        mut object: Value,
    ) -> Result<Value, Failure> {
        let resource = Arc::clone(&request.resource);
        let is_patched = self.admit(request, "UPDATE", &mut object, old)?;
        check_revision(request, old, &mut object)?;
        metadata::keep(old, &mut object);
        strategy::update(&resource, &request.subresource, old, &mut object);
        let errors = valid::updated(&resource, &request.subresource, old, &object);
        if !errors.is_empty() {
            return Err(Failure::invalid(
                resource.group_kind(),
                &request.name,
                errors,
            ));
        }
        self.validate(&request.event("UPDATE", &request.name), &object, old)?;
        let (storage, key) = (resource.storage(), key(&request.namespace, &request.name));
        let is_settled = !self.unsettled.contains(&(storage.clone(), key.clone()));
        if is_same(old, &object) && is_settled {
            return Ok(old.clone());
        }
        if metadata::is_finished(&object) {
            if request.is_dry_run() {
                return Ok(object);
            }
            // The response is the object that would have been written.
            self.remove(&resource, &key);
            return Ok(object);
        }
        let is_pruned = is_patched && decoded::prune_admitted(&resource, &mut object);
        if request.is_dry_run() {
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
fn check_revision(
    request: &ResourceRequest,
    old: &Value,
    object: &mut Value,
) -> Result<(), Failure> {
    let resource = &request.resource;
    let given = object["metadata"]["resourceVersion"]
        .as_str()
        .unwrap_or_default();
    let is_given = !matches!(given, "" | "0");
    if is_given && given.parse::<u64>().is_err() {
        let text = format!("invalid resource version {given:?}");
        let error = FieldError::invalid("metadata.resourceVersion", json!(given), text);
        return Err(Failure::invalid(
            resource.group_kind(),
            &request.name,
            vec![error],
        ));
    }
    if is_given {
        return if old["metadata"]["resourceVersion"] == *given {
            Ok(())
        } else {
            Err(Failure::outdated(resource.id(), &request.name))
        };
    }
    if strategy::is_unconditional(resource) {
        object["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
        return Ok(());
    }
    let text = "must be specified for an update";
    let error = FieldError::invalid("metadata.resourceVersion", json!(0), text);
    let names = (&*resource.group, &*resource.plural);
    Err(Failure::invalid(names, &request.name, vec![error]))
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
        let managers = metadata["managedFields"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| fields_but(entry, "time"));
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
