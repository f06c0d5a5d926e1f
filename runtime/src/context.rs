//! The context of a reconcile.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::EventType;
use kube::{Client, Resource, ResourceExt};
use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::Error;
use crate::cache::{Cache, Store};
use crate::children::{ChildKey, Children, Owned};
use crate::events::Events;
use crate::key::Key;
use crate::kinds::{Child, ChildKind, KnownKind, Reconciled, Watched, name_of, spelled};
use crate::orphaned::Orphaned;
use crate::own_writes::OwnWrites;
use crate::reported::Reported;

/// The context of every reconcile, cleanup and task: the API server, your own state, and methods to
/// write children and statuses. Clones share everything.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use k8s_openapi::api::core::v1::Namespace;
/// use rop_runtime::{Action, Context, Error};
///
/// /// The settings of the operator.
/// struct State {
///     pause: Duration,
/// }
///
/// async fn reconcile(_: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
///     Ok(Action::requeue(context.state.pause))
/// }
/// ```
pub struct Context<S = ()> {
    /// The client of the API server. If leader election is enabled, a process that is not the
    /// leader cannot write with it.
    pub client: Client,
    /// Your own state, such as clients, pools and settings.
    pub state: Arc<S>,
    pub(crate) core: Arc<Core>,
    /// Whether to ask the API server instead of the cache: once per resync period, so that errors of the cache do not
    /// persist.
    pub(crate) verifies: bool,
}

impl<S> Clone for Context<S> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            state: Arc::clone(&self.state),
            core: Arc::clone(&self.core),
            verifies: self.verifies,
        }
    }
}

/// The state that all contexts of a controller share, independent of the user's state.
pub(crate) struct Core {
    pub(crate) client: Client,
    pub(crate) children: Arc<Children>,
    /// The children that are watched. `None` for a context without a controller.
    pub(crate) owned: Option<Owned>,
    /// The kind of the controller. `None` for a context without a controller.
    pub(crate) kind: Option<ChildKind>,
    /// The kinds known only at run time that are reconciled or owned.
    pub(crate) dynamic: Vec<ChildKind>,
    pub(crate) caches: Caches,
    /// The caches of children that are watched whole.
    pub(crate) whole: Caches,
    pub(crate) events: Arc<Events>,
    pub(crate) own_writes: OwnWrites,
    pub(crate) reported: Reported,
    /// The labels and annotations that were applied last.
    pub(crate) metadata: Reported,
    /// Whether children block the deletion of their owner in the foreground.
    pub(crate) blocks_owner: bool,
    /// Whether the controller has a cleanup.
    pub(crate) has_finalizer: bool,
    /// Deleted objects whose children are orphaned.
    pub(crate) orphaned: Arc<Orphaned>,
    pub(crate) stopping: CancellationToken,
}

impl<S> Context<S> {
    /// Returns the namespace of an object's children: its own namespace, or that of the operator
    /// for a cluster-scoped object.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{ConfigMap, Node};
    /// use rop_runtime::Context;
    ///
    /// /// The settings of a node are in the operator's namespace, because nodes have none.
    /// fn address(node: &Node, context: &Context) -> String {
    ///     format!("{}/settings", context.namespace(node))
    /// }
    /// ```
    #[must_use]
    pub fn namespace<'a>(&'a self, object: &'a impl Resource) -> &'a str {
        self.core.namespace(object)
    }

    /// Publishes an event about an object, for `kubectl describe`. `reason` is a CamelCase
    /// identifier, `note` a sentence. Events are sent asynchronously, and some are dropped if there
    /// are too many.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use rop_runtime::{Context, EventType};
    ///
    /// fn warn(namespace: &Namespace, context: &Context) {
    ///     context.event(namespace, EventType::Warning, "QuotaNearlyUsed", "95 of 100 pods exist");
    /// }
    /// ```
    pub fn event(
        &self,
        object: &impl Reconciled,
        type_: EventType,
        reason: &str,
        note: impl Into<String>,
    ) {
        match self.core.about(object) {
            Ok(about) => self
                .core
                .events
                .send(type_, about, None, reason, note.into()),
            Err(error) => error!("cannot publish an event about {}: {error}", Key::of(object)),
        }
    }

