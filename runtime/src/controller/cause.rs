//! The cause of a reconcile.

use std::fmt;
use std::sync::Arc;

/// Why an object is reconciled, for log lines.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Cause {
    /// The object existed when the controller started, or when the watch listed again.
    Listed,
    /// The object was created or changed.
    Changed,
    /// A child or a referenced object has changed.
    Related {
        /// The type, as in `deployments.apps`.
        kind: Arc<str>,
        /// The name of that object, with its namespace if it differs.
        name: String,
    },
    /// A child was deleted.
    Gone {
        /// The type, as in `deployments.apps`.
        kind: Arc<str>,
        /// The name of the child, with its namespace if it differs.
        name: String,
    },
    /// A trigger outside the API server.
    Triggered,
    /// The last reconcile requested a requeue.
    Requeued,
    /// The last reconcile failed.
    Retried,
    /// The resync period has elapsed.
    Resync,
}

#[cfg(any(test, feature = "testing"))]
impl Cause {
    /// Whether it tells nothing of the deletion of the object, which may come at the same time.
    pub(super) fn may_be_late(&self) -> bool {
        !matches!(self, Self::Gone { .. } | Self::Changed | Self::Listed)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed => formatter.write_str("listed"),
            Self::Changed => formatter.write_str("changed"),
            Self::Related { kind, name } => write!(formatter, "{kind}/{name}"),
            Self::Gone { kind, name } => write!(formatter, "{kind}/{name} is gone"),
            Self::Triggered => formatter.write_str("triggered"),
            Self::Requeued => formatter.write_str("requeue"),
            Self::Retried => formatter.write_str("retry"),
            Self::Resync => formatter.write_str("resync"),
        }
    }
}
