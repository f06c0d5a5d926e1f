//! Webhooks without a server, for an API server in memory.

use serde_json::Value;

use super::handler::Handlers;
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
        let answer = route.answer(path, &review.to_string(), usize::MAX);
        let answer = answer.ok_or("not a review")?;
        serde_json::from_str(&answer.text).map_err(|error| error.to_string())
    }
}
