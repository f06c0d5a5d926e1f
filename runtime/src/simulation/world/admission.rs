//! The webhooks of the operator: whichever replica the API server reaches answers.

use std::sync::Arc;

use serde_json::Value;

use super::World;
use crate::simulation::fault::Fault;
use crate::simulation::process::Process;

impl World {
    /// Has replicas answer the webhooks that the API server calls.
    pub(in crate::simulation) fn serve_webhooks(&self) {
        // The server belongs to the world.
        let world = Arc::downgrade(&self.0);
        self.server().webhooks(move |path, review| {
            let world = world.upgrade().ok_or("the world has ended")?;
            Self(world).webhook(path, review)
        });
    }

    /// Notes that a replica has started.
    pub(in crate::simulation) fn joined(&self, process: &Process) {
        let processes = &mut self.state().processes;
        processes.retain(|process| !process.is_dead());
        processes.push(process.clone());
    }

    fn webhook(&self, path: &str, review: &Value) -> Result<Value, String> {
        let process = {
            let mut state = self.state();
            if state.fates.has(Fault::WebhookFailed, 0.3) {
                drop(state);
                self.fault(Fault::WebhookFailed, path);
                return Err("context deadline exceeded".to_owned());
            }
            let serving = state.processes.iter();
            let serving: Vec<_> = serving
                .filter(|process| process.serves_webhooks())
                .cloned()
                .collect();
            match serving.len() {
                0 => return Err("no endpoints available for service".to_owned()),
                count => serving[state.fates.rng.usize(..count)].clone(),
            }
        };
        if !process.is_running() {
            return Err("context deadline exceeded".to_owned());
        }
        let answer = process.webhook(path, review)?;
        if answer["response"]["status"]["code"] == 500 {
            let message = answer["response"]["status"]["message"].to_string();
            self.broken("no webhook panics", None, message);
        }
        Ok(answer)
    }
}
