//! Readiness: a replica is not ready while billing rejects its token, which stops a rollout with a wrong token.
//!
//! An outage of billing does not affect readiness: otherwise no replica would serve webhooks, and Tenants could not be
//! created.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rop_runtime::{Context, Error, Manager, RunsOn};

use crate::State;
use crate::billing;

/// Adds the check to `/readyz`, and the task that it depends on.
pub fn register(manager: &mut Manager<State>) {
    // Replicas that are not the leader do not reconcile, so they need a task to check the token.
    manager.task("billing-token", RunsOn::EveryReplica, try_token);
    let state = Arc::clone(manager.state());
    manager.ready_check("billing-token", move || {
        if state.is_refused.load(Relaxed) {
            Err(billing::Error::Refused.to_string())
        } else {
            Ok(())
        }
    });
}

/// Checks the token until it is accepted. A token that expires later affects all replicas equally, so it is
/// not a matter of readiness.
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
    async fn a_rejected_token_is_retried() {
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
