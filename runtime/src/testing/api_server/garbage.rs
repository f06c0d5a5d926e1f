//! One pass of the garbage collector.

use std::sync::Arc;

use serde_json::{Value, json};

use super::admission::Event;
use super::delete::{FOREGROUND, ORPHAN};
use super::failure::Failure;
use super::metadata::{finalizers, is_finished};
use super::state::State;
use super::store::{Change, Happened};
use super::strategy::CLAIM_PROTECTION;
use super::user::User;

/// The resource of Leases.
const LEASES: &str = "leases.coordination.k8s.io";

/// Whether a change cannot create garbage: Leases are renewed all the time, and events have no dependents.
fn leaves_none(change: &Change) -> bool {
    let is_renewed = change.happened == Happened::Modified;
    let is_event = change.storage.starts_with("events");
    is_event || is_renewed && *change.storage == *LEASES
}

/// An object with its resource and its key.
type Stored = (Arc<str>, String, Arc<Value>);

impl State {
    /// Deletes objects whose owners are all gone, and completes deletions that wait for dependents. Returns whether
    /// anything changed.
    pub(super) fn collect_garbage(&mut self) -> bool {
        let before = self.store.revision();
        let collected = std::mem::replace(&mut self.collected, before);
        if self.store.since(collected).iter().all(leaves_none) {
            return false;
        }
        for found in self.all() {
            // A webhook may reject a deletion now, and allow it later.
            if self.collect(&found).is_err() {
                self.collected = collected;
            }
        }
        for found in self.all() {
            self.release(&found);
        }
        let has_changed = self.store.revision() != before;
        if has_changed {
            self.notify();
        }
        has_changed
    }

    fn all(&self) -> Vec<Stored> {
        let storages = self.store.storages().cloned().collect::<Vec<_>>();
        let all = storages.iter().flat_map(|storage| {
            let objects = self.store.list(storage, "");
            objects.map(|(key, object)| (Arc::clone(storage), key.clone(), Arc::clone(object)))
        });
        all.collect()
    }

    /// Whether an object has owners, and all of them are gone.
    pub(super) fn is_owner_gone(&self, object: &Value) -> bool {
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        let references = metadata["ownerReferences"].as_array();
        references.is_some_and(|references| {
            let is_gone = |reference| self.owner(reference, namespace).is_none();
            !references.is_empty() && references.iter().all(is_gone)
        })
    }

    /// The owner of a reference, if it exists.
    fn owner(&self, reference: &Value, namespace: &str) -> Option<&Arc<Value>> {
        let text = |name: &str| reference[name].as_str().unwrap_or_default();
        let resource = self.resources.of_kind(text("apiVersion"), text("kind"))?;
        let namespace = if resource.is_namespaced {
            namespace
        } else {
            ""
        };
        let owner = self.store.get(
            &resource.storage(),
            &super::store::key(namespace, text("name")),
        )?;
        (owner["metadata"]["uid"] == reference["uid"]).then_some(owner)
    }

