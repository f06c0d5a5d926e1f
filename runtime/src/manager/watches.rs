//! The watches and shared caches of all controllers.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::watching::{Everywhere, Watching, shared};
use super::{Manager, RunsOn};
use crate::cache::{Cache, CacheSink};
use crate::context::Caches;
use crate::health::{Check, Failures};
#[cfg(any(test, feature = "testing"))]
use crate::informer::Feed;
use crate::informer::{Selection, Sink};
use crate::kinds::{ChildKind, Reconciled, Watched};
use crate::synced::Synced;
use crate::watch::Watch;

/// A cache that several controllers can share.
pub(super) struct Shared {
    cache: Arc<dyn Any + Send + Sync>,
    pub(super) kind: Arc<str>,
    pub(super) synced: Vec<Synced>,
    /// Whether it has all objects of its type that the operator watches.
    is_complete: bool,
    everywhere: Everywhere,
    add_to: fn(&Arc<dyn Any + Send + Sync>, &mut Caches),
}

/// A watch that can start, and the replicas in which it runs.
pub(super) type Work = (RunsOn, BoxFuture<'static, ()>);

impl<S: Send + Sync + 'static> Manager<S> {
    /// Like [`cache`](Self::cache), and filled in every replica.
    pub(super) fn cache_everywhere<T: Watched>(
        &mut self,
        watch: &Watch<T>,
    ) -> (Arc<Cache<T>>, Vec<Synced>) {
        let kind = ChildKind::of::<T>();
        let (cache, synced) = self.cache(&kind, watch);
        if let Some(shared) = self.caches.get(&id(&kind, watch)) {
            shared.everywhere.store(true, Ordering::Relaxed);
        }
        (cache, synced)
    }

    /// The cache of a type with a selection, and its first lists. Equal selections share one watch.
    pub(crate) fn cache<T: Reconciled>(
        &mut self,
        kind: &ChildKind,
        watch: &Watch<T>,
    ) -> (Arc<Cache<T>>, Vec<Synced>) {
        let id = id(kind, watch);
        if let Some(shared) = self.caches.get(&id)
            && let Ok(cache) = Arc::clone(&shared.cache).downcast()
        {
            return (cache, shared.synced.clone());
        }
        let everywhere = Everywhere::default();
        let cache = Arc::<Cache<T>>::default();
        let namespaced = kind.namespaced && !watch.everywhere;
        let mut all_synced = Vec::new();
        for namespace in self.options.watch_namespace.scopes(namespaced) {
            let synced = Synced::default();
            all_synced.push(synced.clone());
            let sink = CacheSink {
                cache: Arc::clone(&cache),
                kind: kind.clone(),
                namespace: namespace.clone(),
                listed: HashSet::new(),
                synced,
                events: Arc::clone(&self.events),
            };
            let sink = Box::new(sink);
            let selection = watch.selection();
            let watching = Watching::new(kind, namespace, selection, sink, &everywhere);
            self.watches.push(watching);
        }
        let shared = Shared {
            cache: Arc::clone(&cache) as _,
            kind: Arc::clone(&kind.name),
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

    /// All caches that have every watched object of their type.
    pub(crate) fn all_caches(&self) -> Caches {
        let mut caches = Caches::default();
        for shared in self.caches.values().filter(|shared| shared.is_complete) {
            (shared.add_to)(&shared.cache, &mut caches);
        }
        caches
    }

    /// Runs a future next to the watches while this process is the leader. It must not end.
    pub(crate) fn run_beside(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        self.beside.push(work.boxed());
    }

    /// Watches the objects of a kind while this process is the leader, in a namespace unless they are cluster-scoped.
    pub(crate) fn watch(
        &mut self,
        kind: &ChildKind,
        namespace: Option<String>,
        selection: Selection,
        sink: Box<dyn Sink>,
    ) {
        let leader = Everywhere::default();
        let watching = Watching::new(kind, namespace, selection, sink, &leader);
        self.watches.push(watching);
    }

    /// The fewest watches that deliver all selections, each with its check and its metrics.
    pub(super) fn informers(&mut self) -> Vec<Work> {
        let watches = shared(std::mem::take(&mut self.watches)).into_iter();
        watches
            .map(|watch| {
                let failures = Arc::<Failures>::default();
                let (name, limit) = (watch.name(), self.options.watch_failure_limit);
                let check = Check::watch(&name, Arc::clone(&failures), limit);
                self.checks.watches.push(check);
                self.metrics.watch(&name, Arc::clone(&failures));
                (watch.runs_on(), watch.run(self.client.clone(), failures))
            })
            .collect()
    }

    /// The same watches, driven by a test.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn feeds(&mut self) -> Vec<Feed> {
        let watches = shared(std::mem::take(&mut self.watches)).into_iter();
        watches.map(|watch| watch.feed(&self.client)).collect()
    }
}

/// Identifies a selection, so that equal selections share one watch.
fn id<T>(kind: &ChildKind, watch: &Watch<T>) -> String {
    let Watch {
        labels,
        fields,
        everywhere,
        ..
    } = watch;
    let (name, version) = (&kind.name, &kind.resource.version);
    let type_ = std::any::type_name::<T>();
    format!("{name} {version} {type_} {labels:?} {fields:?} {everywhere}")
}
