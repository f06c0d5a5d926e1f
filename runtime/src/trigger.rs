//! Reconciles triggered from outside the API server.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::Stream;
use kube::runtime::reflector::ObjectRef;

use crate::key::Key;
use crate::kinds::Watched;

/// Triggers reconciles of objects of a kind. Clones share the same stream.
///
/// ```
/// use k8s_openapi::api::core::v1::Namespace;
/// use rop_runtime::{ObjectRef, Trigger};
///
/// /// Called by an external service when a bill is due.
/// fn is_due(name: &str, trigger: &Trigger<Namespace>) {
///     trigger.reconcile(&ObjectRef::new(name));
/// }
/// ```
pub struct Trigger<K>(Shared, PhantomData<fn(K)>);

/// The stream of objects of a [`Trigger`], for
/// [`triggered_by`](crate::ControllerBuilder::triggered_by).
///
/// ```
/// use k8s_openapi::api::core::v1::Namespace;
/// use rop_runtime::{Trigger, Triggered};
///
/// let (trigger, triggered): (Trigger<Namespace>, Triggered<Namespace>) = Trigger::new();
/// ```
pub struct Triggered<K>(Shared, PhantomData<fn() -> K>);

type Shared = Arc<Mutex<State>>;

#[derive(Default)]
struct State {
    /// Each object once: several triggers cause one reconcile, of its state at that time.
    waiting: BTreeSet<Key>,
    waker: Option<Waker>,
}

impl<K: Watched> Trigger<K> {
    /// Returns a trigger and the stream of its objects.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # use rop_runtime::{Action, Context, Error, Manager};
    /// # async fn reconcile(_: Arc<Namespace>, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// # fn register(manager: &mut Manager<()>) {
    /// use rop_runtime::Trigger;
    ///
    /// let (trigger, triggered) = Trigger::new();
    /// manager.controller(reconcile).triggered_by(triggered).start();
    /// # drop(trigger);
    /// # }
    /// ```
    #[must_use]
    pub fn new() -> (Self, Triggered<K>) {
        let shared = Shared::default();
        (
            Self(Arc::clone(&shared), PhantomData),
            Triggered(shared, PhantomData),
        )
    }

    /// Reconciles an object as soon as this process is the leader, even if it is waiting for a
    /// retry. Ignores an object that does not exist. Several calls before the reconcile cause only
    /// one.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use rop_runtime::{ObjectRef, Trigger};
    ///
    /// let (trigger, _) = Trigger::<ConfigMap>::new();
    /// trigger.reconcile(&ObjectRef::new("settings").within("shop"));
    /// ```
    pub fn reconcile(&self, object: &ObjectRef<K>) {
        let waker = {
            let mut state = lock(&self.0);
            let key = Key::new(object.namespace.as_deref(), &object.name);
            state.waiting.insert(key);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<K: Watched> Stream for Triggered<K> {
    type Item = ObjectRef<K>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ObjectRef<K>>> {
        let mut state = lock(&self.0);
        let Some(key) = state.waiting.pop_first() else {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        let object = ObjectRef::new(&key.name);
        Poll::Ready(Some(match &key.namespace {
            Some(namespace) => object.within(namespace),
            None => object,
        }))
    }
}

impl<K> Clone for Trigger<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0), PhantomData)
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt};
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    #[tokio::test]
    async fn an_object_that_is_named_twice_comes_once() {
        let (trigger, mut triggered) = Trigger::<ConfigMap>::new();
        let object = |name: &str| ObjectRef::new(name).within("shop");
        for name in ["a", "b", "a"] {
            trigger.clone().reconcile(&object(name));
        }
        assert_eq!(triggered.next().await, Some(object("a")));
        assert_eq!(triggered.next().await, Some(object("b")));
        assert!(triggered.next().now_or_never().is_none());
        let next = tokio::spawn(async move { triggered.next().await });
        tokio::task::yield_now().await;
        trigger.reconcile(&object("a"));
        assert_eq!(next.await.unwrap(), Some(object("a")));
    }
}
