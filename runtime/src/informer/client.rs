//! A client for one watch, which notices when the API server accepts the watch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::Request;
use hyper::header::{ACCEPT, HeaderValue};
use kube::Client;
use kube::client::Body;
use tokio::time::{Instant, sleep_until};
use tower::service_fn;

use super::pages::Pages;

/// The minimum interval between two starts of a watch. kube restarts a watch at once when the API server ends it, and
/// some servers end every watch at once.
const PAUSE: Duration = Duration::from_millis(500);

/// How a watch, and a list, ask for nothing but metadata
/// (<https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches>).
const METADATA: HeaderValue =
    HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
const METADATA_LIST: HeaderValue =
    HeaderValue::from_static("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");

/// A client for one watch, of whole objects or of metadata. Calls `begun` with the revision each time the API server
/// accepts the watch: its first event may come much later.
pub(super) fn client(
    client: &Client,
    is_metadata: bool,
    begun: impl Fn(u64) + Send + Sync + 'static,
) -> Client {
    let namespace = client.default_namespace().to_owned();
    let (client, begun) = (client.clone(), Arc::new(begun));
    let earliest = Arc::new(Mutex::new(Instant::now()));
    let pages = Arc::new(Pages::new());
    let service = service_fn(move |mut request: Request<Body>| {
        if is_metadata {
            let accept = match revision(&request) {
                Some(_) => METADATA,
                None => METADATA_LIST,
            };
            request.headers_mut().insert(ACCEPT, accept);
        }
        let (client, begun) = (client.clone(), Arc::clone(&begun));
        let (earliest, pages) = (Arc::clone(&earliest), Arc::clone(&pages));
        async move {
            let Some(revision) = revision(&request) else {
                return pages.get(&client, request).await;
            };
            let at = {
                let mut earliest = earliest.lock().unwrap_or_else(PoisonError::into_inner);
                let at = (*earliest).max(Instant::now());
                *earliest = at + PAUSE;
                at
            };
            sleep_until(at).await;
            let answer = client.send(request).await?;
            if answer.status().is_success() {
                begun(revision);
            }
            Ok::<_, kube::Error>(answer)
        }
    });
    Client::new(service, namespace)
}

/// The revision from which a request watches, if it is a watch.
fn revision(request: &Request<Body>) -> Option<u64> {
    let mut pairs = request.uri().query()?.split('&');
    if !pairs.clone().any(|pair| pair == "watch=true") {
        return None;
    }
    let revision = pairs.find_map(|pair| pair.strip_prefix("resourceVersion="));
    Some(revision.and_then(|text| text.parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_says_from_where() {
        let revision = |uri: &str| revision(&Request::get(uri).body(Body::empty()).unwrap());
        assert_eq!(revision("/api/v1/pods?limit=100"), None);
        assert_eq!(
            revision("/api/v1/pods?watch=true&resourceVersion=7"),
            Some(7)
        );
        assert_eq!(revision("/api/v1/pods?watch=true"), Some(0));
    }
}
