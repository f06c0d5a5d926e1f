//! How a reconcile writes the status of its object.

use std::any::TypeId;
use std::hash::{BuildHasher, Hash};

use foldhash::quality::FixedState;
use kube::api::{Patch, PatchParams};
use kube::core::object::HasStatus;
use kube::{Api, ResourceExt};
use serde::Serialize;
use serde_json::json;

use crate::context::Core;
use crate::informer::Raw;
use crate::key::Key;
use crate::kinds::{ChildKind, Watched};
use crate::{Context, Error};

impl<S> Context<S> {
    /// Writes the status of an object by server-side apply, if it differs from what the object has. What
    /// another manager has put into the status stays, such as a condition of a type that `status` does not
    /// have.
    ///
    /// ```
    /// use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
    /// # use kube::CustomResource;
    /// # use schemars::JsonSchema;
    /// # use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Clone, Debug, CustomResource, Deserialize, JsonSchema, Serialize)]
    /// #[kube(group = "app.example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
    /// struct AppSpec {
    ///     replicas: i32,
    /// }
    ///
    /// #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
    /// struct AppStatus {
    ///     conditions: Vec<Condition>,
    /// }
    ///
    /// use rop_runtime::conditions::{Conditions, READY};
    /// use rop_runtime::{Context, Error};
    ///
    /// async fn tell(app: &App, is_ready: bool, context: &Context) -> Result<(), Error> {
    ///     let before = app.status.as_ref().map_or(&[][..], |status| &status.conditions);
    ///     let mut conditions = Conditions::of(before, app.metadata.generation);
    ///     conditions.set(READY, is_ready, "Reconciled", "");
    ///     context.report(app, AppStatus { conditions: conditions.into() }).await
    /// }
    /// ```
    ///
    /// # Errors
    /// What the API server answers, as a transient or a terminal error.
    pub async fn report<K>(&self, object: &K, status: K::Status) -> Result<(), Error>
    where
        K: HasStatus + Watched,
        K::Status: PartialEq + Serialize,
    {
        self.core.report(object, status).await
    }
}

impl Core {
    pub(crate) async fn report<K>(&self, object: &K, status: K::Status) -> Result<(), Error>
    where
        K: HasStatus + Watched,
        K::Status: PartialEq + Serialize,
    {
        if object.status() == Some(&status) {
            return Ok(());
        }
        let key = (TypeId::of::<K>(), Key::of(object));
        let wanted = sum(&status)?;
        let seen = object.status().map(sum).transpose()?.unwrap_or_default();
        if self.reported.is(&key, wanted, seen) {
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
        let namespace = object.meta().namespace.as_deref();
        let api: Api<Raw> = ChildKind::of::<K>().api(self.client.clone(), namespace);
        let params = PatchParams::apply(&self.children.names.manager).force();
        match api.patch_status(&name, &params, &Patch::Apply(patch)).await {
            // Deleted in the meantime.
            Err(kube::Error::Api(answer)) if answer.code == 404 => {}
            written => {
                let written: K = written?
                    .read()
                    .map_err(|invalid| Error::transient(invalid.error))?;
                let seen = written.status().map(sum).transpose()?.unwrap_or_default();
                self.reported.insert(key, wanted, seen);
                self.own_writes.insert(&written);
            }
        }
        Ok(())
    }
}

/// A short stand-in for a status.
pub(crate) fn sum(status: &impl Serialize) -> Result<u64, Error> {
    let text = serde_json::to_string(status);
    let text = text.map_err(|error| Error::terminal("InvalidStatus", error.to_string()))?;
    Ok(hash(text))
}

fn hash(value: impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}
