//! Deletes objects.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::admission::Event;
use super::delete_options::{check_last, check_preconditions, options};
use super::failure::Failure;
use super::metadata::finalizers;
use super::request::ResourceRequest;
use super::resource::Resource;
use super::selector::Selector;
use super::state::State;
use super::store::key;

/// The finalizers of the garbage collector.
pub(super) const FOREGROUND: &str = "foregroundDeletion";
pub(super) const ORPHAN: &str = "orphan";

impl State {
    /// Deletes the object of a request.
    pub(super) fn delete(&mut self, request: &ResourceRequest) -> Result<Value, Failure> {
        let options = options(request)?;
        let resource = Arc::clone(&request.resource);
        let key = key(&request.namespace, &request.name);
        let live = self
            .store
            .get(&resource.storage(), &key)
            .cloned()
            .ok_or_else(|| Failure::not_found(resource.id(), &request.name))?;
        let (is_gone, object) = self.delete_one(
            &request.event("DELETE", &request.name),
            &key,
            &live,
            &options,
        )?;
        if is_gone && !returns_object(&resource) {
            return Ok(success(&resource, &live));
        }
        self.to(&resource, &object).map(Cow::into_owned)
    }

    /// Deletes the selected objects of a collection.
    pub(super) fn delete_all(&mut self, request: &ResourceRequest) -> Result<Value, Failure> {
        let options = options(request)?;
        let resource = Arc::clone(&request.resource);
        let query = &request.query;
        let selector = Selector::parse(
            &resource,
            query.get("labelSelector"),
            query.get("fieldSelector"),
        )?;
        let all = self
            .store
            .list(&resource.storage(), &request.namespace)
            .filter(|(_, object)| selector.matches(object))
            .map(|(key, object)| (key.clone(), Arc::clone(object)))
            .collect::<Vec<_>>();
        let revision = self.store.revision();
        // Webhooks do not get the names.
        let event = request.event("DELETE", "");
        for (key, object) in &all {
            self.delete_one(&event, key, object, &options)?;
        }
        let items = all
            .iter()
            .map(|(_, object)| {
                let object = self.to_listed(&resource, object)?;
                Ok(super::version::item(&resource, object.into_owned()))
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let mut metadata = json!({ "resourceVersion": revision.to_string() });
        if !resource.is_builtin {
            metadata["continue"] = json!("");
        }
        Ok(json!({
            "kind": resource.list_kind,
            "apiVersion": resource.api_version(),
            "metadata": metadata,
            "items": items,
        }))
    }

    /// Deletes an object, or marks it as being deleted. Returns whether it is gone, and the remaining object.
    pub(super) fn delete_one(
        &mut self,
        event: &Event,
        key: &str,
        live: &Value,
        options: &Value,
    ) -> Result<(bool, Value), Failure> {
        let resource = event.resource;
        check_preconditions(resource, live, options)?;
        let is_dry_run = options["dryRun"]
            .as_array()
            .is_some_and(|list| !list.is_empty());
        let mut object = live.clone();
        let grace = grace(resource, live, options);
        let is_deleted = !live["metadata"]["deletionTimestamp"].is_null();
        let pending = live["metadata"]["deletionGracePeriodSeconds"]
            .as_i64()
            .unwrap_or(0);
        if is_deleted && pending > 0 && grace.is_none_or(|grace| grace >= pending) {
            return Ok((false, object));
        }
        let event = Event {
            is_dry_run,
            ..*event
        };
        self.admit_deletion(&event, live)?;
        let remaining = remaining_finalizers(resource, live, options);
        if remaining.is_empty() && !finalizers(live).is_empty() {
            check_last(resource, key, live, options)?;
        }
        if remaining.is_empty() {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("finalizers");
            }
        } else if remaining != finalizers(live) {
            object["metadata"]["finalizers"] = json!(remaining);
        }
        let grace = grace.filter(|_| !is_deleted || pending > 0).unwrap_or(0);
        if remaining.is_empty() && grace == 0 {
            if is_dry_run {
                return Ok((true, object));
            }
            let gone = self.remove(resource, key).unwrap_or(object);
            return Ok((true, gone));
        }
        self.mark(&mut object, grace);
        let place = (resource.storage(), key.to_owned());
        let is_settled = !self.unsettled.contains(&place);
        if (object == *live && is_settled) || is_dry_run {
            return Ok((false, object));
        }
        self.unsettled.remove(&place);
        let stored = self.store.put(&place.0, place.1, object);
        Ok((false, (*stored).clone()))
    }

    /// Marks an object as being deleted.
    fn mark(&self, object: &mut Value, grace: i64) {
        let metadata = &mut object["metadata"];
        let is_new = metadata["deletionTimestamp"].is_null();
        if is_new && let Some(generation) = metadata["generation"].as_i64() {
            metadata["generation"] = json!(generation + 1);
        }
        if is_new || grace > 0 {
            let grace = Duration::from_secs(u64::try_from(grace).unwrap_or(0));
            metadata["deletionTimestamp"] = json!(self.clock.after(grace));
        }
        metadata["deletionGracePeriodSeconds"] = json!(grace);
    }

    /// Removes an object from the store.
    pub(super) fn remove(&mut self, resource: &Resource, key: &str) -> Option<Value> {
        let gone = self.store.remove(&resource.storage(), key)?;
        if resource.kind == "CustomResourceDefinition" {
            self.remove_crd(&gone);
        }
        if resource.is_builtin && resource.plural == "namespaces" {
            self.empty_namespace(key);
        }
        Some((*gone).clone())
    }

    /// Deleting a CRD deletes the objects of its kind.
    fn remove_crd(&mut self, crd: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, plural) = (
            text(&crd["spec"]["group"]),
            text(&crd["spec"]["names"]["plural"]),
        );
        let storage = format!("{plural}.{group}");
        self.remove_where(&storage, "");
        self.resources.remove_crd(crd);
    }

