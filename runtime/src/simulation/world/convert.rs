//! Converts objects from their storage version.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::World;
use crate::simulation::process::Process;

impl World {
    /// Converts an object with the code of the operator: immediately, whatever the state of its replicas.
    ///
    /// # Errors
    /// If no replica has converted anything yet, or the conversion fails.
    pub(super) fn in_version(&self, object: &Value, version: &str) -> Result<Value, String> {
        let latest = {
            let mut state = self.state();
            let living = state.processes.iter().find_map(Process::webhooks);
            state.converts = living.or_else(|| state.converts.take());
            state.converts.clone()
        };
        let webhooks = latest.ok_or("no replica has webhooks yet")?;
        let call =
            move |path: &str, review: &Value| webhooks(path, review).map_err(|why| why.to_string());
        self.server().converted(object, version, Arc::new(call))
    }

    /// Converts an object to the version of `other` for a comparison, if possible.
    pub(super) fn in_version_of<'a>(&self, other: &Value, object: &'a Value) -> Cow<'a, Value> {
        let version = other["apiVersion"].as_str().unwrap_or_default();
        if object["apiVersion"] == *version {
            return Cow::Borrowed(object);
        }
        self.in_version(object, version)
            .map_or(Cow::Borrowed(object), Cow::Owned)
    }

    /// Drops the webhooks of the replicas, which refer to this world.
    pub(in crate::simulation) fn forget_replicas(&self) {
        let state = &mut *self.state();
        state.converts = None;
        state.processes.clear();
    }
}
