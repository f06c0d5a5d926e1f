use std::error::Error as StdError;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::time::Duration;

use super::SLOWEST;

/// Why a server's answer is not there, or not as a whole.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nothing arrived for so long.
    Silent(Duration),
    /// So little arrived that the time was up.
    Slow(Duration),
    /// There is more than so many bytes.
    TooLarge(u64),
    /// It leads from https to this URL.
    LeavesTls(String),
    /// Each answer leads to another.
    Redirects(usize),
    /// What was received could not be kept.
    Disk(io::Error),
    /// The connection does not come about, or breaks.
    Connection(reqwest::Error),
}

impl Failure {
    /// The innermost cause, which is the one that says something.
    pub(crate) fn cause(&self) -> String {
        let mut cause: &dyn StdError = self;
        while let Some(source) = cause.source() {
            cause = source;
        }
        cause.to_string()
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent(patience) => write!(f, "no data for {} s", patience.as_secs()),
            Self::Slow(patience) => {
                let seconds = patience.as_secs();
                write!(f, "less than {SLOWEST} bytes a second for {seconds} s")
            }
            Self::TooLarge(limit) => write!(f, "the response has more than {limit} bytes"),
            Self::LeavesTls(url) => write!(f, "a redirect from https to `{url}`"),
            Self::Redirects(most) => write!(f, "more than {most} redirects"),
            Self::Disk(error) => write!(f, "failed to save the response: {error}"),
            Self::Connection(error) => write!(f, "{error}"),
        }
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Connection(error) => error.source(),
            _ => None,
        }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let refused = error.source().and_then(|source| source.downcast_ref());
        match refused {
            Some(Refused::LeavesTls(url)) => Self::LeavesTls(url.clone()),
            Some(Refused::Redirects(most)) => Self::Redirects(*most),
            // A URL can have a secret in it; the caller names the one that it asked for.
            None => Self::Connection(error.without_url()),
        }
    }
}

/// Why a redirect is not followed.
#[derive(Debug)]
pub(super) enum Refused {
    LeavesTls(String),
    Redirects(usize),
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the redirect is not allowed")
    }
}

impl StdError for Refused {}
