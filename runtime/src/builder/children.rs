//! The children that a controller owns.

use std::collections::HashSet;
use std::sync::Arc;

use kube::api::ApiResource;
use kube::discovery::Scope as DiscoveryScope;
use kube::runtime::watcher::Event;

use super::ControllerBuilder;
use super::start::Wiring;
use crate::breakage::{Breakage, broken};
use crate::cache::{Cache, CacheSink};
use crate::children::{ChildSink, Keep, Owners, Scope};
use crate::informer::{Follower, Raw, map};
use crate::key::Key;
use crate::kinds::{Child, ChildKind, Reconciled};
use crate::synced::Synced;
use crate::watch::{Filter, Watch};

impl<S, K> ControllerBuilder<'_, S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    /// Watches the children of a type that the controller [applies](crate::Context::apply), and
    /// reconciles their owner when they change. Only a few hundred bytes are kept of each child.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .owns::<ConfigMap>()
    ///     .start();
    /// # }
    /// ```
    pub fn owns<C: Child<DynamicType = ()>>(self) -> Self {
        self.owns_with::<C>(Watch::new())
    }

    /// Like [`owns`](Self::owns), for selected children or changes. Filters need complete children:
    /// see [`owns_whole`](Self::owns_whole). A controller can own a type only once: with a second
    /// selection, [`Manager::run`](crate::Manager::run) returns an error.
    ///
    /// Children must match the labels of `watch`: [`apply`](crate::Context::apply) rejects others.
    ///
    /// Children of a cluster-scoped kind are watched in the operator's own namespace, or in all
    /// namespaces with `everywhere`.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::Watch;
    ///
    /// manager
    ///     .controller(reconcile)
    ///     // The children are in namespaces that `--watch-namespace` need not name.
    ///     .owns_with::<ConfigMap>(Watch::new().everywhere())
    ///     .start();
    /// # }
    /// ```
    pub fn owns_with<C: Child<DynamicType = ()>>(mut self, watch: Watch<C>) -> Self {
        self.watches.push(Box::new(move |wiring| {
            if watch.has_filters() || watch.whole {
                wiring.cache_whole(&watch);
            } else {
                wiring.watch_children(&ChildKind::of::<C>(), &watch, |_| None);
            }
        }));
        self
    }

    /// Like [`owns`](Self::owns), but caches children completely, except for their `managedFields`:
    /// [`apply`](crate::Context::apply) returns the complete live object, and
    /// [`cached`](crate::Context::cached) reads them.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{Namespace, Service};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     // `context.apply` returns the Service with its `clusterIP`.
    ///     .owns_whole::<Service>()
    ///     .start();
    /// # }
    /// ```
    pub fn owns_whole<C: Child<DynamicType = ()>>(mut self) -> Self {
        self.watches
            .push(Box::new(|wiring| wiring.cache_whole(&Watch::<C>::new())));
        self
    }

    /// Makes children block the foreground deletion of their owner
    /// (`kubectl delete --cascade=foreground`), until they are deleted. Some clusters, such as
    /// `OpenShift`, require the permission to `update` the `finalizers` subresource of the
    /// controller's kind.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// // +kubebuilder:rbac:groups=core,resources=namespaces/finalizers,verbs=update
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .owns::<ConfigMap>()
    ///     .block_owner_deletion()
    ///     .start();
    /// # }
    /// ```
    pub fn block_owner_deletion(mut self) -> Self {
        self.blocks_owner = true;
        self
    }

    /// Like [`owns`](Self::owns), for a type that is only known at run time and applied as
    /// [`DynamicObject`](kube::api::DynamicObject). The resource and scope come from kube's
    /// [discovery](kube::discovery).
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// use kube::api::{ApiResource, GroupVersionKind};
    /// use kube::discovery::Scope;
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// let certificate = GroupVersionKind::gvk("cert-manager.io", "v1", "Certificate");
    /// manager
    ///     .controller(reconcile)
    ///     .owns_dynamic(ApiResource::from_gvk(&certificate), Scope::Namespaced)
    ///     .start();
    /// # }
    /// ```
    pub fn owns_dynamic(mut self, resource: ApiResource, scope: DiscoveryScope) -> Self {
        let kind = ChildKind::new(resource, scope == DiscoveryScope::Namespaced);
        self.dynamic.push(kind.clone());
        self.watches.push(Box::new(move |wiring| {
            let everything = Watch::<()>::new();
            wiring.watch_children(&kind, &everything, |_| None);
        }));
        self
    }
}

