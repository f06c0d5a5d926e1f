//! The watches of all controllers, and the caches that they share.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use kube::runtime::watcher;

use super::{Manager, RunsOn};
use crate::cache::{Cache, CacheSink};
use crate::children::Live;
use crate::context::Caches;
use crate::health::{Check, Failures};
use crate::informer::{AnySink, Informer, Raw};
use crate::kinds::{ChildKind, Watched, is_metadata, name_of};
use crate::scope::ChildScope;
use crate::synced::Synced;
use crate::watch::Watch;

/// A cache that several controllers may use.
pub(super) struct Shared {
    cache: Arc<dyn Any + Send + Sync>,
    pub(super) synced: Vec<Synced>,
    /// Whether it has everything that the operator watches of its type.
    is_complete: bool,
    everywhere: Everywhere,
    add_to: fn(&Arc<dyn Any + Send + Sync>, &mut Caches),
}

/// Whether every replica watches, and not only the one that leads.
type Everywhere = Arc<AtomicBool>;

/// A watch that is yet to begin.
pub(super) struct Watching {
    pub(super) work: BoxFuture<'static, ()>,
    everywhere: Everywhere,
}

impl Watching {
    pub(super) fn runs_on(&self) -> RunsOn {
        match self.everywhere.load(Ordering::Relaxed) {
            true => RunsOn::EveryReplica,
            false => RunsOn::Leader,
        }
    }
}

impl<S: Send + Sync + 'static> Manager<S> {
    /// As [`cache`](Self::cache), of one that is filled in every replica.
    pub(super) fn cache_everywhere<T: Watched>(
        &mut self,
        watch: &Watch<T>,
    ) -> (Arc<Cache<T>>, Vec<Synced>) {
        let (cache, synced) = self.cache(watch);
        if let Some(shared) = self.caches.get(&id(watch)) {
            shared.everywhere.store(true, Ordering::Relaxed);
        }
        (cache, synced)
    }

    /// The cache of a type, or of a part of it, and when it is filled. There is one watch for all that want
    /// the same.
    pub(crate) fn cache<T: Watched>(&mut self, watch: &Watch<T>) -> (Arc<Cache<T>>, Vec<Synced>) {
        let id = id(watch);
        if let Some(shared) = self.caches.get(&id)
            && let Ok(cache) = Arc::clone(&shared.cache).downcast()
        {
            return (cache, shared.synced.clone());
        }
        let kind = ChildKind::of::<T>();
        let everywhere = Everywhere::default();
        let cache = Arc::<Cache<T>>::default();
        let namespaced = T::Scope::NAMESPACED && !watch.everywhere;
        let mut all_synced = Vec::new();
        for namespace in self.options.watch_namespace.scopes(namespaced) {
            let synced = Synced::default();
            all_synced.push(synced.clone());
            let sink = CacheSink {
                cache: Arc::clone(&cache),
                kind: Arc::clone(&kind.name),
                namespace: namespace.clone(),
                listed: HashSet::new(),
                synced,
                events: Arc::clone(&self.events),
            };
            let mut informer = self.informer(&kind.name, namespace.as_deref(), watch.config());
            informer.is_metadata = is_metadata::<T>();
            let sink = AnySink::Raw(Box::new(sink));
            let everywhere = Arc::clone(&everywhere);
            self.begin(informer, &kind, namespace.as_deref(), sink, everywhere);
        }
        let shared = Shared {
            cache: Arc::clone(&cache) as _,
            synced: all_synced.clone(),
            is_complete: watch.is_complete(),
            everywhere,
            add_to: |cache, caches| {
                if let Ok(cache) = Arc::clone(cache).downcast::<Cache<T>>() {
                    caches.insert(cache);
                }
            },
        };
        self.caches.insert(id, shared);
        (cache, all_synced)
    }

    /// All caches that have everything that is watched of their type.
    pub(crate) fn all_caches(&self) -> Caches {
        let mut caches = Caches::default();
        for shared in self.caches.values().filter(|shared| shared.is_complete) {
            (shared.add_to)(&shared.cache, &mut caches);
        }
        caches
    }

    /// A watch of a type in a namespace, or everywhere, with its check and its metrics.
    pub(crate) fn informer(
        &mut self,
        kind: &Arc<str>,
        namespace: Option<&str>,
        config: watcher::Config,
    ) -> Informer {
        let failures = Arc::<Failures>::default();
        let name = match namespace {
            Some(namespace) => format!("{kind} in {namespace}"),
            None => kind.to_string(),
        };
        let limit = self.options.watch_failure_limit;
        let check = Check::watch(&name, Arc::clone(&failures), limit);
        self.checks.watches.push(check);
        self.metrics.watch(&name, Arc::clone(&failures));
        Informer {
            kind: Arc::clone(kind),
            name,
            config,
            is_metadata: false,
            failures,
        }
    }

    /// Runs something beside the watches, while this process leads. It must not end.
    pub(crate) fn run_beside(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        self.beside.push(work.boxed());
    }

    /// Watches the objects of a kind while this process leads, in a namespace if they have one.
    pub(crate) fn watch(
        &mut self,
        informer: Informer,
        kind: &ChildKind,
        namespace: Option<&str>,
        sink: AnySink,
    ) {
        self.begin(informer, kind, namespace, sink, Everywhere::default());
    }

    fn begin(
        &mut self,
        informer: Informer,
        kind: &ChildKind,
        namespace: Option<&str>,
        sink: AnySink,
        everywhere: Everywhere,
    ) {
        #[cfg(any(test, feature = "testing"))]
        if let Some(feeds) = &mut self.feeds {
            let api = kind.api::<Live>(self.client.clone(), namespace);
            let path = api.resource_url().to_owned();
            feeds.push(crate::informer::Feed::new(path, &informer.config, sink));
            return;
        }
        let work = run(informer, kind, namespace, self.client.clone(), sink);
        self.watches.push(Watching { work, everywhere });
    }
}

/// What is watched, so that there is one watch for all that want the same.
fn id<T: Watched>(watch: &Watch<T>) -> String {
    let Watch {
        labels,
        fields,
        everywhere,
        ..
    } = watch;
    let (name, version) = (name_of::<T>(), T::version(&()));
    let type_ = std::any::type_name::<T>();
    format!("{name} {version} {type_} {labels:?} {fields:?} {everywhere}")
}

/// A watch for each of the types that are watched: compiled here, and not with each kind of a project.
fn run(
    informer: Informer,
    kind: &ChildKind,
    namespace: Option<&str>,
    client: Client,
    sink: AnySink,
) -> BoxFuture<'static, ()> {
    let (kind, namespace) = (kind.clone(), namespace.map(str::to_owned));
    match sink {
        AnySink::Live(sink) => {
            let api = move |client| kind.api::<Live>(client, namespace.as_deref());
            informer.run(client, api, sink).boxed()
        }
        AnySink::Raw(sink) => {
            let api = move |client| kind.api::<Raw>(client, namespace.as_deref());
            informer.run(client, api, sink).boxed()
        }
    }
}
