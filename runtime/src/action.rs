//! What a reconcile and a cleanup ask for when they have succeeded.

use std::time::Duration;

/// What a reconcile asks for when it has succeeded. As kube's type of that name, but that the runtime can
/// read it.
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
    /// Reconciles the object when something happens to it, to its children or to what it refers to, and
    /// otherwise after the resync period.
    #[must_use]
    pub const fn await_change() -> Self {
        Self(None)
    }

    /// Reconciles the object after a while, or earlier if something happens. A time below 10 ms counts as 10 ms.
    #[must_use]
    pub const fn requeue(after: Duration) -> Self {
        Self(Some(after))
    }

    /// After which time the object is reconciled again, if the reconcile said so.
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

/// How far a cleanup is.
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
    /// Nothing is left: the finalizer is removed, and the object goes.
    Done,
    /// Something is left that takes its time, such as a child whose end has begun. The object stays, and the
    /// cleanup runs again when a child is gone, and after ten seconds at the latest.
    Wait,
    /// As [`Cleanup::Wait`], and the cleanup runs again after this time.
    WaitFor(Duration),
}

impl Cleanup {
    /// Both: done where both are, and else the shorter wait.
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
            (one, Self::Done) => one,
            (Self::WaitFor(one), Self::WaitFor(other)) => Self::WaitFor(one.min(other)),
            (Self::WaitFor(time), Self::Wait) | (Self::Wait, Self::WaitFor(time)) => {
                Self::WaitFor(time)
            }
            (Self::Wait, Self::Wait) => Self::Wait,
        }
    }
}
