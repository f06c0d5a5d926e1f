//! Computes the response to a review without blocking others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tracing::{debug, error};

use super::admission::{Answering, Call, ReviewRequest, Verdict};
use super::conversion;
use super::handler::{Handled, Route};
use crate::short::short;
use crate::spawn::spawn_blocking;

/// The size in bytes up to which a review is parsed immediately: that is faster than to use another thread.
const SMALL: usize = 16 << 10;

/// The data of a review that is parsed first.
pub(super) struct Begun {
    /// The review for the log.
    pub(super) described: String,
    /// The approximate memory that the response needs.
    pub(super) weight: usize,
}

/// The response to a review, now or when an asynchronous function completes.
pub(super) enum Reply {
    Ready(Answered),
    Waiting(Waiting),
}

/// A review that waits for its response.
pub(super) struct Waiting {
    answering: Answering,
    verdict: BoxFuture<'static, Verdict>,
}

/// A response.
pub(super) struct Answered {
    pub(super) text: String,
    /// Whether a user function panicked.
    pub(super) has_panicked: bool,
}

/// Parses the first data of a review. `None` if it is not a review.
pub(super) async fn begun(text: Arc<String>, route: Route) -> Option<Begun> {
    if text.len() <= SMALL {
        return route.begin(&text);
    }
    spawn_blocking(move || route.begin(&text)).await.ok()?
}

impl Route {
    fn begin(&self, text: &str) -> Option<Begun> {
        let ReviewRequest { request, .. } = ReviewRequest::read(text)?;
        let (described, weight) = match self {
            Self::Conversion(_) => ("a conversion".to_owned(), conversion::weight(request)),
            Self::Admission(handler) => match Call::read(request) {
                Ok(call) => (call.described(), handler.weight(&call)),
                Err(_) => ("a review that cannot be read".to_owned(), 0),
            },
        };
        Some(Begun { described, weight })
    }

    /// Responds to a review, within this much memory. `None` if it is not a review.
    pub(super) fn answer(&self, path: &str, text: &str, most: usize) -> Option<Reply> {
        let ReviewRequest { answering, request } = ReviewRequest::read(text)?;
        let handler = match self {
            Self::Conversion(kinds) => {
                let answer = kinds.answer(request, most);
                if let Some(why) = answer.why() {
                    error!("a conversion failed: {}", short(why));
                }
                return Some(Reply::Ready(Answered {
                    text: answering.respond(&answer),
                    has_panicked: answer.has_panicked,
                }));
            }
            Self::Admission(handler) => handler,
        };
        let outcome = match Call::read(request) {
            Ok(call) => catch_unwind(AssertUnwindSafe(|| handler.answer(&call, most))),
            Err(unreadable) => Ok(Handled::Now(unreadable)),
        };
        Some(match outcome {
            Ok(Handled::Now(verdict)) => Reply::Ready(answered(path, &answering, Ok(verdict))),
            Ok(Handled::Later(verdict)) => Reply::Waiting(Waiting { answering, verdict }),
            Err(panic) => Reply::Ready(answered(path, &answering, Err(panic))),
        })
    }
}

impl Waiting {
    pub(super) async fn answered(self, path: &str) -> Answered {
        let verdict = AssertUnwindSafe(self.verdict).catch_unwind().await;
        answered(path, &self.answering, verdict)
    }
}

fn answered(path: &str, answering: &Answering, verdict: std::thread::Result<Verdict>) -> Answered {
    let has_panicked = verdict.is_err();
    let verdict = verdict.unwrap_or_else(|_| Verdict::panicked(path));
    debug!(allowed = verdict.is_allowed(), "webhook called at {path}");
    Answered {
        text: answering.answer(&verdict),
        has_panicked,
    }
}
