//! Errors of reconciles: transient or terminal.

use std::error::Error as StdError;
use std::time::Duration;

use kube::core::Status;

/// The error of a reconcile.
///
/// ```
/// use rop_runtime::Error;
///
/// fn check(region: &str) -> Result<(), Error> {
///     match region {
///         "" => Err(Error::terminal("NoRegion", "`spec.region` is empty")),
///         "moon" => Err(Error::transient("the moon does not answer")),
///         _ => Ok(()),
///     }
/// }
///
/// assert_eq!(check("").unwrap_err().reason(), "NoRegion");
/// assert!(check("moon").unwrap_err().is_transient());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A transient error, which is retried with a growing delay.
    #[error("{cause}")]
    Transient {
        /// The underlying error. Logs and events contain its whole chain of causes.
        #[source]
        cause: Box<dyn StdError + Send + Sync>,
        /// The minimum delay before the retry. Without one, only the [`Backoff`](crate::Backoff) counts.
        not_before: Option<Duration>,
    },

    /// A terminal error, which persists until the object or a rule of the cluster is changed. It is
    /// reported in the status, and retried rarely, because changes of a quota or a role cause no
    /// event.
    #[error("{message}")]
    Terminal {
        /// The reason of the condition and of the event: a CamelCase identifier, such as `NoRegion`.
        reason: String,
        /// The message of the condition and of the event, for users of the object.
        message: String,
    },
}

impl Error {
    /// Creates an error that persists until someone changes something.
    pub fn terminal(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Terminal {
            reason: reason.into(),
            message: message.into(),
        }
    }

    /// Creates an error that is retried.
    pub fn transient(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Transient {
            cause: error.into(),
            not_before: None,
        }
    }

    /// Sets the earliest time of the retry, for example from the response of an external service.
    /// The backoff may be longer. Has no effect on a terminal error.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use rop_runtime::Error;
    ///
    /// let busy = Error::transient("the cloud answers 429").not_before(Duration::from_secs(90));
    /// assert!(busy.is_transient());
    /// ```
    #[must_use]
    pub fn not_before(mut self, wait: Duration) -> Self {
        if let Self::Transient { not_before, .. } = &mut self {
            *not_before = Some(wait);
        }
        self
    }

    /// Returns whether the error is transient.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Transient { .. })
    }

    /// Returns the reason for a condition: a CamelCase identifier.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Transient { .. } => "Retrying",
            Self::Terminal { reason, .. } => reason,
        }
    }
}

impl From<kube::Error> for Error {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(answer) if is_refusal(&answer) => {
                Self::terminal(reason(&answer), answer.message)
            }
            kube::Error::Api(answer) => Self::Transient {
                not_before: not_before(&answer),
                cause: answer,
            },
            // The request could not be built, for example because a name cannot be part of a path.
            kube::Error::BuildRequest(error) => Self::terminal("InvalidRequest", error.to_string()),
            error => Self::transient(error),
        }
    }
}

/// Returns whether the API server would reject the request again: it is invalid or forbidden.
/// Conflicts, rate limits and server failures are not rejections; neither is 404, because the
/// object may be created soon, nor 401, because credentials are renewed.
fn is_refusal(answer: &Status) -> bool {
    matches!(answer.code, 400 | 403 | 405 | 406 | 413 | 415 | 422)
}

/// Maximum delay from a response of the API server. A webhook or an aggregated API server can
/// return any number.
const LONGEST_DELAY: Duration = Duration::from_secs(600);

/// Returns the delay that the API server requests.
fn not_before(answer: &Status) -> Option<Duration> {
    let seconds = answer.details.as_ref()?.retry_after_seconds;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()).min(LONGEST_DELAY))
}

/// Returns the cause from the API server, such as `NamespaceTerminating`, or else the reason, such
/// as `Invalid`.
fn reason(answer: &Status) -> String {
    let causes = answer.details.iter().flat_map(|details| &details.causes);
    let named = causes
        .map(|cause| &cause.reason)
        .find(|reason| *reason == "NamespaceTerminating");
    match named.unwrap_or(&answer.reason) {
        reason if reason.is_empty() => "Refused".to_owned(),
        reason => reason.clone(),
    }
}

/// Maximum number of characters of an error in the log.
const LONGEST: usize = 2_000;

/// Formats an error with its causes in one line.
pub(super) fn in_full(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        // Many errors end with the text of their cause already.
        if !text.ends_with(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    // Others may have written parts of it.
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use kube::core::Status;
    use serde_json::json;

    use super::{Error, in_full};

    fn answer(code: u16, reason: &str) -> Error {
        kube::Error::Api(Status::failure("no", reason).with_code(code).boxed()).into()
    }

    #[test]
    fn refusals_are_terminal() {
        for (code, reason) in [(400, "BadRequest"), (403, "Forbidden"), (422, "Invalid")] {
            let error = answer(code, reason);
            assert!(!error.is_transient(), "{code}");
            assert_eq!(error.reason(), reason);
        }
    }

    #[test]
    fn what_passes_is_transient() {
        for code in [401, 404, 409, 410, 429, 500, 503, 504] {
            assert!(answer(code, "").is_transient(), "{code}");
        }
        let cut = io::Error::new(io::ErrorKind::ConnectionReset, "cut");
        assert!(Error::from(kube::Error::Service(cut.into())).is_transient());
    }

    #[test]
    fn no_answer_puts_a_retry_off_for_long() {
        for (seconds, expected) in [(0, None), (5, Some(5)), (u32::MAX, Some(600))] {
            let mut status = Status::failure("no", "").with_code(429);
            let details = json!({ "retryAfterSeconds": seconds });
            status.details = serde_json::from_value(details).unwrap();
            let Error::Transient { not_before, .. } = kube::Error::Api(status.boxed()).into()
            else {
                panic!("it passes");
            };
            assert_eq!(not_before.map(|time| time.as_secs()), expected);
        }
    }

    #[test]
    fn a_service_may_say_when_to_ask_again() {
        let wait = Duration::from_secs(90);
        let busy = Error::transient("busy").not_before(wait);
        assert!(matches!(busy, Error::Transient { not_before: Some(time), .. } if time == wait));
        let wrong = Error::terminal("Wrong", "no").not_before(wait);
        assert_eq!(wrong.reason(), "Wrong");
    }

    #[test]
    fn causes_are_named_once() {
        let error = kube::Error::Service(Box::new(io::Error::other(io::Error::other("cut"))));
        assert_eq!(in_full(&error), "ServiceError: cut");
    }
}
