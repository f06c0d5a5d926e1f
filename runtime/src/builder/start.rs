//! Builds a controller when it is started.

use std::sync::Arc;

use kube::ResourceExt;
use kube::runtime::events::EventType;
use tracing::warn;

use super::ControllerBuilder;
use crate::Context;
use crate::cache::{Cache, Change};
use crate::children::{Children, Names, Owned};
use crate::context::{Caches, Core};
use crate::controller::{Attempts, Cause, Queue};
use crate::events::Events;
use crate::key::Key;
use crate::kinds::{ChildKind, KnownKind, Reconciled};
use crate::manager::Manager;
use crate::metrics::ControllerMetrics;
use crate::orphaned::Orphaned;
use crate::own_writes::OwnWrites;
use crate::reported::Reported;
use crate::synced::Synced;
use crate::watch::Filter;

/// A controller that is being started.
pub(super) struct Wiring<'a, S, K> {
    /// Its own kind.
    pub(super) kind: ChildKind,
    /// The name of the controller.
    pub(super) name: String,
    pub(super) manager: &'a mut Manager<S>,
    /// The objects of its kind.
    pub(super) cache: Arc<Cache<K>>,
    pub(super) queue: Arc<Queue>,
    pub(super) children: Arc<Children>,
    pub(super) caches: Caches,
    /// The caches of types that the controller reads, which replace those of types that it watches.
    pub(super) reads: Caches,
    pub(super) whole: Caches,
    /// The types of children that are watched.
    pub(super) owned: Owned,
    /// The watches whose first list must be complete.
    pub(super) synced: Vec<Synced>,
}

impl<S, K> ControllerBuilder<'_, S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    /// Registers the controller, which starts when the manager runs.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// manager
    ///     .controller(reconcile)
    ///     .start();
    /// # }
    /// ```
    pub fn start(self) {
        let manager = self.manager;
        let name = manager.name_controller(&self.kind, self.name.as_deref());
        let metrics = manager.metrics.controller(&name, self.settings.concurrency);
        let queue = Queue::new(metrics.clone());
        let (cache, synced) = manager.cache(&self.kind, &self.objects);
        let names = Names::new(manager.identity.name(), self.name.as_deref());
        let mut caches = Caches::default();
        caches.insert(Arc::clone(&cache));
        let mut wiring = Wiring {
            kind: self.kind.clone(),
            name: name.clone(),
            manager,
            cache: Arc::clone(&cache),
            queue: Arc::clone(&queue),
            children: Arc::new(Children::new(names)),
            caches,
            reads: Caches::default(),
            whole: Caches::default(),
            owned: Owned::default(),
            synced,
        };
        for watch in self.watches {
            watch(&mut wiring);
        }
        let (children, synced) = (wiring.children, wiring.synced);
        let caches = wiring.caches.over(&wiring.reads);
        let (whole, owned) = (wiring.whole, wiring.owned);

        // Subscribes before the first cleanup can ask.
        let orphaned = self.cleanup.as_ref().map(|_| Orphaned::of(&cache));
        reconcile_changes(&cache, &queue, self.objects.filters());
        count_objects(&cache, &self.kind, &metrics);
        let core = Core {
            client: manager.client.clone(),
            children,
            owned: Some(owned),
            kind: Some(self.kind.clone()),
            dynamic: self.dynamic,
            caches,
            whole,
            events: Arc::clone(&manager.events),
            own_writes: OwnWrites::by::<K>(),
            reported: Reported::by(&self.kind),
            metadata: Reported::by(&self.kind),
            blocks_owner: self.blocks_owner,
            has_finalizer: self.cleanup.is_some(),
            orphaned: orphaned.unwrap_or_default(),
            stopping: manager.shutdown.clone(),
        };
        let context = Context {
            client: manager.client.clone(),
            state: Arc::clone(&manager.state),
            core: Arc::new(core),
            verifies: false,
        };
        let reconcile = match self.cleanup {
            Some((finalizer, wrap)) => {
                let word = self.name.as_deref().unwrap_or("cleanup");
                let domain = finalizer_domain(&self.kind.resource.group, manager.identity.name());
                let finalizer = finalizer.unwrap_or_else(|| format!("{domain}/{word}"));
                let events = Arc::clone(&manager.events);
                warn_about_unselected(&cache, &self.kind, &finalizer, events);
                wrap(self.reconcile, finalizer)
            }
            None => self.reconcile,
        };
        let attempts = Attempts {
            name,
            reconcile,
            on_failure: self.on_failure,
            context,
            cache,
            queue,
            settings: self.settings,
            metrics,
            failing: crate::controller::Failing::default(),
            verified: crate::controller::Verified::default(),
        };
        manager.add(Arc::new(attempts), synced);
    }
}

