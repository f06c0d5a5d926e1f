//! Runs a controller: takes objects from the queue and reconciles them, up to the maximum number of
//! concurrent reconciles.

mod attempt;
mod cause;
mod failing;
mod queue;
mod verified;

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::task::coop::consume_budget;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::synced::Synced;

pub(crate) use attempt::{Attempts, OnFailure, Reconcile, Settings};
pub(crate) use cause::Cause;
pub(crate) use failing::Failing;
pub(crate) use queue::Queue;
pub(crate) use verified::Verified;

/// Waits until the first list of each watch is complete.
pub(crate) async fn listed(watches: Vec<Synced>) {
    for watch in watches {
        watch.wait().await;
    }
}

/// Runs a controller until `stop` is cancelled and the running reconciles have ended.
pub(crate) async fn run<S, K>(
    attempts: Arc<Attempts<S, K>>,
    watches: Vec<Synced>,
    stop: CancellationToken,
) where
    S: Send + Sync + 'static,
    K: crate::kinds::Reconciled,
{
    info!(controller = attempts.name, "starting");
    // Without the cached children, everything would be applied again.
    if stop.run_until_cancelled(listed(watches)).await.is_none() {
        return;
    }
    let limit = match attempts.settings.concurrency {
        0 => usize::MAX,
        limit => limit.into(),
    };
    let mut running = FuturesUnordered::new();
    loop {
        // Reconciles that never wait would block the other tasks of this thread.
        consume_budget().await;
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(()) = running.next() => {}
            (key, cause) = attempts.queue.next(), if running.len() < limit => {
                let attempts = Arc::clone(&attempts);
                running.push(async move { attempts.attempt(key, cause).await });
            }
        }
    }
    while running.next().await.is_some() {}
}
