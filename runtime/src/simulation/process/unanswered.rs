//! The reason why a review has no response.

use std::fmt;

/// The reason why a review has no response.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "webhook"),
    expect(dead_code, reason = "nothing answers")
)]
pub(crate) enum Unanswered {
    /// No webhook has this path, or the request is not a review.
    Refused(String),
    /// The webhook waits, but nothing else can run during a request to this server.
    Waits,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => f.write_str(why),
            Self::Waits => f.write_str(
                "context deadline exceeded: the webhook waits for a cache that is not filled, or for what an API \
                 server in memory cannot give while it asks a webhook",
            ),
        }
    }
}
