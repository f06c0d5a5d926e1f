//! The response to a request of a process: what the API server does, and how much of the response
//! arrives.

use std::io;
use std::sync::Arc;

use futures::stream;
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};
use kube::core::Status;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::sleep;
use tower::BoxError;

use super::body::AnswerBody;
use super::fate::{Deed, Fate, Kind, Reply};
use super::watch;
use crate::simulation::process::{Process, outside};
use crate::simulation::target::{Target, is_watch, is_write};
use crate::simulation::world::{Point, World, not_found};

/// Handles a request of a process. An error breaks the connection.
pub(super) fn answer(
    world: World,
    process: Process,
    request: Request<Incoming>,
) -> impl Future<Output = io::Result<Response<AnswerBody>>> {
    let target = Target::at(request.uri().path()).unwrap_or_default();
    let kind = Kind {
        is_write: is_write(&request),
        is_watch: is_watch(&request),
        is_lease: target.is_lease(),
    };
    let fate = world.fate_of_request(&process, &target, kind);
    let (sender, receiver) = oneshot::channel();
    let (server, name) = (world.clone(), process.name().to_owned());
    // From here on, the request is handled even if its sender dies.
    outside(async move {
        let (head, body) = request.into_parts();
        let Ok(body) = body.collect().await else {
            return;
        };
        let request = Request::from_parts(head, body.to_bytes());
        sleep(fate.arrives_after).await;
        let answer = carried_out(&server, &process, &target, request, fate).await;
        sleep(fate.answered_after).await;
        // The process may no longer wait for the response.
        let _ = sender.send(answer);
    });
    async move {
        let Ok(Some(answer)) = receiver.await else {
            return match fate.reply {
                Reply::Never => std::future::pending().await,
                _ => Err(io::ErrorKind::ConnectionReset.into()),
            };
        };
        if kind.is_watch && answer.status().is_success() {
            return Ok(answer.map(|body| watch::delivered(world, &name, body)));
        }
        Ok(answer)
    }
}

/// Lets the API server handle a request, and returns the part of the response that arrives.
async fn carried_out(
    world: &World,
    process: &Process,
    target: &Target,
    request: Request<Bytes>,
    fate: Fate,
) -> Option<Response<AnswerBody>> {
    if fate.is_swapped {
        world.swap(target);
    }
    let point = world.point(target, &request);
    let deed = match point {
        Some(Point::Before) => {
            process.kill();
            Deed::Nothing
        }
        Some(Point::Refused | Point::Failed) => Deed::Refuse(StatusCode::INTERNAL_SERVER_ERROR),
        _ => fate.deed,
    };
    let answer = match deed {
        Deed::Act => Some(world.act(process, target, request)),
        Deed::Refuse(code) => {
            world.note_refusal(process, &request, code);
            return Some(failure(code));
        }
        Deed::Nothing => {
            world.note_loss(process, &request);
            None
        }
    };
    if fate.is_undone {
        world.delete_child(target);
    }
    match point {
        Some(Point::After | Point::Deleted) => {
            process.kill();
            return None;
        }
        Some(point @ (Point::Missing | Point::Old)) => {
            return answer.map(|answer| read_at(world, target, answer, point));
        }
        _ => {}
    }
    match fate.reply {
        Reply::Whole => answer,
        Reply::Instead(code) => Some(failure(code)),
        Reply::Half => Some(half(answer?).await),
        Reply::Broken | Reply::Never => None,
    }
}

/// The response to a read that finds something else.
fn read_at(
    world: &World,
    target: &Target,
    answer: Response<AnswerBody>,
    point: Point,
) -> Response<AnswerBody> {
    let found = answer.extensions().get::<Arc<Value>>().cloned();
    let Some(found) = found.filter(|_| answer.status().is_success()) else {
        return answer;
    };
    let read = world.read_at(target, &found, point);
    if read.as_ref() != Some(&*found) {
        let what = "the response has the previous state";
        world.note("simulation", "HIDE", Some(target.clone()), what);
    }
    match read {
        Some(object) => with(StatusCode::OK, &object),
        None => with(StatusCode::NOT_FOUND, &not_found(target)),
    }
}

/// A response with an object.
fn with(code: StatusCode, object: &Value) -> Response<AnswerBody> {
    let body = Full::from(object.to_string()).map_err(|never| match never {});
    let mut answer = Response::new(body.boxed_unsync());
    *answer.status_mut() = code;
    let json = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, json);
    answer
}

/// A response whose body breaks off.
async fn half(answer: Response<AnswerBody>) -> Response<AnswerBody> {
    let (head, body) = answer.into_parts();
    let whole = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let part = whole.slice(..whole.len() / 2);
    let cut: io::Error = io::ErrorKind::ConnectionReset.into();
    let parts = [Ok(Frame::data(part)), Err(BoxError::from(cut))];
    let body = StreamBody::new(stream::iter(parts)).boxed_unsync();
    Response::from_parts(head, body)
}

/// A response of an API server that has not handled the request.
fn failure(code: StatusCode) -> Response<AnswerBody> {
    let (reason, message) = match code.as_u16() {
        403 => ("Forbidden", "not allowed for a while"),
        409 => (
            "Conflict",
            "the object has been modified; please apply your changes again",
        ),
        429 => (
            "TooManyRequests",
            "too many requests, please try again later",
        ),
        500 => ("InternalError", "an error on the server"),
        503 => (
            "ServiceUnavailable",
            "the server is currently unable to handle the request",
        ),
        _ => (
            "Timeout",
            "the server was unable to return a response in time",
        ),
    };
    let mut status = json!(Status::failure(message, reason).with_code(code.as_u16()));
    let is_early = code == StatusCode::TOO_MANY_REQUESTS;
    if is_early {
        status["details"] = json!({ "retryAfterSeconds": 1 });
    }
    let mut answer = with(code, &status);
    if is_early {
        let seconds = HeaderValue::from_static("1");
        answer.headers_mut().insert(RETRY_AFTER, seconds);
    }
    answer
}
