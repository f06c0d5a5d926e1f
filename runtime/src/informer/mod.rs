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

/// The page size of lists, unless the objects are large.
const PAGE: u32 = 500;

/// With longer delays, events would be late after the API server is back.
const BACKOFF: Backoff = Backoff::exponential(Duration::from_millis(250), Duration::from_secs(3));

/// After this time without a failure, the count of failures is reset.
const WELL: Duration = Duration::from_secs(30);

/// A watch and its settings.
#[derive(Clone)]
pub(crate) struct Informer {
    /// The type, as in `deployments.apps`.
    pub(crate) kind: Arc<str>,
    /// Its name in reports of failures.
    pub(crate) name: String,
    pub(crate) selection: Selection,
    pub(crate) failures: Arc<Failures>,
}

impl Informer {
    /// Watches forever, and passes on the events.
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
                    // A list that has begun can still fail.
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
                // The event is lost: only a new list shows the state.
                watcher::Error::WatchFailed(kube::Error::SerdeError(_)) => {
                    self.failures.failed();
                    events.set(watch());
                }
                // A watch that was interrupted had begun.
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

    /// Reports why a watch failed. It restarts after a delay.
    fn report(&self, error: &watcher::Error) {
        let (watcher::Error::InitialListFailed(cause)
        | watcher::Error::WatchStartFailed(cause)
        | watcher::Error::WatchFailed(cause)) = error
        else {
            // Usually the API server asks for a new list, as it does from time to time.
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