/// The domain of a finalizer: the group of the kind, or the operator for a Kubernetes kind. Other operators may clean
/// up such a kind as well, and the core group has no name.
fn finalizer_domain(group: &str, operator: &str) -> String {
    let is_builtin = !group.contains('.') || group.ends_with(".k8s.io");
    if is_builtin { operator } else { group }.to_owned()
}

/// Reports the number of objects and their conditions in the metrics.
fn count_objects<K: Reconciled>(
    cache: &Arc<Cache<K>>,
    kind: &ChildKind,
    metrics: &ControllerMetrics,
) {
    let [counted, unreadable, conditions] = [(); 3].map(|()| Arc::downgrade(cache));
    cache.count_conditions();
    metrics.watch_conditions(kind, move || {
        let cache = conditions.upgrade();
        cache.map_or_else(Vec::new, |cache| cache.conditions())
    });
    metrics.watch_objects(move || counted.upgrade().map_or(0, |cache| cache.len()));
    metrics.watch_unreadable(move || unreadable.upgrade().map_or(0, |cache| cache.unreadable()));
}

/// Reconciles every object that is created or changed.
fn reconcile_changes<K: Reconciled>(
    cache: &Arc<Cache<K>>,
    queue: &Arc<Queue>,
    filters: Vec<Filter<K>>,
) {
    let queue = Arc::clone(queue);
    cache.subscribe(move |change| match change {
        Change::Applied { old, new, listed } => {
            let revision = |object: &K| object.meta().resource_version.clone();
            let is_same = old.is_some_and(|old| revision(old) == revision(new));
            if is_same {
                return;
            }
            if !super::Watch::passes(&filters, *old, new) {
                // It may be the write that a reconcile waits for.
                return queue.release(&Key::of(&***new));
            }
            let cause = if *listed {
                Cause::Listed
            } else {
                Cause::Changed
            };
            queue.add(Key::of(&***new), cause);
        }
        Change::Deleted(object) | Change::Left(object) => {
            let key = Key::of(&***object);
            queue.forget(&key);
            // Its reconcile finds no object, and removes its state.
            queue.add(key, Cause::Changed);
        }
    });
}

/// Warns about objects that the label selector of the controller no longer matches, because they are not cleaned up.
/// Another controller may select them now, so their finalizer stays.
fn warn_about_unselected<K: Reconciled>(
    cache: &Arc<Cache<K>>,
    kind: &ChildKind,
    finalizer: &str,
    events: Arc<Events>,
) {
    let finalizer = finalizer.to_owned();
    let resource = K::DynamicType::of(kind);
    cache.subscribe(move |change| {
        if let Change::Left(object) = change
            && object.finalizers().contains(&finalizer)
        {
            let note = format!(
                "no longer selected by the labels of the controller: its finalizer \
                 {finalizer} remains, and cleanup does not run"
            );
            warn!(object = %Key::of(&***object), note);
            let about = object.object_ref(&resource);
            events.send(EventType::Warning, about, None, "NotSelected", note);
        }
    });
}

impl<S> Manager<S> {
    /// The name of a controller in metrics and logs: its kind in lower case, with the group if a kind of another group
    /// has the same name.
    fn name_controller(&mut self, own: &ChildKind, name: Option<&str>) -> String {
        let kind = own.resource.kind.to_lowercase();
        let mut controller = name.unwrap_or(&kind).to_owned();
        let is_of_another_group = |first: &String| **first != *own.name;
        if name.is_none() && self.names.get(&controller).is_some_and(is_of_another_group) {
            controller = format!("{kind}.{}", own.resource.group);
        }
        let own = own.name.to_string();
        if self.names.insert(controller.clone(), own).is_some() {
            self.faults.push(format!(
                "two controllers are named `{controller}`: set another name with `.named(\"…\")`"
            ));
        }
        controller
    }
}

#[cfg(test)]
mod tests {
    use super::finalizer_domain;

    #[test]
    fn the_finalizer_of_a_builtin_kind_is_the_operators() {
        for (group, domain) in [
            ("app.example.com", "app.example.com"),
            ("", "greeter"),
            ("apps", "greeter"),
            ("networking.k8s.io", "greeter"),
        ] {
            assert_eq!(finalizer_domain(group, "greeter"), domain, "{group}");
        }
    }
}
