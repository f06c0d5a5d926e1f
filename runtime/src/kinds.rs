//! The traits of types that controllers can handle: every Kubernetes kind, and every kind of kube's
//! derive.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{ApiResource, DynamicObject, ListParams, ObjectList, TypeMeta};
use kube::core::{DynamicResourceScope, PartialObjectMeta, Request};
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::informer::Raw;
use crate::scope::{ChildScope, Reach};
use crate::sealed::Sealed;

/// A kind that can be watched and read, such as the kind of a controller, or one that it
/// [watches](crate::ControllerBuilder::watches). Implemented for all suitable types.
///
/// For kube's `PartialObjectMeta<K>`, only the metadata of the objects is transferred and cached.
///
/// ```
/// use rop_runtime::{Context, Error, Watched};
///
/// /// The number of objects of a type.
/// fn count<T: Watched>(context: &Context) -> Result<usize, Error> {
///     Ok(context.cached::<T>()?.list().len())
/// }
/// ```
pub trait Watched: Reconciled + Resource<DynamicType = (), Scope: Reach> {}

impl<K: Reconciled + Resource<DynamicType = (), Scope: Reach>> Watched for K {}

/// The kind of a controller: a [`Watched`] kind, or [`DynamicObject`] for a kind that is only known
/// at run time. Implemented for all suitable types.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use rop_runtime::{Context, Error, Reconciled};
///
/// /// Applies a greeting for an object of any kind.
/// async fn greet(object: &impl Reconciled, context: &Context) -> Result<(), Error> {
///     let mut greeting = ConfigMap::default();
///     greeting.metadata.name = Some("greeting".to_owned());
///     context.apply(object, greeting).await?;
///     Ok(())
/// }
/// ```
pub trait Reconciled:
    Clone
    + Debug
    + DeserializeOwned
    + Resource<DynamicType: KnownKind, Scope: ChildScope>
    + Send
    + Sync
    + 'static
{
}

impl<K> Reconciled for K where
    K: Clone
        + Debug
        + DeserializeOwned
        + Resource<DynamicType: KnownKind, Scope: ChildScope>
        + Send
        + Sync
        + 'static
{
}

/// A kind that a controller can create: a Kubernetes kind, one of your own, or [`DynamicObject`]
/// for kinds that are only known at run time. Implemented for all suitable types.
///
/// ```
/// use k8s_openapi::api::core::v1::Namespace;
/// use rop_runtime::{Child, Context, Error};
///
/// /// Applies the children one after another.
/// async fn apply_all<C: Child>(owner: &Namespace, children: Vec<C>, context: &Context) -> Result<(), Error> {
///     for child in children {
///         context.apply(owner, child).await?;
///     }
///     Ok(())
/// }
/// ```
pub trait Child: Reconciled + Serialize {}

impl<C: Reconciled + Serialize> Child for C {}

/// The type of a child: its API resource, and whether it is namespaced.
///
/// ```
/// use kube::api::DynamicObject;
/// use rop_runtime::{Child, ChildKind, Error, KnownKind};
///
/// /// The kind of an object that was read from a file, if the controller owns it.
/// fn kind_of(object: &DynamicObject, owned: &[ChildKind]) -> Result<ChildKind, Error> {
///     KnownKind::kind(object, owned)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ChildKind {
    pub(crate) resource: ApiResource,
    pub(crate) namespaced: bool,
    pub(crate) name: Arc<str>,
}

impl ChildKind {
    pub(crate) fn new(resource: ApiResource, namespaced: bool) -> Self {
        let name = type_name(&resource).into();
        Self {
            resource,
            namespaced,
            name,
        }
    }

    /// The kind of a type that is known at compile time.
    pub(crate) fn of<C: Resource<DynamicType = (), Scope: ChildScope>>() -> Self {
        Self::new(ApiResource::erase::<C>(&()), C::Scope::NAMESPACED)
    }

    /// Sets the kind of an object whose type is only known at run time: the API server omits it in lists.
    pub(crate) fn set_types<T: 'static>(&self, object: &mut T) {
        if let Some(object) = (object as &mut dyn Any).downcast_mut::<DynamicObject>() {
            object.types = Some(TypeMeta {
                api_version: self.resource.api_version.clone(),
                kind: self.resource.kind.clone(),
            });
        }
    }

    /// The metadata of objects, untyped: kube cannot parse `managedFields` that are nested too deeply.
    pub(crate) async fn list_metadata(
        &self,
        client: &Client,
        namespace: Option<&str>,
        params: &ListParams,
    ) -> kube::Result<ObjectList<Raw>> {
        let api: Api<Raw> = self.api(client.clone(), namespace);
        let request = Request::new(api.resource_url()).list_metadata(params);
        client
            .request(request.map_err(kube::Error::BuildRequest)?)
            .await
    }

    /// The API of these objects as `T`, in a namespace unless they are cluster-scoped.
    pub(crate) fn api<T>(&self, client: Client, namespace: Option<&str>) -> Api<T>
    where
        T: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    {
        match namespace.filter(|_| self.namespaced) {
            // `namespaced_with` requires a namespaced scope, and the scope of `T` is dynamic.
            Some(namespace) => Api::namespaced_with(client, namespace, &self.resource),
            None => Api::all_with(client, &self.resource),
        }
    }
}

