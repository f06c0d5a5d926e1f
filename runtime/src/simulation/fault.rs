//! The faults of a simulation.

use std::fmt;

/// A kind of fault, or an actor that causes work for the operator. The seed determines which of
/// them occur, and how often.
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
    /// A response takes seconds to arrive.
    SlowAnswer,
    /// A connection breaks before the API server acts.
    LostRequest,
    /// A connection breaks after the API server has acted.
    LostAnswer,
    /// There is no response, and in half of the cases the API server has acted.
    Hung,
    /// A connection breaks in the middle of a response.
    HalfAnswer,
    /// The API server responds with 409 without a reason.
    Conflict,
    /// The API server responds with 429 and `Retry-After`.
    TooManyRequests,
    /// The API server responds with 500.
    InternalError,
    /// The API server responds with 503.
    Unavailable,
    /// The API server responds with 504, and in half of the cases it has acted.
    Timeout,
    /// The operator temporarily lacks permissions for a type.
    Forbidden,
    /// The API server restarts: all connections break, and new ones are temporarily refused.
    ServerRestart,
    /// The API server temporarily responds with 429 to most requests.
    Overload,
    /// A watch breaks.
    WatchCut,
    /// A watch delivers events late.
    WatchLate,
    /// A watch delivers no events until it times out.
    WatchSilent,
    /// Old revisions are compacted.
    Compaction,
    /// All watches break, and changes in between are compacted, so that only a list returns them.
    Unseen,
    /// A replica is killed.
    Kill,
    /// A replica is paused, and resumed after its Lease has expired.
    Stop,
    /// A replica is temporarily disconnected from the network.
    CutOff,
    /// A replica receives SIGTERM.
    Terminate,
    /// All replicas are replaced, one after another.
    Upgrade,
    /// The clocks of replicas differ, and run at different speeds.
    Skew,
    /// Another client edits children.
    ChildEdited,
    /// Another client deletes children.
    ChildDeleted,
    /// Another client removes labels of children.
    LabelRemoved,
    /// Another client removes owner references of children.
    OwnerRemoved,
    /// Objects of other owners have the names of children.
    Stranger,
    /// An object of another owner replaces a child during a write to it.
    Swapped,
    /// Rollouts, Jobs and Pods temporarily fail.
    FailedRollout,
    /// The garbage collector is slow.
    LateCollector,
    /// Objects are deleted in the foreground.
    Foreground,
    /// Objects are created again with the same name right after their deletion.
    MadeAgain,
    /// Objects change twice in quick succession.
    Burst,
    /// An autoscaler scales kinds with `/scale`, and workloads whose replicas nobody else sets.
    Scaled,
    /// The API server cannot reach a webhook of the operator.
    WebhookFailed,
}

impl Fault {
    /// All kinds of faults.
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

    /// Whether only a resync repairs its effect: an operator cannot see a child without its label or owner reference.
    pub(super) fn needs_resync(self) -> bool {
        matches!(self, Self::LabelRemoved | Self::OwnerRemoved)
    }

    /// Whether it restarts a process of the operator, which then lists everything and so repairs most errors.
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
        found.ok_or_else(|| format!("unknown fault `{name}`"))
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
