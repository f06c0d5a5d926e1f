//! Deliberate faults of the library: a simulation that misses one of them proves nothing. Without the feature `testing`
//! there are none, and this code is not compiled.

/// A deliberate fault of the library.
#[cfg_attr(
    not(any(test, feature = "testing")),
    expect(unreachable_pub, reason = "`simulation` shows it")
)]
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Breakage {
    /// Writes are not guarded by the lease.
    NoGuard,
    /// Bytes are sent without checking the clock.
    NoGate,
    /// The term counts from the response to a renewal, not from its request.
    TermFromAnswer,
    /// The lease is taken even if it has changed since it was read.
    LeaseWithoutVersion,
    /// The lease is released while reconciles still run.
    EarlyRelease,
    /// The response to an apply is cached, however late it is.
    LateAnswerKept,
    /// The cached children are still trusted after their watch failed, and its next list changes nothing.
    OldCacheTrusted,
    /// Owners of children that vanished during a list are not reconciled.
    VanishedUntold,
    /// A resync also trusts the cache.
    NeverVerified,
    /// Objects that were deleted during a list stay in the cache.
    GhostsKept,
    /// An event for an object that is being reconciled is lost.
    EventLost,
    /// An object is reconciled twice at the same time.
    TwiceAtOnce,
    /// Objects of other owners are taken over.
    StrangersAdopted,
    /// An apply can reach another object of the same name.
    AppliedWithoutUid,
    /// Children have no owner reference.
    NoOwnerReference,
    /// Children have no label.
    NoLabel,
    /// Failed reconciles are not retried.
    NoRetry,
    /// Failed reconciles are retried without a delay.
    NoBackoff,
    /// A deletion can reach another object of the same name.
    DeletedWithoutUid,
    /// A reconcile can wait again and again for a write that was not made.
    EndlessWait,
    /// A failure is not reported in the status.
    SilentFailure,
    /// A condition gets a new transition time whenever it is set.
    RestlessCondition,
    /// A cleanup does not delete the children.
    CleanupForgets,
    /// A child that differs is not repaired.
    DriftIgnored,
    /// With webhooks, a replica is only ready when its caches have synced.
    ReadyWithCaches,
    /// Children that can be in all namespaces are only watched in the operator's namespace.
    ElsewhereUnwatched,
}

#[cfg(any(test, feature = "testing"))]
impl Breakage {
    /// All breakages.
    pub const ALL: [Self; 26] = [
        Self::NoGuard,
        Self::NoGate,
        Self::TermFromAnswer,
        Self::LeaseWithoutVersion,
        Self::EarlyRelease,
        Self::LateAnswerKept,
        Self::OldCacheTrusted,
        Self::VanishedUntold,
        Self::NeverVerified,
        Self::GhostsKept,
        Self::EventLost,
        Self::TwiceAtOnce,
        Self::StrangersAdopted,
        Self::AppliedWithoutUid,
        Self::NoOwnerReference,
        Self::NoLabel,
        Self::NoRetry,
        Self::NoBackoff,
        Self::DeletedWithoutUid,
        Self::EndlessWait,
        Self::SilentFailure,
        Self::RestlessCondition,
        Self::CleanupForgets,
        Self::DriftIgnored,
        Self::ReadyWithCaches,
        Self::ElsewhereUnwatched,
    ];
}

/// Whether this thread runs with the breakage.
#[cfg(not(any(test, feature = "testing")))]
pub(crate) const fn broken(_: Breakage) -> bool {
    false
}

#[cfg(any(test, feature = "testing"))]
pub(crate) use switch::{broken, set};

#[cfg(any(test, feature = "testing"))]
mod switch {
    use std::cell::Cell;

    use super::Breakage;

    thread_local! {
        static BROKEN: Cell<Option<Breakage>> = const { Cell::new(None) };
    }

    pub(crate) fn broken(breakage: Breakage) -> bool {
        BROKEN.get() == Some(breakage)
    }

    /// Sets the breakage of this thread, or removes it.
    pub(crate) fn set(breakage: Option<Breakage>) {
        BROKEN.set(breakage);
    }
}
