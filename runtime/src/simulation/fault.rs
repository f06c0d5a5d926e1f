//! What can go wrong in a simulation.

use std::fmt;

/// A kind of fault, or somebody who makes work for the operator. Each seed draws which of them it has, and
/// how often.
///
/// ```
/// use rop_runtime::simulation::Fault;
///
/// let fault = Fault::WatchCut.to_string();
/// assert_eq!(fault.parse(), Ok(Fault::WatchCut));
/// ```
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Fault {
    /// A connection is refused.
    Refused,
    /// A request takes seconds to arrive.
    SlowRequest,
    /// An answer takes seconds to arrive.
    SlowAnswer,
    /// A connection breaks before the API server acts.
    LostRequest,
    /// A connection breaks after the API server has acted.
    LostAnswer,
    /// There is never an answer, and half of the time the API server has acted.
    Hung,
    /// A connection breaks in the middle of an answer.
    HalfAnswer,
    /// The API server answers 409 without a reason.
    Conflict,
    /// The API server answers 429 with `Retry-After`.
    TooManyRequests,
    /// The API server answers 500.
    InternalError,
    /// The API server answers 503.
    Unavailable,
    /// The API server answers 504, and half of the time it has acted.
    Timeout,
    /// For a while the operator is forbidden some type.
    Forbidden,
    /// The API server restarts: all connections break, and new ones are refused for a while.
    ServerRestart,
    /// For a while the API server answers 429 to most requests.
    Overload,
    /// A watch breaks.
    WatchCut,
    /// A watch brings everything late.
    WatchLate,
    /// A watch is silent although things happen, until its time is up.
    WatchSilent,
    /// Old revisions are forgotten.
    Compaction,
    /// All watches break, and what happens at that moment is forgotten: only a list shows it.
    Unseen,
    /// A replica is killed.
    Kill,
    /// A replica is stopped, and woken after its lease has run out.
    Stop,
    /// A replica reaches nobody for a while.
    CutOff,
    /// A replica gets SIGTERM.
    Terminate,
    /// All replicas are replaced, one after another.
    Upgrade,
    /// The clocks of replicas differ, and go at different speeds.
    Skew,
    /// Somebody edits children.
    ChildEdited,
    /// Somebody deletes children.
    ChildDeleted,
    /// Somebody takes labels off children.
    LabelRemoved,
    /// Somebody takes owner references off children.
    OwnerRemoved,
    /// Objects of others have the names of children.
    Stranger,
    /// An object of another takes the name of a child while a write to it is under way.
    Swapped,
    /// Rollouts and Jobs fail for a while.
    FailedRollout,
    /// The garbage collector is late.
    LateCollector,
    /// Objects are deleted in the foreground.
    Foreground,
    /// Objects are made again under their name right after they were deleted.
    MadeAgain,
    /// Objects change twice within a moment.
    Burst,
    /// An autoscaler scales objects that have `/scale`, and workloads whose replicas nobody else sets.
    Scaled,
    /// The API server does not reach a webhook of the operator.
    WebhookFailed,
}

impl Fault {
    /// All kinds.
    pub const ALL: [Self; 39] = [
        Self::Refused,
        Self::SlowRequest,
        Self::SlowAnswer,
        Self::LostRequest,
        Self::LostAnswer,
        Self::Hung,
        Self::HalfAnswer,
        Self::Conflict,
        Self::TooManyRequests,
        Self::InternalError,
        Self::Unavailable,
        Self::Timeout,
        Self::Forbidden,
        Self::ServerRestart,
        Self::Overload,
        Self::WatchCut,
        Self::WatchLate,
        Self::WatchSilent,
        Self::Compaction,
        Self::Unseen,
        Self::Kill,
        Self::Stop,
        Self::CutOff,
        Self::Terminate,
        Self::Upgrade,
        Self::Skew,
        Self::ChildEdited,
        Self::ChildDeleted,
        Self::LabelRemoved,
        Self::OwnerRemoved,
        Self::Stranger,
        Self::Swapped,
        Self::FailedRollout,
        Self::LateCollector,
        Self::Foreground,
        Self::MadeAgain,
        Self::Burst,
        Self::Scaled,
        Self::WebhookFailed,
    ];

    /// Whether only a resync finds what it leaves: nobody may see a child that lost its marks.
    pub(super) fn needs_resync(self) -> bool {
        matches!(self, Self::LabelRemoved | Self::OwnerRemoved)
    }

    /// Whether it restarts a process of the operator, which then lists everything and so repairs most mistakes.
    pub(super) fn restarts(self) -> bool {
        matches!(
            self,
            Self::Kill | Self::Stop | Self::CutOff | Self::Terminate | Self::Upgrade
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}

impl std::str::FromStr for Fault {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|fault| fault.to_string() == name);
        found.ok_or_else(|| format!("no fault is called `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::Fault;

    #[test]
    fn all_kinds_are_there_once_under_their_names() {
        for pair in Fault::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
        }
        assert_eq!(Fault::WebhookFailed as usize + 1, Fault::ALL.len());
        assert_eq!("HalfAnswer".parse(), Ok(Fault::HalfAnswer));
        assert!("Halfanswer".parse::<Fault>().is_err());
    }
}
