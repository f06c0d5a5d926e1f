//! The results of a successful reconcile or cleanup.

use std::time::Duration;

/// The result of a successful reconcile. Like kube's type of the same name, but readable by the
/// runtime.
///
/// ```
/// use std::time::Duration;
/// use rop_runtime::Action;
///
/// // Look again in a minute, or earlier if something happens.
/// let action = Action::requeue(Duration::from_secs(60));
/// assert_ne!(action, Action::await_change());
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Action(Option<Duration>);

impl Action {
    /// Reconciles the object again when it, one of its children or an object that it refers to
    /// changes, or after the resync period.
    #[must_use]
    pub const fn await_change() -> Self {
        Self(None)
    }

    /// Reconciles the object again after this time, or earlier if something changes. The minimum is
    /// 10 ms.
    #[must_use]
    pub const fn requeue(after: Duration) -> Self {
        Self(Some(after))
    }

    /// Returns the time after which the object is reconciled again, if the reconcile set one.
    ///
    /// ```
    /// use std::time::Duration;
    /// use rop_runtime::Action;
    ///
    /// let minute = Duration::from_secs(60);
    /// assert_eq!(Action::requeue(minute).requeue_after(), Some(minute));
    /// assert_eq!(Action::await_change().requeue_after(), None);
    /// ```
    #[must_use]
    pub const fn requeue_after(self) -> Option<Duration> {
        self.0
    }
}

/// The progress of a cleanup.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
/// use rop_runtime::{Cleanup, Context, Error};
///
/// async fn clean_up(namespace: Arc<Namespace>, context: Context) -> Result<Cleanup, Error> {
///     context.remove::<ConfigMap>(&*namespace, "greeting").await
/// }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Cleanup {
    /// The cleanup is complete: the finalizer is removed, so the object is deleted.
    Done,
    /// The cleanup is not complete, for example because a child is still terminating. It runs again
    /// when a child is deleted, or after ten seconds.
    Wait,
    /// Like [`Cleanup::Wait`], but the cleanup runs again after this time.
    WaitFor(Duration),
}

impl Cleanup {
    /// Combines two cleanups: done if both are done, otherwise the shorter wait.
    ///
    /// ```
    /// use rop_runtime::Cleanup;
    ///
    /// assert_eq!(Cleanup::Done.and(Cleanup::Wait), Cleanup::Wait);
    /// assert_eq!(Cleanup::Done.and(Cleanup::Done), Cleanup::Done);
    /// ```
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Done, other) => other,
            (first, Self::Done) => first,
            (Self::WaitFor(first), Self::WaitFor(other)) => Self::WaitFor(first.min(other)),
            (Self::WaitFor(time), Self::Wait) | (Self::Wait, Self::WaitFor(time)) => {
                Self::WaitFor(time)
            }
            (Self::Wait, Self::Wait) => Self::Wait,
        }
    }
}
