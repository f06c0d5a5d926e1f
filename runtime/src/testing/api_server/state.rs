//! The state of the server.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Write;
use super::client_config::Call;
use super::clock::Clock;
use super::notifier::Notifier;
use super::resource::Resources;
use super::store::{Store, key};

/// The state of the server.
pub(super) struct State {
    pub(super) store: Store,
    pub(super) resources: Resources,
    pub(super) clock: Clock,
    /// The creation time of the next object, if it is not the current time.
    pub(super) created: Option<String>,
    pub(super) writes: Vec<Write>,
    /// Custom resources whose stored form differs from what is read: the next write always changes them.
    pub(super) unsettled: BTreeSet<(String, String)>,
    /// The revision up to which garbage was collected.
    pub(super) collected: u64,
    /// The number of uids so far.
    uids: u64,
    /// The number of addresses of Services so far.
    pub(super) addresses: u32,
    /// The number of generated names so far.
    pub(super) names: u64,
    /// Notifies watches of changes.
    pub(super) notifier: Arc<Notifier>,
    /// Calls the webhooks.
    pub(super) call: Option<Call>,
    /// The permissions that requests of users other than admins needed: group, resource and verb.
    pub(super) used: RefCell<BTreeSet<(String, String, String)>>,
}

impl State {
    pub(super) fn new(clock: Clock) -> Self {
        let mut state = Self {
            store: Store::default(),
            resources: Resources::default(),
            clock,
            created: None,
            writes: Vec::new(),
            unsettled: BTreeSet::new(),
            collected: 0,
            uids: 0,
            addresses: 0,
            names: 0,
            notifier: Arc::default(),
            call: None,
            used: RefCell::default(),
        };
        for namespace in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            state.add_namespace(namespace);
        }
        state
    }

    /// Creates a namespace, as the server itself does.
    pub(super) fn add_namespace(&mut self, name: &str) {
        if self.store.get("namespaces", name).is_some() {
            return;
        }
        let object = json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": name,
                "uid": self.uid(),
                "creationTimestamp": self.clock.seconds(),
                "labels": {"kubernetes.io/metadata.name": name},
            },
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        });
        self.store.put("namespaces", key("", name), object);
    }

    /// Gives the uids of these objects to no new ones.
    pub(super) fn reserve_uids(&mut self, objects: &[Value]) {
        for object in objects {
            let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
            let number = uid.rsplit('-').next().unwrap_or_default();
            let number = u64::from_str_radix(number, 16).unwrap_or_default();
            self.uids = self.uids.max(number);
        }
    }

    /// Stores objects as they are. New ones get other uids.
    pub(super) fn restore(&mut self, objects: &[Value]) {
        self.reserve_uids(objects);
        for object in objects {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let metadata = &object["metadata"];
            let kind = (text(&object["apiVersion"]), text(&object["kind"]));
            let Some(resource) = self.resources.of_kind(&kind.0, &kind.1) else {
                continue;
            };
            let key = key(&text(&metadata["namespace"]), &text(&metadata["name"]));
            self.store.put(&resource.storage(), key, object.clone());
        }
        self.notify();
    }

    /// Returns a new uid.
    pub(super) fn uid(&mut self) -> String {
        self.uids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uids)
    }

    /// Notifies watches of changes.
    pub(super) fn notify(&self) {
        self.notifier.notify();
    }
}