    fn collect(&mut self, (storage, key, object): &Stored) -> Result<(), Failure> {
        let metadata = &object["metadata"];
        let references = metadata["ownerReferences"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if references.is_empty() || !metadata["deletionTimestamp"].is_null() {
            return Ok(());
        }
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        let is_waited_for = |reference: &Value, owner: &Value| {
            !owner["metadata"]["deletionTimestamp"].is_null()
                && finalizers(owner).contains(&FOREGROUND)
                && !reference.is_null()
        };
        let (mut solid, mut waiting, mut dangling) = (Vec::new(), Vec::new(), Vec::new());
        for reference in &references {
            match self.owner(reference, namespace) {
                Some(owner) if is_waited_for(reference, owner) => waiting.push(reference),
                Some(_) => solid.push(reference),
                None => dangling.push(reference),
            }
        }
        if !solid.is_empty() {
            if !waiting.is_empty() || !dangling.is_empty() {
                let mut kept = (**object).clone();
                kept["metadata"]["ownerReferences"] = json!(solid);
                self.store.put(storage, key.clone(), kept);
            }
            return Ok(());
        }
        let policy = if waiting.is_empty() {
            let has = |name| finalizers(object).contains(&name);
            match (has(ORPHAN), has(FOREGROUND)) {
                (true, _) => "Orphan",
                (_, true) => "Foreground",
                _ => "Background",
            }
        } else {
            "Foreground"
        };
        self.delete_collected(storage, key, object, policy)
    }

    fn delete_collected(
        &mut self,
        storage: &str,
        key: &str,
        object: &Value,
        policy: &str,
    ) -> Result<(), Failure> {
        let Some(resource) = self.resources.stored(storage).cloned() else {
            return Ok(());
        };
        let options = json!({
            "propagationPolicy": policy,
            "preconditions": { "uid": object["metadata"]["uid"] },
        });
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
        let event = Event {
            user: &User::service_account("kube-system", "generic-garbage-collector"),
            operation: "DELETE",
            resource: &resource,
            subresource: "",
            namespace: text("namespace"),
            name: text("name"),
            is_dry_run: false,
        };
        self.delete_one(&event, key, object, &options).map(|_| ())
    }

    /// Removes the garbage collector's finalizers of an owner whose dependents are gone, or orphaned.
    fn release(&mut self, (storage, key, object): &Stored) {
        if object["metadata"]["deletionTimestamp"].is_null() {
            return;
        }
        let known = finalizers(object);
        let finalizer = if known.contains(&ORPHAN) {
            self.orphan(&object["metadata"]["uid"]);
            ORPHAN
        } else if known.contains(&FOREGROUND) && !self.is_blocked(&object["metadata"]["uid"]) {
            FOREGROUND
        } else if known.contains(&CLAIM_PROTECTION) && !self.is_in_use(object) {
            CLAIM_PROTECTION
        } else {
            return;
        };
        let mut rest = (**object).clone();
        let left = known
            .into_iter()
            .filter(|name| *name != finalizer)
            .collect::<Vec<_>>();
        if let Some(metadata) = rest["metadata"].as_object_mut() {
            metadata.remove("finalizers");
            if !left.is_empty() {
                metadata.insert("finalizers".to_owned(), json!(left));
            }
        }
        if !is_finished(&rest) {
            self.store.put(storage, key.clone(), rest);
            return;
        }
        if let Some(resource) = self.resources.stored(storage).cloned() {
            self.remove(&resource, key);
        }
    }

    /// Whether a Pod uses a claim.
    fn is_in_use(&self, claim: &Value) -> bool {
        let [namespace, name] = ["namespace", "name"].map(|field| &claim["metadata"][field]);
        let mut pods = self
            .store
            .list("pods", namespace.as_str().unwrap_or_default());
        pods.any(|(_, pod)| {
            let mut volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
            volumes.any(|volume| volume["persistentVolumeClaim"]["claimName"] == *name)
        })
    }

    /// Removes the references to an owner from its dependents.
    fn orphan(&mut self, uid: &Value) {
        for (storage, key, object) in self.dependents(uid) {
            let mut orphan = (*object).clone();
            let references = orphan["metadata"]["ownerReferences"].as_array();
            let rest = references
                .into_iter()
                .flatten()
                .filter(|reference| reference["uid"] != *uid)
                .cloned()
                .collect::<Vec<_>>();
            if let Some(metadata) = orphan["metadata"].as_object_mut() {
                metadata.remove("ownerReferences");
                if !rest.is_empty() {
                    metadata.insert("ownerReferences".to_owned(), json!(rest));
                }
            }
            self.store.put(&storage, key, orphan);
        }
    }

    fn dependents(&self, uid: &Value) -> Vec<Stored> {
        let mut all = self.all();
        all.retain(|(_, _, object)| {
            let references = object["metadata"]["ownerReferences"].as_array();
            references.is_some_and(|list| list.iter().any(|reference| reference["uid"] == *uid))
        });
        all
    }

    /// Whether a dependent blocks the deletion of its owner.
    fn is_blocked(&self, uid: &Value) -> bool {
        let dependents = self.dependents(uid);
        let mut blocking = dependents
            .iter()
            .flat_map(|(_, _, object)| {
                object["metadata"]["ownerReferences"]
                    .as_array()
                    .into_iter()
                    .flatten()
            })
            .filter(|reference| reference["uid"] == *uid);
        blocking.any(|reference| reference["blockOwnerDeletion"] == true)
    }
}
