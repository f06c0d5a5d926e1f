//! Readiness: a replica is not ready while billing refuses its token, so a rollout with a wrong one stops.
//!
//! An outage of billing does not count. All replicas would lose their webhooks, and nobody could create a Tenant.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rop_runtime::{Context, Error, Manager, RunsOn};

use crate::State;
use crate::billing;

/// Adds the check to `/readyz`, and the task that it depends on.
pub fn register(manager: &mut Manager<State>) {
    // A replica that does not lead reconciles nothing, so it would not know.
    manager.task("billing-token", RunsOn::EveryReplica, try_token);
    let state = Arc::clone(manager.state());
    manager.ready_check("billing-token", move || {
        match state.is_refused.load(Relaxed) {
            true => Err(billing::Error::Refused.to_string()),
            false => Ok(()),
        }
    });
}

/// Tries the token until it is accepted. If it expires later, it does for all replicas, and this is not the place
/// to say so.
async fn try_token(context: Context<State>) -> Result<(), Error> {
    while !is_accepted(&context.state).await {
        tokio::select! {
            () = context.stopping() => break,
            () = tokio::time::sleep(Duration::from_secs(10)) => {}
        }
    }
    Ok(())
}

async fn is_accepted(state: &State) -> bool {
    let answer = state.billing.ping().await;
    match answer {
        Ok(()) => state.is_refused.store(false, Relaxed),
        Err(billing::Error::Refused) => state.is_refused.store(true, Relaxed),
        Err(_) => {}
    }
    answer.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::billing::InMemory;

    #[tokio::test]
    async fn a_refused_token_is_tried_again() {
        let billing = Arc::new(InMemory::default());
        let state = State::new(Arc::clone(&billing) as _);
        billing.is_refusing.store(true, Relaxed);
        assert!(!is_accepted(&state).await);
        assert!(state.is_refused.load(Relaxed));
        billing.is_refusing.store(false, Relaxed);
        assert!(is_accepted(&state).await);
        assert!(!state.is_refused.load(Relaxed));
    }
}
