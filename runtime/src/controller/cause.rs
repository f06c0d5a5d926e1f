//! Why an object is reconciled.

use std::fmt;
use std::sync::Arc;

/// Why an object is reconciled, for its log lines.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Cause {
    /// It was there when the controller started, or when the watch listed everything again.
    Listed,
    /// It was created or changed.
    Changed,
    /// Something happened to an object that it owns or refers to.
    Related {
        /// The type, as in `deployments.apps`.
        kind: Arc<str>,
        /// The name of that object, with its namespace if that is another.
        name: String,
    },
    /// An object that it owns is gone.
    Gone {
        /// The type, as in `deployments.apps`.
        kind: Arc<str>,
        /// The name of that object, with its namespace if that is another.
        name: String,
    },
    /// Something outside of the API server asked for it.
    Triggered,
    /// The reconcile asked to be called again.
    Requeued,
    /// The reconcile failed.
    Retried,
    /// Nothing happened to it for the resync period.
    Resync,
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
