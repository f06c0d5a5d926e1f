//! How a reconcile writes the status of its object.

use kube::api::{Patch, PatchParams};
use kube::core::object::HasStatus;
use kube::{Api, ResourceExt};
use serde::Serialize;
use serde_json::json;

use super::{Context, Error, FIELD_MANAGER, Primary, Reach};

impl Context {
    /// Writes the status of an object where it differs from what the object has.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal.
    pub async fn apply_status<K>(&self, object: &K, status: &K::Status) -> Result<(), Error>
    where
        K: HasStatus + Primary,
        K::Status: PartialEq + Serialize,
    {
        if object.status() == Some(status) {
            return Ok(());
        }
        let name = object.name_any();
        let patch = json!({
            "apiVersion": K::api_version(&()),
            "kind": K::kind(&()),
            // The uid keeps the status away from a new object of the same name.
            "metadata": { "name": name, "uid": object.uid() },
            "status": status,
        });
        let api: Api<K> = K::Scope::api(self.client.clone(), object.meta().namespace.as_deref());
        let params = PatchParams::apply(FIELD_MANAGER).force();
        match api.patch_status(&name, &params, &Patch::Apply(patch)).await {
            // Deleted in the meantime.
            Err(kube::Error::Api(answer)) if answer.code == 404 => {}
            written => self.own_writes.insert(&written?),
        }
        Ok(())
    }
}
