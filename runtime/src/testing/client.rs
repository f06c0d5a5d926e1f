//! Answers that a test makes up itself.

use hyper::{Method, Request, Response, StatusCode, Uri};
use kube::Client;
use kube::client::Body;
use tower::service_fn;

/// A client of an API server that gives these answers to each request's method, address and body.
pub(crate) fn client<A>(answer: A) -> Client
where
    A: Fn(&Method, &Uri, &str) -> (StatusCode, String) + Clone + Send + 'static,
{
    let service = service_fn(move |request: Request<Body>| {
        let answer = answer.clone();
        async move {
            let (asked, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            let body = String::from_utf8_lossy(&body);
            let (code, text) = answer(&asked.method, &asked.uri, &body);
            let mut response = Response::new(text);
            *response.status_mut() = code;
            Ok::<_, kube::Error>(response)
        }
    });
    Client::new(service, "operator")
}
