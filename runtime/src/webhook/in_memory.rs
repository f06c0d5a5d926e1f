//! Webhooks without a server, for an API server in memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::admission::{Answering, Call, Verdict};
use super::handler::{Handlers, Route};
use crate::simulation::process::answer_webhooks;

/// Serves webhooks in a simulated process.
pub(crate) fn in_memory(handlers: Handlers) {
    answer_webhooks(move |path, review| handlers.review(path, review));
}

impl Handlers {
    /// Answers a review.
    ///
    /// # Errors
    /// No webhook has this path, or it is no review.
    pub(crate) fn review(&self, path: &str, review: &Value) -> Result<Value, String> {
        let route = self.get(path);
        let route = route.ok_or_else(|| format!("no webhook is registered at {path}"))?;
        let answering = Answering::of(review).ok_or("not a review")?;
        let handler = match route {
            Route::Admission(handler) => handler,
            Route::Conversion(kinds) => {
                return Ok(answering.respond(kinds.answer(&review["request"]).response));
            }
        };
        let verdict = match Call::read(review["request"].clone()) {
            Ok(call) => catch_unwind(AssertUnwindSafe(|| handler.answer(&call)))
                .unwrap_or_else(|_| Verdict::panicked(path)),
            Err(unreadable) => unreadable,
        };
        Ok(answering.answer(&verdict))
    }
}
