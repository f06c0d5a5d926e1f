//! Clients without a network.

use hyper::body::Bytes;
use hyper::{Request, Response};
use kube::Client;
use kube::client::Body;
use tower::service_fn;

/// A client whose requests are handled by a function. `namespace` is its default namespace.
pub(crate) fn answered<A, B>(namespace: &str, answer: A) -> Client
where
    A: Fn(Request<Bytes>) -> Response<B> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<tower::BoxError>> + Send + 'static,
{
    let service = service_fn(move |request: Request<Body>| {
        let answer = answer.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect_bytes().await?;
            Ok::<_, kube::Error>(answer(Request::from_parts(parts, body)))
        }
    });
    Client::new(service, namespace)
}

/// A client of an API server whose responses depend on the method, address and body of a request.
#[cfg(test)]
pub(crate) fn client<A>(answer: A) -> Client
where
    A: Fn(&hyper::Method, &hyper::Uri, &str) -> (hyper::StatusCode, String)
        + Clone
        + Send
        + 'static,
{
    answered("operator", move |request| {
        let body = String::from_utf8_lossy(request.body());
        let (code, text) = answer(request.method(), request.uri(), &body);
        let mut response = Response::new(text);
        *response.status_mut() = code;
        response
    })
}
