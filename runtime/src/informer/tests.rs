//! Watches of a simulated API server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hyper::StatusCode;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use serde_json::json;
use tokio::time::timeout;

use super::*;
use crate::kinds::ChildKind;
use crate::testing::client;

/// Records the events.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(note);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Notes {
    fn seen(&mut self, event: Event<&Raw>) {
        self.add(map(event, Raw::clone).to_string());
    }
}

impl Follower for Notes {
    fn has(&self, _: &Raw) -> bool {
        false
    }

    fn failed(&mut self) {
        self.add("failed".to_owned());
    }

    fn on_begin(&self) -> Box<dyn Fn(u64) + Send + Sync> {
        let notes = self.clone();
        Box::new(move |revision| notes.add(format!("begun at {revision}")))
    }
}

fn informer() -> Informer {
    Informer {
        kind: "configmaps".into(),
        name: "configmaps".to_owned(),
        selection: Selection::default(),
        failures: Arc::default(),
    }
}

/// Watches an API server for a time. `answer` responds to its lists and watches.
async fn watch<A>(answer: A, time: Duration) -> (Informer, Notes)
where
    A: Fn(bool) -> (StatusCode, String) + Clone + Send + 'static,
{
    let client = client(move |_, uri, _| {
        let query = uri.query().unwrap_or_default();
        answer(query.contains("watch=true"))
    });
    let (informer, notes) = (informer(), Notes::default());
    let api = |client| ChildKind::of::<ConfigMap>().api(client, None);
    let running = informer.clone().run(client, api, Box::new(notes.clone()));
    let _ = timeout(time, running).await;
    (informer, notes)
}

