//! Webhooks without a server, for an in-memory API server.

use futures::FutureExt;
use serde_json::Value;

use super::answer::Reply;
use super::handler::Handlers;
use crate::simulation::process::{Unanswered, answer_webhooks};

/// Serves webhooks in a simulated process.
pub(crate) fn in_memory(handlers: Handlers) {
    answer_webhooks(move |path, review| handlers.review(path, review));
}

impl Handlers {
    /// Responds to a review immediately.
    ///
    /// # Errors
    /// If there is no response.
    pub(crate) fn review(&self, path: &str, review: &Value) -> Result<Value, Unanswered> {
        let refused = |why: &str| Unanswered::Refused(why.to_owned());
        let route = self
            .get(path)
            .ok_or_else(|| refused(&format!("no webhook is registered at {path}")))?;
        let reply = route.answer(path, &review.to_string(), usize::MAX);
        let answered = match reply.ok_or_else(|| refused("not a review"))? {
            Reply::Ready(answered) => answered,
            Reply::Waiting(waiting) => waiting
                .answered(path)
                .now_or_never()
                .ok_or(Unanswered::Waits)?,
        };
        serde_json::from_str(&answered.text).map_err(|error| refused(&error.to_string()))
    }
}
