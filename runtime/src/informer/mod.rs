//! A watch with paging, its own backoff and reported failures. It never ends: errors are handled
//! here, so that one watch does not affect others.

mod client;
#[cfg(any(test, feature = "testing"))]
mod feed;
mod pages;
mod raw;
mod selection;
mod sink;
mod subscribers;
#[cfg(test)]
mod tests;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kube::Client;
use kube::api::Api;
use kube::runtime::watcher::{self, Event, watcher};
use tokio::time::{Instant, sleep};
use tracing::{debug, error, warn};

use crate::backoff::Backoff;
use crate::error::in_full;
use crate::health::Failures;
#[cfg(any(test, feature = "testing"))]
pub(crate) use feed::Feed;
pub(crate) use raw::Raw;
pub(crate) use selection::Selection;
pub(crate) use sink::{Follower, Sink, by_ref, map};
pub(crate) use subscribers::subscribers;

/// How many objects are asked for at a time, unless they are large.
const PAGE: u32 = 500;

/// Not longer, for what happens meanwhile is seen late by that once the API server is back.
const BACKOFF: Backoff = Backoff::exponential(Duration::from_millis(250), Duration::from_secs(3));

/// After so long without a failure, the count of failures starts again.
const WELL: Duration = Duration::from_secs(30);

/// What is watched, and how.
#[derive(Clone)]
pub(crate) struct Informer {
    /// The type, as in `deployments.apps`.
    pub(crate) kind: Arc<str>,
    /// What it is called where a watch that fails is reported.
    pub(crate) name: String,
    pub(crate) selection: Selection,
    pub(crate) failures: Arc<Failures>,
}

impl Informer {
    /// Watches for ever, and passes on what is seen.
    pub(crate) async fn run(
        self,
        client: Client,
        api: impl Fn(Client) -> Api<Raw>,
        mut sink: Box<dyn Sink>,
    ) {
        let (failures, begun) = (Arc::clone(&self.failures), sink.on_begin());
        let client = client::client(&client, self.selection.is_metadata, move |revision| {
            failures.succeeded();
            begun(revision);
        });
        let config = self.selection.config().page_size(PAGE);
        let watch = || watcher(api(client.clone()), config.clone());
        let mut events = pin!(watch());
        let mut last: Option<Instant> = None;
        let mut count = 0;
        let mut told = String::new();
        while let Some(event) = events.next().await {
            let error = match event {
                Ok(event) => {
                    // A list that begins may fail yet.
                    if !matches!(event, Event::Init) {
                        self.failures.succeeded();
                    }
                    sink.seen(by_ref(&event));
                    continue;
                }
                Err(error) => error,
            };
            sink.failed();
            let text = in_full(&error);
            match &error {
                // The event is lost: only a new list tells what it said.
                watcher::Error::WatchFailed(kube::Error::SerdeError(_)) => {
                    self.failures.failed();
                    events.set(watch());
                }
                // What was cut had begun.
                watcher::Error::WatchFailed(_) | watcher::Error::WatchError(_) => {}
                _ => self.failures.failed(),
            }
            if last.is_some_and(|last| last.elapsed() > WELL) {
                count = 0;
                told.clear();
            }
            if told == text {
                debug!(watch = self.name, error = text, "watch failed again");
            } else {
                self.report(&error);
                told = text;
            }
            last = Some(Instant::now());
            count += 1;
            sleep(BACKOFF.delay(count)).await;
        }
    }

    /// Says why a watch failed. It begins again after a while.
    fn report(&self, error: &watcher::Error) {
        let (watcher::Error::InitialListFailed(cause)
        | watcher::Error::WatchStartFailed(cause)
        | watcher::Error::WatchFailed(cause)) = error
        else {
            // Most often the API server wants the list to begin again, as it does from time to time.
            return debug!(
                watch = self.name,
                error = in_full(error),
                "watch interrupted"
            );
        };
        match cause {
            kube::Error::Api(answer) if answer.code == 404 => error!(
                watch = self.name,
                "the API server does not serve this kind: install its CRD to start this watch"
            ),
            kube::Error::Api(answer) if answer.code == 403 => {
                let (plural, group) = self.kind.split_once('.').unwrap_or((&self.kind, "\"\""));
                error!(
                    watch = self.name,
                    error = answer.message,
                    "not allowed to watch: the operator's role lacks \
                     +kubebuilder:rbac:groups={group},resources={plural},verbs=list;watch"
                );
            }
            kube::Error::Api(answer) => {
                warn!(watch = self.name, error = answer.message, "watch failed");
            }
            cause => warn!(watch = self.name, error = in_full(cause), "watch failed"),
        }
    }
}
