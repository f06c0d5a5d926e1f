//! Conversion between the versions of a kind.
//!
//! User conversions are plain functions between whole objects. This module makes them lossless, and
//! prevents a single unreadable object from failing a whole list.

mod kept;
mod kind;
mod merge;
mod plain;
mod review;
#[cfg(test)]
pub(super) mod tests;
mod way;

use std::marker::PhantomData;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use kind::Kind;
use kind::Spoke;
use plain::plain;
#[cfg(any(test, feature = "testing"))]
pub(crate) use plain::written_as as written;
pub(super) use review::{Kinds, weight};
#[cfg(any(test, feature = "testing"))]
pub(crate) use way::Converted;
use way::Version;

use crate::Manager;

/// The path of all conversions.
pub(super) const PATH: &str = "/convert";

/// Converts the versions of a kind: each spoke to the hub `H`, and back.
///
/// A version may lack fields of another one. The fields that it cannot represent are kept in an
/// annotation of the converted object, `<group>/conversion-data.<version>`, and restored by the
/// conversion back, together with changes made in the meantime. Metadata is copied unchanged,
/// except for labels and annotations that a conversion sets.
///
/// ```
/// use rop_runtime::Manager;
/// use rop_runtime::webhook::Conversion;
/// # mod v1 {
/// #     use kube::CustomResource;
/// #     use serde::{Deserialize, Serialize};
/// #     #[derive(Clone, CustomResource, Debug, Deserialize, Serialize)]
/// #     #[kube(group = "app.example.com", version = "v1", kind = "App", schema = "disabled")]
/// #     pub struct AppSpec { pub size: u32 }
/// # }
/// # mod v2 {
/// #     use kube::CustomResource;
/// #     use serde::{Deserialize, Serialize};
/// #     #[derive(Clone, CustomResource, Debug, Deserialize, Serialize)]
/// #     #[kube(group = "app.example.com", version = "v2", kind = "App", schema = "disabled")]
/// #     pub struct AppSpec { pub replicas: u32 }
/// # }
///
/// impl From<v1::App> for v2::App {
///     fn from(app: v1::App) -> Self {
///         let spec = v2::AppSpec { replicas: app.spec.size };
///         Self { metadata: app.metadata, spec }
///     }
/// }
///
/// impl From<v2::App> for v1::App {
///     fn from(app: v2::App) -> Self {
///         let spec = v1::AppSpec { size: app.spec.replicas };
///         Self { metadata: app.metadata, spec }
///     }
/// }
///
/// fn register(manager: &mut Manager<()>) {
///     manager.conversion(Conversion::<v1::App>::new().spoke::<v2::App>());
/// }
/// ```
pub struct Conversion<H> {
    kind: Kind,
    faults: Vec<String>,
    hub: PhantomData<fn() -> H>,
}

impl<H: Resource<DynamicType = ()>> Default for Conversion<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Resource<DynamicType = ()>> Conversion<H> {
    /// Creates the conversion of a kind that only has the version of `H`.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rop_runtime::webhook::Conversion;
    /// let conversion = Conversion::<Deployment>::new();
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let (group, version) = (H::group(&()), H::version(&()));
        Self {
            kind: Kind::new(&group, &H::kind(&()), &H::plural(&()), &version),
            faults: Vec::new(),
            hub: PhantomData,
        }
    }

    /// Adds a version, which is converted to and from the hub: see [`Conversion`]. The manager
    /// fails to start if the version is that of the hub, is added twice, or belongs to another
    /// kind.
    ///
    /// Conversions must not fail. They are called on nearly every read of an object, so keep them
    /// fast, and make no requests.
    #[must_use]
    pub fn spoke<S>(mut self) -> Self
    where
        H: From<S> + Serialize + DeserializeOwned,
        S: Resource<DynamicType = ()> + From<H> + Serialize + DeserializeOwned,
    {
        let (group, name, version) = (S::group(&()), S::kind(&()), S::version(&()));
        let (kind, hub) = (self.kind.name(), self.kind.hub.name.clone());
        if (&*group, &*name) != (&self.kind.group, &self.kind.kind) {
            let fault = format!(
                "the hub of a conversion is {kind}, but one of its spokes is {name}.{group}"
            );
            self.faults.push(fault);
        } else if version == hub {
            let fault =
                format!("{version} is both the hub and a spoke of the conversion of {kind}");
            self.faults.push(fault);
        } else {
            let spoke = Spoke {
                version: Version::new(&group, &version),
                to_hub: plain::<S, H>,
                from_hub: plain::<H, S>,
            };
            if !self.kind.add(spoke) {
                let fault = format!("the conversion of {kind} has the spoke {version} twice");
                self.faults.push(fault);
            }
        }
        self
    }

    /// The kind, and the errors of its registration.
    pub(crate) fn into_parts(self) -> (Kind, Vec<String>) {
        (self.kind, self.faults)
    }
}

impl<S: Send + Sync + 'static> Manager<S> {
    /// Converts the objects of a kind between its versions, at the path `/convert`, which the CRD
    /// refers to.
    ///
    /// An object that does not match its type is converted too, because otherwise no object of the
    /// kind could be listed in that version. It has no spec and no status there; both are kept in
    /// the annotation until its type can represent them. Such objects are logged and counted in
    /// `operator_conversion_unreadable_objects_total`.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// # use rop_runtime::webhook::Conversion;
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # fn register(manager: &mut Manager<()>) {
    /// # let conversion = Conversion::<Deployment>::new();
    /// manager.conversion(conversion);
    /// # }
    /// ```
    pub fn conversion<H: Resource<DynamicType = ()>>(&mut self, conversion: Conversion<H>) {
        let (kind, faults) = conversion.into_parts();
        self.faults.extend(faults);
        self.faults.extend(self.webhooks.convert(kind));
    }
}