fn list(items: &serde_json::Value) -> (StatusCode, String) {
    let list = json!({ "metadata": { "resourceVersion": "7" }, "items": items });
    (StatusCode::OK, list.to_string())
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn it_lists_and_says_from_where_it_watches() {
    let answer = |is_watch| {
        if is_watch {
            (StatusCode::OK, String::new())
        } else {
            list(&json!([{ "metadata": { "name": "a", "resourceVersion": "3" } }]))
        }
    };
    let (_, notes) = watch(answer, Duration::from_millis(10)).await;
    assert_eq!(
        notes.take(),
        ["Init", "InitApply(a)", "InitDone", "begun at 7"]
    );
}

/// kube restarts a watch at once when the API server ends it.
#[tokio::test(start_paused = true)]
async fn a_watch_that_always_ends_is_no_busy_loop() {
    let watches = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&watches);
    let answer = move |is_watch: bool| {
        if !is_watch {
            return list(&json!([]));
        }
        count.fetch_add(1, Ordering::Relaxed);
        (StatusCode::OK, String::new())
    };
    watch(answer, MINUTE).await;
    let watches = watches.load(Ordering::Relaxed);
    assert!((60..=121).contains(&watches), "{watches} in a minute");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_is_retried_with_a_pause_and_counted() {
    let lists = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lists);
    let refused = json!({ "kind": "Status", "code": 403, "reason": "Forbidden" }).to_string();
    let answer = move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        (StatusCode::FORBIDDEN, refused.clone())
    };
    let (informer, notes) = watch(answer, MINUTE).await;
    let lists = lists.load(Ordering::Relaxed);
    assert!((20..=50).contains(&lists), "{lists} in a minute");
    assert!(informer.failures.lasts_longer_than(MINUTE / 2));
    assert!(notes.take().contains(&"failed".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_not_as_its_type_holds_up_no_other() {
    let answer = |is_watch| {
        if is_watch {
            (StatusCode::OK, String::new())
        } else {
            list(&json!([
                { "metadata": { "name": "a" }, "data": "no map" },
                { "metadata": { "name": "b" } },
            ]))
        }
    };
    let (_, notes) = watch(answer, Duration::from_millis(10)).await;
    let notes = notes.take();
    assert_eq!(
        notes[..4],
        ["Init", "InitApply(a)", "InitApply(b)", "InitDone"]
    );
}

#[test]
fn an_object_is_read_as_its_type() {
    let metadata = json!({ "name": "a", "namespace": "shop", "uid": "1", "labels": { "x": "y" } });
    let raw = |data: serde_json::Value| -> Raw {
        serde_json::from_value(json!({ "metadata": metadata, "data": data })).unwrap()
    };
    let good: ConfigMap = raw(json!({ "k": "v" })).read().unwrap();
    assert_eq!(good.metadata.labels.unwrap()["x"], "y");
    let bad = raw(json!("no map")).read::<ConfigMap>().unwrap_err();
    assert_eq!(bad.error, "invalid type: string \"no map\", expected a map");
    assert_eq!(bad.metadata.namespace.as_deref(), Some("shop"));
}

/// The API server stores this if a schema preserves unknown fields.
fn nested(depth: usize) -> String {
    let (open, close) = (r#"{"a":"#.repeat(depth), "}".repeat(depth));
    format!(
        r#"{{"metadata":{{"name":"deep","resourceVersion":"8","uid":"1"}},"data":{open}1{close}}}"#
    )
}

#[tokio::test(start_paused = true)]
async fn a_deep_object_holds_up_no_other() {
    let answer = |is_watch| {
        if is_watch {
            let event = format!("{{\"type\":\"ADDED\",\"object\":{}}}\n", nested(9_000));
            return (StatusCode::OK, event);
        }
        let other = r#"{"metadata":{"name":"b"}}"#;
        let items = format!("[{},{other}]", nested(200));
        let list = format!(r#"{{"metadata":{{"resourceVersion":"7"}},"items":{items}}}"#);
        (StatusCode::OK, list)
    };
    let (informer, notes) = watch(answer, Duration::from_millis(10)).await;
    let expected = [
        "Init",
        "InitApply(deep)",
        "InitApply(b)",
        "InitDone",
        "begun at 7",
        "Apply(deep)",
    ];
    assert_eq!(notes.take(), expected);
    assert_eq!(informer.failures.total(), 0);
}

#[test]
fn a_deep_object_is_read_and_a_deeper_one_is_named() {
    let raw = |depth| -> Raw { serde_json::from_str(&nested(depth)).unwrap() };
    assert!(raw(200).read::<serde_json::Value>().is_ok());
    let invalid = raw(9_000).read::<serde_json::Value>().unwrap_err();
    assert_eq!(
        invalid.error,
        "it is nested 9001 levels deep, but at most 256 are supported"
    );
    assert_eq!(invalid.metadata.name.as_deref(), Some("deep"));
}

/// An event that cannot be read can be about any object.
#[tokio::test(start_paused = true)]
async fn after_an_unreadable_event_there_is_a_new_list() {
    let lists = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lists);
    let answer = move |is_watch: bool| {
        if is_watch {
            let event = "{\"type\":\"ADDED\",\"object\":oops}\n";
            return (StatusCode::OK, event.to_owned());
        }
        count.fetch_add(1, Ordering::Relaxed);
        list(&json!([]))
    };
    let (informer, notes) = watch(answer, MINUTE).await;
    let lists = lists.load(Ordering::Relaxed);
    assert!((10..=50).contains(&lists), "{lists} in a minute");
    assert!(informer.failures.total() >= 10);
    assert!(notes.take().contains(&"failed".to_owned()));
}

/// JSON objects are unordered.
#[test]
fn an_event_is_read_in_any_order() {
    let object = r#"{"metadata":{"name":"a","finalizers":["x"]},"data":{"k":"v"}}"#;
    for text in [
        format!(r#"{{"type":"ADDED","object":{object}}}"#),
        format!(r#"{{"object":{object},"type":"ADDED"}}"#),
    ] {
        let event: kube::core::WatchEvent<Raw> = serde_json::from_str(&text).unwrap();
        let kube::core::WatchEvent::Added(raw) = event else {
            panic!("{event:?}");
        };
        assert_eq!(
            raw.meta().finalizers.as_deref(),
            Some(&["x".to_owned()][..])
        );
        assert_eq!(raw.read::<ConfigMap>().unwrap().data.unwrap()["k"], "v");
    }
}
