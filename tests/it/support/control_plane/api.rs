//! Requests of the tests themselves: a kubectl costs 60 ms, one of these 2.

use std::thread;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::SendRequest;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use rop::control_plane::ControlPlane;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::support::net::{BoxError, Upstream, runtime};

const JSON: &str = "application/json";

/// The API server, as the administrator sees it.
pub(crate) struct Api {
    upstream: Upstream,
    authorization: String,
    connection: Mutex<Option<SendRequest<Full<Bytes>>>>,
}

impl Api {
    pub(super) fn new(plane: &ControlPlane) -> Self {
        Self {
            upstream: Upstream::new(plane.port(), &plane.authority()),
            authorization: format!("Bearer {}", plane.token()),
            connection: Mutex::default(),
        }
    }

    /// What is at a path, or null.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        match self.persist(Method::GET, path, JSON, &Value::Null) {
            Ok((404, _)) => Value::Null,
            answer => accepted(path, answer),
        }
    }

    /// Creates something in the collection at a path.
    #[track_caller]
    pub(crate) fn create(&self, path: &str, object: &Value) -> Value {
        accepted(path, self.persist(Method::POST, path, JSON, object))
    }

    /// Changes what is at a path, as `kubectl patch --type=merge` does.
    #[track_caller]
    pub(crate) fn merge(&self, path: &str, patch: &Value) -> Value {
        let kind = "application/merge-patch+json";
        accepted(path, self.persist(Method::PATCH, path, kind, patch))
    }

    /// Changes what is at a path by the operations of a JSON patch.
    #[track_caller]
    pub(crate) fn edit(&self, path: &str, operations: &Value) -> Value {
        let kind = "application/json-patch+json";
        accepted(path, self.persist(Method::PATCH, path, kind, operations))
    }

    /// Deletes what is at a path, at once.
    #[track_caller]
    pub(crate) fn delete(&self, path: &str) {
        let options = json!({"gracePeriodSeconds": 0});
        accepted(path, self.persist(Method::DELETE, path, JSON, &options));
    }

    /// The answer to a request that is made again while the API server has not yet begun: it says
    /// so with this code.
    fn persist(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: &Value,
    ) -> Result<(u16, Value), BoxError> {
        for _ in 0..100 {
            match self.send(method.clone(), path, kind, body) {
                Ok((429, _)) => thread::sleep(Duration::from_millis(100)),
                answer => return answer,
            }
        }
        Err("too many requests".into())
    }

    /// The answer to a request, or why there is none.
    pub(crate) fn send(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: &Value,
    ) -> Result<(u16, Value), BoxError> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "127.0.0.1")
            .header(AUTHORIZATION, &self.authorization)
            .header(CONTENT_TYPE, kind)
            .body(match body {
                Value::Null => Full::default(),
                body => Full::from(body.to_string()),
            })?;
        runtime().block_on(async {
            let mut connection = self.connection.lock().await;
            // The API server closes what was idle, or is another by now.
            let mut sender = match connection.take().filter(|sender| !sender.is_closed()) {
                Some(sender) => sender,
                None => self.upstream.connect().await?,
            };
            sender.ready().await?;
            let answer = sender.send_request(request).await?;
            let code = answer.status().as_u16();
            let body = answer.into_body().collect().await?.to_bytes();
            *connection = Some(sender);
            Ok((code, serde_json::from_slice(&body).unwrap_or_default()))
        })
    }
}

#[track_caller]
fn accepted(path: &str, answer: Result<(u16, Value), BoxError>) -> Value {
    let (code, body) = answer.unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(code < 300, "{path}: {code}: {}", body["message"]);
    body
}
