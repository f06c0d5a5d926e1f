//! Webhooks: defaulting, validation and conversion of objects on behalf of the API server.
//!
//! A [`Conversion`] converts the objects of a kind between its versions.
//!
//! A defaulting webhook sets missing fields; a validating webhook rejects invalid objects. Both are
//! plain functions of the object and the [`Request`], so their tests need no server. Prefer
//! defaults and CEL rules in the CRD where they suffice: they are always available. Functions that
//! read other objects or call another system are [`async`](Validator::create_async).
//!
//! ```no_run
//! use k8s_openapi::api::core::v1::Pod;
//! use rop_runtime::Manager;
//! use rop_runtime::webhook::{Request, Review, Validator};
//!
//! fn default(pod: &mut Pod, _: &Request) {
//!     let labels = pod.metadata.labels.get_or_insert_default();
//!     labels.entry("team".to_owned()).or_insert_with(|| "none".to_owned());
//! }
//!
//! fn create(pod: &Pod, request: &Request) -> Review {
//!     let mut review = Review::new();
//!     let spec = pod.spec.as_ref();
//!     if spec.is_some_and(|spec| spec.host_network == Some(true)) && request.user() != "admin" {
//!         review.forbidden("spec.hostNetwork", "only admin may use the network of the node");
//!     }
//!     review
//! }
//!
//! # fn register(manager: &mut Manager<()>) {
//! manager.defaulting_webhook("/mutate--v1-pod", default);
//! manager.validating_webhook("/validate--v1-pod", Validator::new().create(create));
//! # }
//! ```

mod admission;
mod answer;
mod bodies;
mod budget;
mod cause;
mod conversion;
mod defaulting;
mod endpoint;
mod handler;
#[cfg(any(test, feature = "testing"))]
mod in_memory;
mod managed;
mod metrics;
mod migration;
mod patch;
mod raw;
mod request;
mod review;
#[cfg(test)]
mod tests;
mod validator;
mod view;
mod watched;

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use cause::Cause;
pub use conversion::Conversion;
#[cfg(any(test, feature = "testing"))]
pub(crate) use conversion::{Converted, Kind, written};
use defaulting::Defaulting;
pub(crate) use endpoint::Endpoint;
pub use endpoint::WebhookError;
use handler::HandlerContext;
pub(crate) use handler::Handlers;
#[cfg(any(test, feature = "testing"))]
pub(crate) use in_memory::in_memory;
pub(crate) use managed::{Keeper, Managed};
pub(crate) use migration::Migration;
pub use request::{Operation, Request};
pub use review::Review;
use validator::Validating;
pub use validator::Validator;

use crate::{Error, Manager};

impl<S: Send + Sync + 'static> Manager<S> {
    /// Serves a defaulting webhook at a path. `default` changes the object before it is stored, and
    /// only its changes are sent to the API server. The API server validates the schema afterwards,
    /// so the object can have any shape that its type can be deserialized from; other objects are
    /// left unchanged. It is not called for DELETE. It may be called several times for an object,
    /// so only set missing fields.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::Manager;
    /// use rop_runtime::webhook::Request;
    ///
    /// fn default(map: &mut ConfigMap, _: &Request) {
    ///     map.immutable.get_or_insert(false);
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.defaulting_webhook("/mutate--v1-configmap", default);
    /// # }
    /// ```
    pub fn defaulting_webhook<K>(
        &mut self,
        path: &str,
        default: impl Fn(&mut K, &Request<S>) + Send + Sync + 'static,
    ) where
        K: Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let handler = Defaulting::new(self.given(), default);
        self.faults.extend(self.webhooks.add(path, handler));
    }

    /// Like [`defaulting_webhook`](Self::defaulting_webhook), with an asynchronous function that
    /// can read a cache or call the API server or another system. It only delays its own request,
    /// up to the `timeoutSeconds` of the webhook. An error rejects the request.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use rop_runtime::{Error, Manager};
    /// use rop_runtime::webhook::Request;
    ///
    /// async fn default(mut map: ConfigMap, request: Request) -> Result<ConfigMap, Error> {
    ///     let namespaces = request.cached::<Namespace>().await?;
    ///     // …
    ///     map.immutable.get_or_insert(false);
    ///     Ok(map)
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.reads::<Namespace>();
    /// manager.defaulting_webhook_async("/mutate--v1-configmap", default);
    /// # }
    /// ```
    pub fn defaulting_webhook_async<K, F>(
        &mut self,
        path: &str,
        default: impl Fn(K, Request<S>) -> F + Send + Sync + 'static,
    ) where
        K: Serialize + DeserializeOwned + Send + Sync + 'static,
        F: Future<Output = Result<K, Error>> + Send + 'static,
    {
        let handler = Defaulting::waiting(self.given(), default);
        self.faults.extend(self.webhooks.add(path, handler));
    }

    /// Serves a validating webhook at a path. Operations without a function of the validator are
    /// allowed. Updates of an object that is being deleted are allowed if they only change its
    /// metadata and status: otherwise stricter validation could keep its finalizers from being
    /// removed.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::Manager;
    /// use rop_runtime::webhook::{Request, Review, Validator};
    ///
    /// fn delete(map: &ConfigMap, _: &Request) -> Review {
    ///     let mut review = Review::new();
    ///     if map.immutable == Some(true) {
    ///         review.deny("it is immutable, and others rely on it");
    ///     }
    ///     review
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.validating_webhook("/validate--v1-configmap", Validator::new().delete(delete));
    /// # }
    /// ```
    pub fn validating_webhook<K>(&mut self, path: &str, validator: Validator<K, S>)
    where
        K: DeserializeOwned + Send + Sync + 'static,
    {
        let handler = Validating::new(self.given(), validator);
        self.faults.extend(self.webhooks.add(path, handler));
    }

    fn given(&self) -> HandlerContext<S> {
        HandlerContext {
            state: Arc::clone(&self.state),
            view: self.webhooks.view.clone(),
        }
    }
}