impl<S, K> Wiring<'_, S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    /// Watches complete children and caches them.
    fn cache_whole<C: Child<DynamicType = ()>>(&mut self, watch: &Watch<C>) {
        let (kind, cache) = (ChildKind::of::<C>(), Arc::<Cache<C>>::default());
        self.whole.insert(Arc::clone(&cache));
        let (filters, events) = (watch.filters(), Arc::clone(&self.manager.events));
        let own = kind.clone();
        let keep = |namespace: Option<&str>| {
            let sink = CacheSink {
                cache: Arc::clone(&cache),
                kind: own.clone(),
                namespace: namespace.map(str::to_owned),
                listed: HashSet::new(),
                synced: Synced::default(),
                events: Arc::clone(&events),
            };
            let filters = filters.clone();
            Some(Box::new(Whole { sink, filters }) as Box<dyn Keep>)
        };
        self.watch_children(&kind, watch, keep);
    }

    /// Watches the children of a type, in all namespaces if `watch` says so. `W` is the type that `watch` filters.
    fn watch_children<W>(
        &mut self,
        kind: &ChildKind,
        watch: &Watch<W>,
        keep: impl Fn(Option<&str>) -> Option<Box<dyn Keep>>,
    ) {
        let manager = &*self.manager;
        let is_everywhere = watch.everywhere && !broken(Breakage::ElsewhereUnwatched);
        let scopes = if is_everywhere || !kind.namespaced {
            vec![None]
        } else if self.kind.namespaced {
            manager.options.watch_namespace.scopes(true)
        } else {
            vec![Some(manager.client.default_namespace().to_owned())]
        };
        if self.owned.has(&kind.name) {
            let fault = format!(
                "the controller `{}` owns {} twice: combine both selections in one",
                self.name, kind.name
            );
            self.manager.faults.push(fault);
            return;
        }
        self.owned.add(&kind.name, &scopes, watch.labels.clone());
        let mut selection = watch.selection();
        let selected = self.children.names.selector();
        let labels = selection.labels.filter(|labels| !labels.trim().is_empty());
        selection.labels = Some(match labels {
            None => selected,
            Some(labels) => format!("{selected},{labels}"),
        });
        // A sink extracts what it needs.
        selection.is_metadata = false;
        for namespace in scopes {
            let synced = Synced::default();
            self.synced.push(synced.clone());
            let scope = Scope {
                kind: Arc::clone(&kind.name),
                namespace: namespace.clone(),
            };
            let sink = ChildSink {
                children: Arc::clone(&self.children),
                scope,
                listed: HashSet::new(),
                owners: Owners::of(&self.kind, &self.queue),
                synced,
                keep: keep(namespace.as_deref()),
            };
            let selection = selection.clone();
            self.manager
                .watch(kind, namespace, selection, Box::new(sink));
        }
    }
}

/// Caches complete children, and decides which changes trigger a reconcile.
struct Whole<C> {
    sink: CacheSink<C>,
    filters: Vec<Filter<C>>,
}

impl<C: Child<DynamicType = ()>> Keep for Whole<C> {
    fn take(&mut self, event: Event<&Raw>) -> bool {
        let event = map(event, Raw::read);
        let counts = match &event {
            Event::Apply(Ok(new)) | Event::InitApply(Ok(new)) => {
                let old = self.sink.cache.get(&Key::of(new));
                Watch::passes(&self.filters, old.as_deref(), new)
            }
            _ => true,
        };
        self.sink.take(event);
        counts
    }

    fn has(&self, child: &Raw) -> bool {
        self.sink.has(child)
    }
}
