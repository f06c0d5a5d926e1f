//! Updates the cache of children from a watch, and triggers reconciles of their owners.

use std::collections::HashSet;
use std::sync::Arc;

use kube::runtime::watcher::Event;

use super::{ChildKey, Children, OwnerChange, Scope};
use crate::breakage::{Breakage, broken};
use crate::controller::{Cause, Queue};
use crate::informer::{Follower, Raw, Sink};
use crate::key::{Key, name_from};
use crate::kinds::ChildKind;
use crate::synced::Synced;

/// Handles the events of the watch of a type of child in a namespace, or in all.
pub(crate) struct ChildSink {
    pub(crate) children: Arc<Children>,
    pub(crate) scope: Scope,
    /// The children of a list that is not complete yet.
    pub(crate) listed: HashSet<ChildKey>,
    pub(crate) owners: Owners,
    /// Set when the first list is complete.
    pub(crate) synced: Synced,
    /// Caches the children, if they are watched whole.
    pub(crate) keep: Option<Box<dyn Keep>>,
}

/// Caches complete children.
pub(crate) trait Keep: Send {
    /// Handles an event, and returns whether it triggers a reconcile.
    fn take(&mut self, event: Event<&Raw>) -> bool;

    /// Whether a child is cached.
    fn has(&self, child: &Raw) -> bool;
}

/// Finds the owner to reconcile.
pub(crate) struct Owners {
    queue: Arc<Queue>,
    kind: String,
    group: String,
    namespaced: bool,
}

impl Owners {
    /// Owners of a kind, which are added to `queue`.
    pub(crate) fn of(kind: &ChildKind, queue: &Arc<Queue>) -> Self {
        Self {
            queue: Arc::clone(queue),
            kind: kind.resource.kind.clone(),
            group: kind.resource.group.clone(),
            namespaced: kind.namespaced,
        }
    }

    /// Queues the owner if it is of this kind. A cluster-scoped owner has no namespace, whatever that of its child:
    /// with two keys, it would be reconciled twice at the same time.
    fn notify(&self, kind: &Arc<str>, change: OwnerChange) {
        let is_of_kind =
            |owner: &super::Owner| owner.kind == self.kind && owner.group == self.group;
        let Some(owner) = change.owner.filter(is_of_kind) else {
            return;
        };
        let namespace = owner.namespace.or_else(|| change.namespace.clone());
        let owner = Key {
            namespace: namespace.filter(|_| self.namespaced),
            name: owner.name,
        };
        let (from, child) = (owner.namespace.as_deref(), change.namespace.as_deref());
        let (kind, name) = (Arc::clone(kind), name_from(from, child, &change.name));
        let cause = if change.is_gone {
            Cause::Gone { kind, name }
        } else {
            Cause::Related { kind, name }
        };
        self.queue.add(owner, cause);
    }
}

impl ChildSink {
    /// Handles an event, and queues the owner if it `counts`.
    fn take(&mut self, event: Event<&Raw>, counts: bool) {
        let (children, scope) = (&self.children, &self.scope);
        let mut change = Vec::new();
        let is_complete = matches!(event, Event::InitDone);
        match event {
            Event::Init => self.listed.clear(),
            Event::InitApply(child) => {
                self.listed.insert(scope.key(child));
                if !(self.synced.is_set() && broken(Breakage::OldCacheTrusted)) {
                    change.extend(children.seen(scope, child));
                }
            }
            Event::InitDone => change.extend(children.listed(scope, &self.listed)),
            Event::Apply(child) => change.extend(children.seen(scope, child)),
            Event::Delete(child) => change.push(children.gone(scope, child)),
        }
        // When the controller starts, owners are listed themselves.
        let is_first = !self.synced.is_set();
        if counts && !is_first {
            for change in change {
                self.owners.notify(&self.scope.kind, change);
            }
        }
        if is_complete {
            self.listed = HashSet::new();
            self.synced.set();
        }
    }
}

impl Follower for ChildSink {
    fn has(&self, object: &Raw) -> bool {
        let is_kept = self.keep.as_ref().is_some_and(|keep| keep.has(object));
        is_kept || self.children.has(&self.scope.key(object))
    }

    fn failed(&mut self) {
        self.children.failed(&self.scope);
    }

    fn on_begin(&self) -> Box<dyn Fn(u64) + Send + Sync> {
        let (children, scope) = (Arc::clone(&self.children), self.scope.clone());
        Box::new(move |revision| children.begun(&scope, revision))
    }
}

impl Sink for ChildSink {
    fn seen(&mut self, event: Event<&Raw>) {
        let counts = self
            .keep
            .as_mut()
            .is_none_or(|keep| keep.take(event.clone()));
        self.take(event, counts);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

    use super::*;
    use crate::children::Owner;
    use crate::metrics::ControllerMetrics;

    /// The owner that is queued for a change of a child in the namespace `shop`.
    fn told<K: crate::Watched>(kind: &str) -> Option<String> {
        let queue = Queue::new(ControllerMetrics::for_tests());
        queue.open();
        let owner = Owner {
            uid: "1".to_owned(),
            kind: kind.to_owned(),
            group: String::new(),
            namespace: None,
            name: "web".to_owned(),
        };
        let change = OwnerChange {
            owner: Some(owner),
            namespace: Some("shop".to_owned()),
            name: "child".to_owned(),
            is_gone: false,
        };
        Owners::of(&ChildKind::of::<K>(), &queue).notify(&"secrets".into(), change);
        let (key, _) = queue.next().now_or_never()?;
        Some(key.to_string())
    }

    #[tokio::test]
    async fn an_owner_has_one_key_wherever_its_child_is() {
        let namespaced = told::<ConfigMap>("ConfigMap");
        assert_eq!(namespaced.as_deref(), Some("shop/web"));
        assert_eq!(told::<Namespace>("Namespace").as_deref(), Some("web"));
        assert_eq!(told::<Namespace>("ConfigMap"), None);
    }
}
