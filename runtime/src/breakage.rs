//! Breakages of the library, made on purpose: a simulation that does not find one of them is blind. Without
//! the feature `testing` nothing is ever broken, and none of this is in the program.

/// A breakage of the library.
#[cfg_attr(
    not(any(test, feature = "testing")),
    expect(unreachable_pub, reason = "`simulation` shows it")
)]
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Breakage {
    /// Writes are not guarded by the lease at all.
    NoGuard,
    /// Bytes leave without a look at the clock.
    NoGate,
    /// The term counts from the answer to a renewal.
    TermFromAnswer,
    /// The lease is taken whoever has changed it since it was read.
    LeaseWithoutVersion,
    /// The lease is released while reconciles still run.
    EarlyRelease,
    /// The answer to an apply is kept, however late it is.
    LateAnswerKept,
    /// What is known of children is trusted after their watch failed: the list that follows changes nothing.
    OldCacheTrusted,
    /// The owners of children that vanished during a list are not told.
    VanishedUntold,
    /// A resync believes the cache, too.
    NeverVerified,
    /// Objects that were deleted during a list stay in the cache.
    GhostsKept,
    /// An event while an object is being reconciled is lost.
    EventLost,
    /// An object is handed out again while it is being reconciled.
    TwiceAtOnce,
    /// Objects of others are taken over.
    StrangersAdopted,
    /// An apply can reach another object of the name.
    AppliedWithoutUid,
    /// Children have no owner reference.
    NoOwnerReference,
    /// Children have no label.
    NoLabel,
    /// What failed is not tried again.
    NoRetry,
    /// What failed is tried again at once.
    NoBackoff,
    /// A deletion can reach another object of the name.
    DeletedWithoutUid,
    /// A wait for an own write can be a wait of nothing, again and again.
    EndlessWait,
    /// A failure does not reach the status.
    SilentFailure,
    /// A condition gets a new time whenever it is set.
    RestlessCondition,
    /// A cleanup leaves the children as they are.
    CleanupForgets,
    /// A child that differs is left as it is.
    DriftIgnored,
    /// Where there are webhooks, too, a replica is ready when its caches are filled.
    ReadyWithCaches,
    /// Children that may be everywhere are watched in the operator's namespace alone.
    ElsewhereUnwatched,
}

#[cfg(any(test, feature = "testing"))]
impl Breakage {
    /// All of them.
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

/// Whether the library is broken in this way.
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

    /// Breaks the library in this thread, or makes it whole.
    pub(crate) fn set(breakage: Option<Breakage>) {
        BROKEN.set(breakage);
    }
}
