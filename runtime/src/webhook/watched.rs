//! Notifies about changes of an object.

use std::fmt::Debug;

use futures::StreamExt;
use futures::stream::BoxStream;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

/// Yields for each change of an object, and once in the beginning. Errors are ignored: the requests after a change
/// report them.
pub(super) fn watched<K>(api: Api<K>, name: &str) -> BoxStream<'static, ()>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let events = watcher::watch_object(api, name).default_backoff();
    events
        .filter_map(async |event| event.ok().map(drop))
        .boxed()
}
