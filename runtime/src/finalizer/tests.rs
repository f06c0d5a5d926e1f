use std::future::ready;
use std::sync::Mutex;

use hyper::StatusCode;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;
use crate::testing::client;

const NAME: &str = "example.com/cleanup";

fn object(finalizers: &[&str], deleted: Option<&str>) -> Arc<ConfigMap> {
    let metadata = json!({
        "name": "one", "namespace": "shop", "finalizers": finalizers, "deletionTimestamp": deleted,
    });
    Arc::new(serde_json::from_value(json!({ "metadata": metadata })).expect("an object"))
}

fn existing(finalizers: &[&str]) -> Arc<ConfigMap> {
    object(finalizers, None)
}

fn deleted(finalizers: &[&str]) -> Arc<ConfigMap> {
    object(finalizers, Some("2026-01-01T00:00:00Z"))
}

/// Runs one pass over an object, with an API server that responds to patches with `code`, and a cleanup that returns
/// `cleaned`. Returns the result, and the calls.
async fn pass(
    object: &Arc<ConfigMap>,
    code: u16,
    cleaned: Result<Cleanup, Error>,
) -> (Result<Action, Error>, Vec<&'static str>) {
    let done = Arc::new(Mutex::new(Vec::new()));
    let note = |what| done.lock().expect("no panic").push(what);

    let seen = Arc::clone(&done);
    let client = client(move |_, _, patch| {
        let is_removal = patch.contains(r#""op":"remove""#);
        let what = if is_removal { "taken off" } else { "put on" };
        seen.lock().expect("no panic").push(what);
        let status = StatusCode::from_u16(code).expect("an HTTP code");
        let body = json!({ "kind": "ConfigMap", "code": code });
        (status, body.to_string())
    });
    let context = crate::testing::context(client);
    let reconcile = |_, _: Context| {
        note("reconciled");
        ready(Ok(Action::await_change()))
    };
    let cleanup = |_, _: Context| {
        note("cleaned up");
        ready(cleaned)
    };
    let result = run(NAME, Arc::clone(object), context, reconcile, cleanup).await;
    let done = std::mem::take(&mut *done.lock().expect("no panic"));
    (result, done)
}

/// The calls of a pass without failures.
async fn done(object: &Arc<ConfigMap>) -> Vec<&'static str> {
    let (result, done) = pass(object, 200, Ok(Cleanup::Done)).await;
    assert_eq!(result.unwrap(), Action::await_change());
    done
}

#[tokio::test]
async fn the_finalizer_is_there_before_the_first_reconcile() {
    assert_eq!(done(&existing(&[])).await, ["put on"]);
    assert_eq!(done(&existing(&["other/one"])).await, ["put on"]);
    assert_eq!(done(&existing(&["other/one", NAME])).await, ["reconciled"]);
}

#[tokio::test]
async fn the_finalizer_goes_when_the_cleanup_is_done() {
    let object = deleted(&["other/one", NAME]);
    assert_eq!(done(&object).await, ["cleaned up", "taken off"]);
    assert_eq!(done(&deleted(&["other/one"])).await, [""; 0]);
}

#[tokio::test]
async fn a_cleanup_that_is_not_done_keeps_it() {
    let second = Duration::from_secs(1);
    for (wait, time) in [(Cleanup::WaitFor(second), second), (Cleanup::Wait, AGAIN)] {
        let (result, done) = pass(&deleted(&[NAME]), 200, Ok(wait)).await;
        let again = Action::requeue(time);
        assert_eq!((result.unwrap(), done), (again, vec!["cleaned up"]));
    }

    for error in [Error::transient("later"), Error::terminal("Never", "no")] {
        let is_transient = error.is_transient();
        let (result, done) = pass(&deleted(&[NAME]), 200, Err(error)).await;
        assert_eq!(result.unwrap_err().is_transient(), is_transient);
        assert_eq!(done, ["cleaned up"]);
    }
}

#[tokio::test]
async fn an_object_that_has_changed_is_tried_again() {
    for object in [existing(&[]), deleted(&[NAME])] {
        for (code, is_transient) in [(409, true), (422, true), (500, true), (403, false)] {
            let (result, _) = pass(&object, code, Ok(Cleanup::Done)).await;
            assert_eq!(result.unwrap_err().is_transient(), is_transient, "{code}");
        }
    }
}

#[tokio::test]
async fn an_object_that_is_gone_is_no_error() {
    for object in [existing(&[]), deleted(&[NAME])] {
        let (result, _) = pass(&object, 404, Ok(Cleanup::Done)).await;
        assert_eq!(result.unwrap(), Action::await_change());
    }
}
