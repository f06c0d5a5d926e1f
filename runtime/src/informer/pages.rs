//! Lists objects in pages that fit into memory, regardless of the size of the objects.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::http::request::Parts;
use hyper::http::uri::{PathAndQuery, Uri};
use hyper::{Request, Response};
use kube::Client;
use kube::client::Body;

use super::PAGE;

/// The maximum size of a page with more than one object. Parsed, it takes about three times as much memory.
const LARGEST: usize = 4 << 20;

/// The number of objects of the next page.
pub(super) struct Pages(AtomicU32);

impl Pages {
    pub(super) fn new() -> Self {
        Self(AtomicU32::new(PAGE))
    }

    /// Requests a page, and a smaller one if it is too large.
    pub(super) async fn get(
        &self,
        client: &Client,
        request: Request<Body>,
    ) -> kube::Result<Response<Body>> {
        let (request, _) = request.into_parts();
        loop {
            let count = self.0.load(Relaxed);
            let answer = client.send(page(request.clone(), count)).await?;
            if !answer.status().is_success() {
                return Ok(answer);
            }
            let (parts, body) = answer.into_parts();
            let most = if count > 1 { LARGEST } else { usize::MAX };
            let read = match Limited::new(body, most).collect().await {
                Ok(read) => read.to_bytes(),
                Err(error) if error.is::<LengthLimitError>() => {
                    self.0.store((count / 4).max(1), Relaxed);
                    continue;
                }
                Err(error) => return Err(kube::Error::Service(error)),
            };
            if read.len() < LARGEST / 4 {
                self.0.store((count * 2).min(PAGE), Relaxed);
            }
            return Ok(Response::from_parts(parts, Body::from(read)));
        }
    }
}

/// The request for a page of `count` objects.
fn page(mut request: Parts, count: u32) -> Request<Body> {
    let pairs = request.uri.query().unwrap_or_default().split('&');
    let rest = pairs.filter(|pair| !pair.starts_with("limit=") && !pair.is_empty());
    let query: Vec<_> = [format!("limit={count}")]
        .into_iter()
        .chain(rest.map(str::to_owned))
        .collect();
    let path = format!("{}?{}", request.uri.path(), query.join("&"));
    // An address that cannot be parsed is not changed.
    if let Ok(path) = path.parse::<PathAndQuery>() {
        let mut parts = std::mem::take(&mut request.uri).into_parts();
        parts.path_and_query = Some(path);
        request.uri = Uri::from_parts(parts).unwrap_or_default();
    }
    Request::from_parts(request, Body::empty())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use hyper::StatusCode;
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Api;
    use kube::api::ListParams;
    use tower::service_fn;

    use super::*;

    /// The `limit` of each request and the number of bytes of each page, for a server whose objects have these sizes.
    async fn pages(sizes: Vec<usize>) -> Vec<(usize, usize)> {
        let log = Arc::<Mutex<Vec<(usize, usize)>>>::default();
        let pages = Arc::new(Pages::new());
        let (noted, total) = (Arc::clone(&log), sizes.len());
        let served = crate::testing::client(move |_, uri, _| {
            let query = uri.query().unwrap_or_default();
            let value = |name: &str| {
                let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                let found = pairs.find(|(known, _)| *known == name);
                found.map_or(0, |(_, value)| value.parse::<usize>().expect("a number"))
            };
            let (from, count) = (value("continue"), value("limit"));
            let until = (from + count).min(sizes.len());
            let items: Vec<_> = (from..until)
                .map(|number| {
                    serde_json::json!({
                        "metadata": { "name": number.to_string() },
                        "data": { "a": "x".repeat(sizes[number]) },
                    })
                })
                .collect();
            noted.lock().unwrap().push((count, items.len()));
            let token = (until < sizes.len()).then(|| until.to_string());
            let list = serde_json::json!({ "metadata": { "continue": token }, "items": items });
            (StatusCode::OK, list.to_string())
        });
        let client = Client::new(
            service_fn(move |request: Request<Body>| {
                let (served, pages) = (served.clone(), Arc::clone(&pages));
                async move { pages.get(&served, request).await }
            }),
            "default",
        );
        let maps = Api::<ConfigMap>::all(client);
        let (mut params, mut read) = (ListParams::default().limit(PAGE), 0);
        loop {
            let page = maps.list(&params).await.unwrap();
            let size = serde_json::to_string(&page.items).unwrap().len();
            assert!(size <= LARGEST || page.items.len() == 1, "{size}");
            read += page.items.len();
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => break,
            }
        }
        assert_eq!(read, total);
        std::mem::take(&mut *log.lock().unwrap())
    }

    #[tokio::test]
    async fn small_objects_take_few_requests() {
        let requests = pages(vec![2_000; 1_200]).await;
        assert_eq!(requests, [(500, 500), (500, 500), (500, 200)]);
    }

    /// Small objects come first, so the first pages say nothing about the size of the others.
    #[tokio::test]
    async fn no_page_is_larger_than_memory_allows() {
        let mut sizes = vec![100; 500];
        sizes.extend([1_500_000; 20]);
        sizes.extend([5_000_000; 2]);
        sizes.extend([100; 500]);
        let requests = pages(sizes).await;
        assert!(requests.len() < 40, "{requests:?}");
        assert_eq!(requests[0], (500, 500));
        assert_eq!(requests.last().map(|(count, _)| *count > 100), Some(true));
    }
}