/// Determines the API resource of a [`Child`] or [`Reconciled`] object.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use rop_runtime::KnownKind;
///
/// // A type that is known at compile time need not be declared.
/// assert!(KnownKind::kind(&ConfigMap::default(), &[]).is_ok());
/// ```
pub trait KnownKind: Sealed + Sized {
    /// Returns the kind of `child`. `declared` are the types only known at run time that the controller owns.
    ///
    /// # Errors
    /// Returns an error for an object without a type, or of a type that the controller does not own.
    fn kind<C: Child<DynamicType = Self>>(
        child: &C,
        declared: &[ChildKind],
    ) -> Result<ChildKind, Error>;

    /// Returns the kind of a reconciled object. `declared` are the kinds only known at run time that the controller
    /// reconciles or owns.
    ///
    /// # Errors
    /// Returns an error for an object without a type, or of a kind that the controller neither reconciles nor owns.
    fn kind_of<K: Reconciled<DynamicType = Self>>(
        object: &K,
        declared: &[ChildKind],
    ) -> Result<ChildKind, Error>;

    /// Returns kube's dynamic type of a kind.
    fn of(kind: &ChildKind) -> Self;
}

impl KnownKind for () {
    fn kind<C: Child<DynamicType = Self>>(_: &C, _: &[ChildKind]) -> Result<ChildKind, Error> {
        Ok(ChildKind::of::<C>())
    }

    fn kind_of<K: Reconciled<DynamicType = Self>>(
        _: &K,
        _: &[ChildKind],
    ) -> Result<ChildKind, Error> {
        Ok(ChildKind::of::<K>())
    }

    fn of(_: &ChildKind) -> Self {}
}

impl KnownKind for ApiResource {
    fn kind<C: Child<DynamicType = Self>>(
        child: &C,
        declared: &[ChildKind],
    ) -> Result<ChildKind, Error> {
        let object = serde_json::to_value(child).unwrap_or_default();
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        find(text("apiVersion"), text("kind"), declared)
    }

    fn kind_of<K: Reconciled<DynamicType = Self>>(
        object: &K,
        declared: &[ChildKind],
    ) -> Result<ChildKind, Error> {
        let object = (object as &dyn Any).downcast_ref::<DynamicObject>();
        let types = object.and_then(|object| object.types.clone());
        let TypeMeta { api_version, kind } = types.unwrap_or_default();
        find(&api_version, &kind, declared)
    }

    fn of(kind: &ChildKind) -> Self {
        kind.resource.clone()
    }
}

/// The declared kind with this version and name.
fn find(api_version: &str, kind: &str, declared: &[ChildKind]) -> Result<ChildKind, Error> {
    let mut declared = declared.iter();
    let found = declared
        .find(|known| known.resource.api_version == api_version && known.resource.kind == kind);
    found.cloned().ok_or_else(|| {
        let message = format!(
            "the controller neither reconciles nor owns `{kind}` of `{api_version}`: add `.owns_dynamic(…)`"
        );
        Error::terminal("NotWatched", message)
    })
}

/// The name of a type, such as `deployments.apps`.
pub(crate) fn type_name(resource: &ApiResource) -> String {
    match &*resource.group {
        "" => resource.plural.clone(),
        group => format!("{}.{group}", resource.plural),
    }
}

/// The name of a type that is known at compile time.
pub(crate) fn name_of<K: Resource<DynamicType = ()>>() -> String {
    type_name(&ApiResource::erase::<K>(&()))
}

/// [`DynamicObject`] implements [`Child`].
const _: () = {
    const fn is_a_child<C: Child>() {}
    is_a_child::<DynamicObject>();
};

/// Whether a type is `PartialObjectMeta`, the metadata of another type.
pub(crate) fn is_metadata<T>() -> bool {
    let known = std::any::type_name::<PartialObjectMeta<()>>();
    let (known, _) = known.split_once('<').unwrap_or((known, ""));
    std::any::type_name::<T>()
        .strip_prefix(known)
        .is_some_and(|rest| rest.starts_with('<'))
}

/// The name of a type in Rust code.
pub(crate) fn spelled<T: Resource<DynamicType = ()>>() -> String {
    let kind = T::kind(&());
    if is_metadata::<T>() {
        format!("PartialObjectMeta<{kind}>")
    } else {
        kind.into_owned()
    }
}
