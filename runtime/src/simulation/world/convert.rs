//! Converts objects from their storage version.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::World;
use crate::simulation::process::Process;

impl World {
    /// An object in another version, as the operator converts it: at once, whatever happens to its replicas.
    ///
    /// # Errors
    /// None of them has converted anything yet, or it cannot be converted.
    pub(super) fn in_version(&self, object: &Value, version: &str) -> Result<Value, String> {
        let webhooks = {
            let mut state = self.state();
            let living = state.processes.iter().find_map(Process::webhooks);
            state.converts = living.or_else(|| state.converts.take());
            state.converts.clone()
        };
        let webhooks = webhooks.ok_or("no replica has webhooks yet")?;
        let call =
            move |path: &str, review: &Value| webhooks(path, review).map_err(|why| why.to_string());
        self.server().converted(object, version, Arc::new(call))
    }

    /// An object in the version of another, if it can be converted: to compare the two.
    pub(super) fn in_version_of<'a>(&self, other: &Value, object: &'a Value) -> Cow<'a, Value> {
        let version = other["apiVersion"].as_str().unwrap_or_default();
        if object["apiVersion"] == *version {
            return Cow::Borrowed(object);
        }
        self.in_version(object, version)
            .map_or(Cow::Borrowed(object), Cow::Owned)
    }

    /// Forgets what its replicas had, which knows the world.
    pub(in crate::simulation) fn forget_replicas(&self) {
        let state = &mut *self.state();
        state.converts = None;
        state.processes.clear();
    }
}
