//! The state of the server.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::Write;
use super::client_config::Call;
use super::clock::Clock;
use super::news::News;
use super::resource::Resources;
use super::store::{Store, key};

/// The state of the server.
pub(super) struct State {
    pub(super) store: Store,
    pub(super) resources: Resources,
    pub(super) clock: Clock,
    /// When the next object is created, in the place of now.
    pub(super) created: Option<String>,
    pub(super) writes: Vec<Write>,
    /// Custom resources that are not stored as they are read: the next write changes them in any case.
    pub(super) unsettled: BTreeSet<(String, String)>,
    /// Up to which revision there is no garbage.
    pub(super) collected: u64,
    /// How many uids there are.
    uids: u64,
    /// How many addresses Services have.
    pub(super) addresses: u32,
    /// How many names were made up.
    pub(super) names: u64,
    /// Tells watches that something has happened.
    pub(super) news: Arc<News>,
    /// Calls the webhooks.
    pub(super) call: Option<Call>,
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
            news: Arc::default(),
            call: None,
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

    /// A uid that no object had before.
    pub(super) fn uid(&mut self) -> String {
        self.uids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uids)
    }

    /// Tells watches that something has happened.
    pub(super) fn tell(&self) {
        self.news.tell();
    }
}