    /// Returns the cache of a type that the controller reconciles, watches, refers to, reads or
    /// owns whole. If the controller both [reads](crate::ControllerBuilder::reads_with) and watches
    /// the type, returns the cache that it reads.
    ///
    /// In a task, returns the cache of a type that the manager [reads](crate::Manager::reads), or
    /// of which a controller watches all objects: its own kind, and types that it watches, refers
    /// to or reads. If the replica is not the leader, the caches of the controllers are empty.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Secret;
    /// use rop_runtime::{Context, Error};
    ///
    /// /// The Secret `credentials`, or a terminal error if it does not exist.
    /// fn credentials(context: &Context, namespace: &str) -> Result<Secret, Error> {
    ///     let secrets = context.cached::<Secret>()?;
    ///     let secret = secrets.require(Some(namespace), "credentials")?;
    ///     Ok((*secret).clone())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns a terminal error with the line to add if the type is not watched.
    pub fn cached<T: Watched>(&self) -> Result<Store<T>, Error> {
        let core = &self.core;
        let cache = core.caches.get::<T>().or_else(|| core.whole.get::<T>());
        cache.map(Store).ok_or_else(|| {
            let (name, kind) = (name_of::<T>(), spelled::<T>());
            let message = match &core.owned {
                None => format!(
                    "tasks have no cache of {name}: add `manager.reads::<{kind}>()` to `register`"
                ),
                Some(owned) if owned.has(&name) => format!(
                    "the controller caches only the metadata of {name}: use `.owns_whole::<{kind}>()` \
                     instead of `.owns::<{kind}>()`"
                ),
                Some(_) => format!(
                    "the controller does not watch {name}: add `.reads::<{kind}>()` in `register`"
                ),
            };
            Error::terminal("NotWatched", message)
        })
    }

    /// Completes when the operator shuts down. Tasks should end then.
    ///
    /// ```
    /// use std::time::Duration;
    /// use rop_runtime::{Context, Error};
    ///
    /// async fn tick(context: Context) -> Result<(), Error> {
    ///     loop {
    ///         tokio::select! {
    ///             () = context.stopping() => return Ok(()),
    ///             () = tokio::time::sleep(Duration::from_secs(60)) => { /* … */ }
    ///         }
    ///     }
    /// }
    /// ```
    pub async fn stopping(&self) {
        self.core.stopping.cancelled().await;
    }
}

impl Core {
    pub(crate) fn namespace<'a>(&'a self, object: &'a impl Resource) -> &'a str {
        let own = object.meta().namespace.as_deref();
        own.unwrap_or_else(|| self.client.default_namespace())
    }

    /// The kind of a reconciled object.
    ///
    /// # Errors
    /// If it is only known at run time, and the controller neither reconciles nor owns it.
    pub(crate) fn kind_of<K: Reconciled>(&self, object: &K) -> Result<ChildKind, Error> {
        K::DynamicType::kind_of(object, &self.dynamic)
    }

    /// Records the write of an object, if it is of the controller's own kind.
    pub(crate) fn wrote<K: Reconciled>(&self, kind: &ChildKind, written: &K) {
        if self.kind.as_ref().is_some_and(|own| own.name == kind.name) {
            self.own_writes.insert(written);
        }
    }

    /// A reference to a reconciled object.
    ///
    /// # Errors
    /// Like [`kind_of`](Self::kind_of).
    pub(crate) fn about<K: Reconciled>(&self, object: &K) -> Result<ObjectReference, Error> {
        let kind = self.kind_of(object)?;
        Ok(object.object_ref(&KnownKind::of(&kind)))
    }

    /// The kind and the key of a child.
    ///
    /// # Errors
    /// If its type is only known at run time, and the controller does not own it.
    pub(crate) fn find<C: Child>(
        &self,
        owner: &impl Resource,
        child: &C,
    ) -> Result<(ChildKind, ChildKey), Error> {
        let kind = C::DynamicType::kind(child, &self.dynamic)?;
        let own = child.meta().namespace.as_deref();
        let namespace = own.unwrap_or_else(|| self.namespace(owner));
        let namespace = Some(namespace).filter(|_| kind.namespaced);
        let key = ChildKey::new(&kind.name, namespace, &child.name_any());
        Ok((kind, key))
    }

    /// The kind and the key of a child by its name, for a type that is known at compile time.
    pub(crate) fn child<C: Child<DynamicType = ()>>(
        &self,
        owner: &impl Resource,
        name: &str,
    ) -> (ChildKind, ChildKey) {
        let kind = ChildKind::of::<C>();
        let namespace = self.namespace(owner);
        let namespace = Some(namespace).filter(|_| kind.namespaced);
        let key = ChildKey::new(&kind.name, namespace, name);
        (kind, key)
    }
}

/// Caches by the type of their objects.
#[derive(Clone, Default)]
pub(crate) struct Caches(BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Caches {
    /// These caches, with `others` replacing those of the same types.
    pub(crate) fn over(mut self, others: &Self) -> Self {
        let others = others.0.iter();
        self.0
            .extend(others.map(|(type_, cache)| (*type_, Arc::clone(cache))));
        self
    }

    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, cache: Arc<Cache<T>>) {
        self.0.insert(TypeId::of::<T>(), cache);
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<Cache<T>>> {
        let cache = self.0.get(&TypeId::of::<T>())?;
        Arc::clone(cache).downcast().ok()
    }
}
