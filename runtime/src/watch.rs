//! A watch as every controller has it: in pages, with a backoff of its own, its failures reported.

use std::fmt::Debug;
use std::sync::Arc;

use futures::{Stream, StreamExt};
use hyper::Request;
use kube::api::Api;
use kube::client::Body;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use tower::service_fn;
use tracing::{debug, error, warn};

use super::backoff::WatchBackoff;
use super::error::in_full;
use super::health::Streak;

/// How many objects are asked for at a time. Each page is in memory as a whole.
const PAGE: u32 = 100;

/// The name of a type for logs: `deployments.apps`.
#[must_use]
pub fn name<K: Resource<DynamicType = ()>>() -> String {
    match &*K::group(&()) {
        "" => K::plural(&()).into_owned(),
        group => format!("{}.{group}", K::plural(&())),
    }
}

/// Watches, for ever.
pub fn events<K>(
    api: Api<K>,
    config: watcher::Config,
    name: String,
    streak: Arc<Streak>,
) -> impl Stream<Item = watcher::Result<watcher::Event<K>>> + Send + use<K>
where
    K: Clone + Debug + DeserializeOwned + Resource + Send + 'static,
{
    watcher(api, config.page_size(PAGE))
        .inspect(move |event| match event {
            // A list begins, and may fail yet.
            Ok(watcher::Event::Init) => {}
            Ok(_) => streak.end(),
            Err(error) => {
                // What was cut had begun.
                let has_begun = matches!(
                    error,
                    watcher::Error::WatchFailed(_) | watcher::Error::WatchError(_)
                );
                if !has_begun {
                    streak.fail();
                }
                report(&name, error);
            }
        })
        .backoff(WatchBackoff::default())
}

/// A client for one watch, which ends its streak of failures when the API server lets it begin: it
/// may have nothing to tell for long.
#[must_use]
pub fn client(client: &Client, streak: &Arc<Streak>) -> Client {
    let namespace = client.default_namespace().to_owned();
    let (client, streak) = (client.clone(), Arc::clone(streak));
    let service = service_fn(move |request: Request<Body>| {
        let (client, streak) = (client.clone(), Arc::clone(&streak));
        async move {
            let query = request.uri().query().unwrap_or_default();
            let is_watch = query.split('&').any(|pair| pair == "watch=true");
            let answer = client.send(request).await?;
            if is_watch && answer.status().is_success() {
                streak.end();
            }
            Ok::<_, kube::Error>(answer)
        }
    });
    Client::new(service, namespace)
}

/// Takes out of an object what no reconcile needs, for it stays in memory.
pub fn trim(object: &mut impl ResourceExt) {
    object.managed_fields_mut().clear();
}

/// Says why a watch failed. It is started again, after a while.
fn report(kind: &str, error: &watcher::Error) {
    let (watcher::Error::InitialListFailed(cause)
    | watcher::Error::WatchStartFailed(cause)
    | watcher::Error::WatchFailed(cause)) = error
    else {
        // Most often the API server wants the watch to begin anew, as it does from time to time.
        return debug!(kind, error = in_full(error), "watch interrupted");
    };
    match cause {
        kube::Error::Api(answer) if answer.code == 404 => {
            error!(
                kind,
                "the API server does not know this kind: install its CRD (kubectl apply -f config/crd/bases)"
            );
        }
        kube::Error::Api(answer) if answer.code == 403 => {
            error!(
                kind,
                error = answer.message,
                "not allowed to watch: see the operator's role"
            );
        }
        kube::Error::Api(answer) => warn!(kind, error = answer.message, "watch failed"),
        cause => warn!(kind, error = in_full(cause), "watch failed"),
    }
}
