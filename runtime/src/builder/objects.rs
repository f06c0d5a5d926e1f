//! The objects that a controller watches but does not own.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::{FutureExt, Stream, StreamExt, future};
use kube::runtime::reflector::ObjectRef;
use kube::{Resource, ResourceExt};
use tokio::task::coop::consume_budget;
use tracing::error;

use super::ControllerBuilder;
use super::start::Wiring;
use crate::cache::{Cache, Change, Store};
use crate::controller::Cause;
use crate::key::{Key, name_from};
use crate::kinds::{ChildKind, Reconciled, Watched, name_of};
use crate::manager::reads;
use crate::scope::ChildScope;
use crate::user_code;
use crate::watch::Watch;

impl<S, K> ControllerBuilder<'_, S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    /// Watches the objects of a type, and reconciles the objects that `objects` returns for each
    /// changed object. The function is called for every change, with the object before and after it
    /// and the cache of the controller's own kind, so keep it fast. A reference without a namespace
    /// is to the namespace of the changed object. [`cached`](crate::Context::cached) reads the
    /// watched objects.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Node};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::{ObjectRef, Store};
    ///
    /// manager
    ///     .controller(reconcile)
    ///     // Reconciles all namespaces whenever a node changes.
    ///     .watches(|_: &Node, namespaces: &Store<Namespace>| {
    ///         let all = namespaces.list();
    ///         all.iter().map(|namespace| ObjectRef::from_obj(&**namespace)).collect()
    ///     })
    ///     .start();
    /// # }
    /// ```
    pub fn watches<T: Watched>(
        self,
        objects: impl Fn(&T, &Store<K>) -> Vec<ObjectRef<K>> + Send + Sync + 'static,
    ) -> Self {
        self.watches_with(Watch::new(), objects)
    }

    /// Like [`watches`](Self::watches), for selected objects or changes.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Node};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use kube::runtime::predicates;
    /// use rop_runtime::{ObjectRef, Watch};
    ///
    /// manager
    ///     .controller(reconcile)
    ///     // Each node of the pool is named after its namespace.
    ///     .watches_with(
    ///         Watch::<Node>::new().labels("pool=batch").filter(predicates::labels),
    ///         |node: &Node, _: &_| {
    ///             let name = node.metadata.name.as_deref();
    ///             name.map(ObjectRef::new).into_iter().collect()
    ///         },
    ///     )
    ///     .start();
    /// # }
    /// ```
    pub fn watches_with<T: Watched>(
        mut self,
        watch: Watch<T>,
        objects: impl Fn(&T, &Store<K>) -> Vec<ObjectRef<K>> + Send + Sync + 'static,
    ) -> Self {
        self.watches.push(Box::new(move |wiring| {
            let (store, kind) = (Store(Arc::clone(&wiring.cache)), wiring.kind.clone());
            wiring.relate(watch, move |object| {
                let what = "a function that maps an object to others";
                let found =
                    user_code::call(what, Vec::new(), || objects(object, &store)).into_iter();
                found
                    .filter_map(|found| key(&kind, found, object))
                    .collect()
            });
        }));
        self
    }

    /// Watches the objects of a type that the controller's objects refer to by name in their own
    /// namespace, and reconciles the referring objects when one is created, changed or deleted. The
    /// runtime keeps the index.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Pod, Secret};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Pod>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .refers_to::<Secret, _>(|pod: &Pod| {
    ///         let secrets = pod.spec.iter().flat_map(|spec| spec.image_pull_secrets.iter().flatten());
    ///         secrets.map(|secret| secret.name.clone()).collect::<Vec<_>>()
    ///     })
    ///     .start();
    /// # }
    /// ```
    pub fn refers_to<T, I>(self, names: impl Fn(&K) -> I + Send + Sync + 'static) -> Self
    where
        T: Watched,
        I: IntoIterator<Item = String>,
    {
        if T::Scope::NAMESPACED && !self.kind.namespaced {
            let (own, other) = (&self.kind.resource.kind, T::kind(&()));
            self.manager.faults.push(format!(
                "a {own} has no namespace in which it could refer to a {other} by name: use \
                 `.refers_to_in::<{other}, _>(…)`, with references that name the namespace"
            ));
        }
        self.refers(Watch::<T>::new(), move |object: &K| {
            let namespace = object.namespace().filter(|_| T::Scope::NAMESPACED);
            let names = names(object).into_iter();
            let path = |name: String| Key::new(namespace.as_deref(), &name).to_string();
            names.map(path).collect()
        })
    }

    /// Like [`refers_to`](Self::refers_to), for references with a namespace. A reference without
    /// one is to the namespace of the referring object.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Secret};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::ObjectRef;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     // Each namespace has its credentials in the namespace `vault`.
    ///     .refers_to_in::<Secret, _>(|namespace: &Namespace| {
    ///         let name = namespace.metadata.name.as_deref();
    ///         name.map(|name| ObjectRef::new(name).within("vault"))
    ///     })
    ///     .start();
    /// # }
    /// ```
    pub fn refers_to_in<T, I>(self, references: impl Fn(&K) -> I + Send + Sync + 'static) -> Self
    where
        T: Watched,
        I: IntoIterator<Item = ObjectRef<T>>,
    {
        self.refers_to_in_with(Watch::new(), references)
    }

    /// Like [`refers_to_in`](Self::refers_to_in), for selected objects: others are not cached. For
    /// namespaces that `--watch-namespace` does not include, `watch` needs
    /// [`everywhere`](Watch::everywhere).
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Secret};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::{ObjectRef, Watch};
    ///
    /// let shared = Watch::<Secret>::new().labels("example.com/shared=yes").everywhere();
    /// manager
    ///     .controller(reconcile)
    ///     .refers_to_in_with(shared, |_: &Namespace| {
    ///         [ObjectRef::new("credentials").within("vault")]
    ///     })
    ///     .start();
    /// # }
    /// ```
    pub fn refers_to_in_with<T, I>(
        self,
        watch: Watch<T>,
        references: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self
    where
        T: Watched,
        I: IntoIterator<Item = ObjectRef<T>>,
    {
        self.refers(watch, move |object: &K| {
            let own = object.namespace();
            let path = |to: ObjectRef<T>| {
                let namespace = to.namespace.as_deref().or(own.as_deref());
                Key::new(namespace.filter(|_| T::Scope::NAMESPACED), &to.name).to_string()
            };
            references(object).into_iter().map(path).collect()
        })
    }

    /// Watches the objects that the controller's objects refer to, as returned by `paths`.
    fn refers<T: Watched>(
        mut self,
        watch: Watch<T>,
        paths: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.watches.push(Box::new(move |wiring| {
            let cache = Arc::clone(&wiring.cache);
            let index = cache.add_index(paths);
            wiring.relate(watch, move |object| {
                cache.keys_by(index, &Key::of(object).to_string())
            });
        }));
        self
    }

    /// Reconciles the objects of a stream while this process is the leader, for example events of a
    /// cloud, a timer or a file. A reference without a namespace is to a cluster-scoped object.
    /// [`Trigger`](crate::Trigger) creates such a stream. A stream that ends or panics triggers
    /// nothing more.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::{ObjectRef, Trigger};
    ///
    /// let (trigger, triggered) = Trigger::new();
    /// manager.controller(reconcile).triggered_by(triggered).start();
    /// // Called wherever the event occurs.
    /// trigger.reconcile(&ObjectRef::new("shop"));
    /// # }
    /// ```
    pub fn triggered_by(
        mut self,
        objects: impl Stream<Item = ObjectRef<K>> + Send + 'static,
    ) -> Self {
        self.watches.push(Box::new(move |wiring| {
            let (queue, name) = (Arc::clone(&wiring.queue), wiring.name.clone());
            let namespaced = wiring.kind.namespaced;
            let each = objects.for_each(move |found| {
                let namespace = found.namespace.as_deref();
                let key = Key::new(namespace.filter(|_| namespaced), &found.name);
                queue.add(key, Cause::Triggered);
                // A stream that is always ready would block the other tasks of this thread.
                consume_budget()
            });
            wiring.manager.run_beside(async move {
                if AssertUnwindSafe(each).catch_unwind().await.is_err() {
                    error!("the trigger stream of the controller `{name}` panicked");
                }
                // The end of a part would stop the manager, but the stream may end.
                future::pending::<()>().await;
            });
        }));
        self
    }

    /// Watches the objects of a type so that [`cached`](crate::Context::cached) can read them.
    /// Changes do not trigger reconciles.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Node};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     // `context.cached::<Node>()` reads them.
    ///     .reads::<Node>()
    ///     .start();
    /// # }
    /// ```
    pub fn reads<T: Watched>(self) -> Self {
        self.reads_with::<T>(Watch::new())
    }

    /// Like [`reads`](Self::reads), for selected objects. A controller can read a type only once:
    /// with a second selection, [`Manager::run`](crate::Manager::run) returns an error.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Node};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::Watch;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     .reads_with(Watch::<Node>::new().labels("pool=batch"))
    ///     .start();
    /// # }
    /// ```
    pub fn reads_with<T: Watched>(mut self, watch: Watch<T>) -> Self {
        self.watches.push(Box::new(move |wiring| {
            let cache = wiring.read(&watch);
            if !reads::add(&mut wiring.reads, cache) {
                let reader = format!("the controller `{}`", wiring.name);
                wiring.manager.faults.push(reads::twice::<T>(&reader));
            }
        }));
        self
    }
}

impl<S, K> Wiring<'_, S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    /// Watches a type, and makes its cache available to the controller.
    fn read<T: Watched>(&mut self, watch: &Watch<T>) -> Arc<Cache<T>> {
        let (cache, synced) = self.manager.cache(&ChildKind::of::<T>(), watch);
        self.synced.extend(synced);
        // A cache of selected objects does not replace a cache of all objects.
        if watch.is_complete() || self.caches.get::<T>().is_none() {
            self.caches.insert(Arc::clone(&cache));
        }
        cache
    }

    /// Watches a type, and reconciles the objects that `keys` returns for a changed object.
    fn relate<T: Watched>(
        &mut self,
        watch: Watch<T>,
        keys: impl Fn(&T) -> Vec<Key> + Send + Sync + 'static,
    ) {
        let (queue, filters) = (Arc::clone(&self.queue), watch.filters());
        let kind: Arc<str> = name_of::<T>().into();
        self.read(&watch).subscribe(move |change| {
            let mut related = match change {
                Change::Applied { old, new, .. } => {
                    if !Watch::passes(&filters, *old, new) {
                        return;
                    }
                    // The references before the change may differ.
                    let before = old.map(&keys).unwrap_or_default();
                    [before, keys(new)].concat()
                }
                Change::Deleted(object) | Change::Left(object) => keys(object),
            };
            related.sort_unstable();
            related.dedup();
            for key in related {
                let object = change.object();
                let (from, namespace) = (key.namespace.as_deref(), object.namespace());
                let name = name_from(from, namespace.as_deref(), &object.name_any());
                let kind = Arc::clone(&kind);
                queue.add(key, Cause::Related { kind, name });
            }
        });
    }
}

/// The key of a referenced object. The namespace of a reference to a cluster-scoped object is ignored. A reference
/// without a namespace is to the namespace of the referring object.
fn key<K: Reconciled>(kind: &ChildKind, found: ObjectRef<K>, from: &impl Resource) -> Option<Key> {
    if !kind.namespaced {
        return Some(Key::new(None, &found.name));
    }
    let namespace = found.namespace.or_else(|| from.meta().namespace.clone());
    if namespace.is_none() {
        error!(
            name = found.name,
            "the reference to a {} has no namespace: add `.within(namespace)`", kind.resource.kind
        );
    }
    Some(Key::new(Some(&namespace?), &found.name))
}

impl<T: Resource> Change<'_, T> {
    fn object(&self) -> &T {
        match self {
            Self::Applied { new, .. } => new,
            Self::Deleted(object) | Self::Left(object) => object,
        }
    }
}
