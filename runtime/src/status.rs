//! Writes the status of the reconciled object.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::quality::FixedState;
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::core::object::HasStatus;
use kube::{Api, ResourceExt};
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Core;
use crate::informer::Raw;
use crate::key::Key;
use crate::kinds::{Reconciled, Watched};
use crate::{Context, Error};

impl<S> Context<S> {
    /// Writes the status of an object with server-side apply, if it differs. Leaves the fields of
    /// other field managers unchanged, such as conditions of a type that `status` does not contain.
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
    /// Returns the error of the API server, as a transient or terminal error.
    pub async fn report<K>(&self, object: &K, status: K::Status) -> Result<(), Error>
    where
        K: HasStatus + Watched,
        K::Status: PartialEq + Serialize,
    {
        self.core.report(object, status).await
    }

    /// Like [`report`](Self::report), for an object whose kind is only known at run time.
    ///
    /// ```
    /// use kube::api::DynamicObject;
    /// use rop_runtime::{Context, Error};
    /// use serde_json::{Value, json};
    ///
    /// async fn ready(object: &DynamicObject, context: &Context) -> Result<(), Error> {
    ///     let status = json!({ "observedGeneration": object.metadata.generation });
    ///     context.report_dynamic(object, status).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the API server, or an error if the controller neither reconciles nor
    /// owns the kind.
    pub async fn report_dynamic(&self, object: &DynamicObject, status: Value) -> Result<(), Error> {
        fn of(object: &DynamicObject) -> Option<&Value> {
            object.data.get("status")
        }
        self.core.report_as(object, status, of).await
    }
}

impl Core {
    pub(crate) async fn report<K>(&self, object: &K, status: K::Status) -> Result<(), Error>
    where
        K: HasStatus + Reconciled,
        K::Status: PartialEq + Serialize,
    {
        self.report_as(object, status, K::status).await
    }

    async fn report_as<K, T>(
        &self,
        object: &K,
        status: T,
        of: impl Fn(&K) -> Option<&T>,
    ) -> Result<(), Error>
    where
        K: Reconciled,
        T: PartialEq + Serialize,
    {
        if of(object) == Some(&status) {
            return Ok(());
        }
        let kind = self.kind_of(object)?;
        let key = (Arc::clone(&kind.name), Key::of(object));
        let new_sum = sum(&status)?;
        let seen = of(object).map(sum).transpose()?.unwrap_or_default();
        if self.reported.is(&key, new_sum, seen) {
            return Ok(());
        }
        let name = object.name_any();
        let patch = json!({
            "apiVersion": kind.resource.api_version,
            "kind": kind.resource.kind,
            // The uid prevents the apply from changing a new object of the same name.
            "metadata": { "name": name, "uid": object.uid() },
            "status": status,
        });
        let namespace = object.meta().namespace.as_deref();
        let api: Api<Raw> = kind.api(self.client.clone(), namespace);
        let params = PatchParams::apply(&self.children.names.manager).force();
        match api.patch_status(&name, &params, &Patch::Apply(patch)).await {
            // The object was deleted in the meantime.
            Err(kube::Error::Api(answer)) if answer.code == 404 => {}
            written => {
                let written: K = written?
                    .read()
                    .map_err(|invalid| Error::transient(invalid.error))?;
                let stored = of(&written).map(sum).transpose()?.unwrap_or_default();
                self.reported.insert(key, new_sum, stored);
                self.wrote(&kind, &written);
            }
        }
        Ok(())
    }
}

/// The hash of a status.
pub(crate) fn sum(status: &impl Serialize) -> Result<u64, Error> {
    let text = serde_json::to_string(status)
        .map_err(|error| Error::terminal("InvalidStatus", error.to_string()))?;
    Ok(hash(text))
}

fn hash(value: impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}