    /// Deleting a namespace deletes its objects.
    fn empty_namespace(&mut self, name: &str) {
        let storages = self
            .resources
            .iter()
            .filter(|resource| resource.is_namespaced)
            .map(|resource| resource.storage())
            .collect::<std::collections::BTreeSet<_>>();
        for storage in storages {
            self.remove_where(&storage, name);
        }
    }

    fn remove_where(&mut self, storage: &str, namespace: &str) {
        let all = self.store.list(storage, namespace);
        for key in all.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
            self.store.remove(storage, &key);
        }
    }
}

/// The grace period of a Pod. `None` for other kinds.
fn grace(resource: &Resource, live: &Value, options: &Value) -> Option<i64> {
    if !resource.is_builtin || resource.plural != "pods" {
        return None;
    }
    // A Pod that does not run needs no grace period.
    let phase = live["status"]["phase"].as_str().unwrap_or_default();
    if live["spec"]["nodeName"].is_null() || matches!(phase, "Failed" | "Succeeded") {
        return Some(0);
    }
    let given = options["gracePeriodSeconds"].as_i64();
    let own = live["spec"]["terminationGracePeriodSeconds"].as_i64();
    Some(given.or(own).unwrap_or(30).max(0))
}

/// The finalizers of an object that is being deleted.
fn remaining_finalizers<'a>(resource: &Resource, live: &'a Value, options: &Value) -> Vec<&'a str> {
    let known = finalizers(live);
    let mut remaining = known.clone();
    remaining.retain(|name| !matches!(*name, FOREGROUND | ORPHAN));
    let policy = match (
        options["propagationPolicy"].as_str(),
        options["orphanDependents"].as_bool(),
    ) {
        (Some("Foreground"), _) => Some(FOREGROUND),
        (Some("Orphan"), _) | (None, Some(true)) => Some(ORPHAN),
        (None, None) => known
            .iter()
            .find(|name| matches!(**name, FOREGROUND | ORPHAN))
            .copied()
            .or(orphans(resource).then_some(ORPHAN)),
        _ => None,
    };
    remaining.extend(policy);
    remaining
}

/// Whether a deletion orphans dependents by default: `DefaultGarbageCollectionPolicy` of Jobs, for compatibility.
fn orphans(resource: &Resource) -> bool {
    resource.is_builtin && resource.group == "batch" && resource.plural == "jobs"
}

/// Whether the response to a deletion is the object.
fn returns_object(resource: &Resource) -> bool {
    let kinds = [
        "pods",
        "services",
        "serviceaccounts",
        "persistentvolumeclaims",
        "endpoints",
    ];
    resource.is_builtin && kinds.contains(&&*resource.plural)
}

/// The response to a completed deletion.
fn success(resource: &Resource, live: &Value) -> Value {
    let mut details = json!({
        "name": live["metadata"]["name"],
        "kind": resource.plural,
        "uid": live["metadata"]["uid"],
    });
    if !resource.group.is_empty() {
        details["group"] = json!(resource.group);
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    })
}
