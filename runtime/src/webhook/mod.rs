//! Webhooks: what the API server asks before it stores an object, and when an object is read in another version.
//!
//! A [`Conversion`] converts the objects of a kind between its versions.
//!
//! A defaulting webhook fills in what the user left out; a validating one says what is wrong. Both are plain
//! functions of the object and the [`Request`], so their tests need no server. First see what the schema can
//! do: defaults and CEL rules of a CRD need no server either, and cannot be down.
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
mod endpoint;
mod handler;
#[cfg(any(test, feature = "testing"))]
mod in_memory;
mod managed;
mod metrics;
mod migration;
mod options;
mod patch;
mod raw;
mod request;
mod review;
#[cfg(test)]
mod tests;
mod watched;

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use cause::Cause;
pub use conversion::Conversion;
#[cfg(any(test, feature = "testing"))]
pub(crate) use conversion::{Converted, Kind, written};
pub(crate) use endpoint::Endpoint;
pub use endpoint::WebhookError;
pub(crate) use handler::Handlers;
pub use handler::Validator;
use handler::{Validating, defaulting};
#[cfg(any(test, feature = "testing"))]
pub(crate) use in_memory::in_memory;
pub(crate) use managed::{Keeper, Managed};
pub(crate) use migration::Migration;
pub use options::WebhookOptions;
pub use request::{Operation, Request};
pub use review::Review;

use crate::Manager;

impl<S: Send + Sync + 'static> Manager<S> {
    /// Serves a defaulting webhook at a path: `default` changes the object before it is stored. Only what it
    /// changes is sent back. The API server checks the schema after it, so the object can have any shape that
    /// its type can be read from; one that cannot be read is left as it is. On DELETE it is not called.
    ///
    /// It may be called more than once for an object: set only what is absent.
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
        let handler = defaulting(Arc::clone(&self.state), default);
        self.faults.extend(self.webhooks.add(path, handler));
    }

    /// Serves a validating webhook at a path. Operations without a function of the validator are allowed.
    ///
    /// An update of an object that is being deleted is allowed without asking where it changes metadata and
    /// status only: otherwise an object that a stricter validator refuses could never lose its finalizers.
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
        let handler = Validating::new(Arc::clone(&self.state), validator);
        self.faults.extend(self.webhooks.add(path, handler));
    }
}
