use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::core::error_boundary::InvalidObject;
use kube::runtime::watcher::Event;
use serde_json::json;

use super::*;
use crate::events::Events;
use crate::informer::{Raw, Sink};
use crate::kinds::ChildKind;
use crate::synced::Synced;

fn object(name: &str, version: u64, team: &str) -> ConfigMap {
    let object = json!({
        "metadata": {
            "namespace": "shop",
            "name": name,
            "resourceVersion": version.to_string(),
            "labels": { "team": team },
        },
    });
    serde_json::from_value(object).unwrap()
}

const BY_TEAM: Index<ConfigMap> = Index::new("team", |object| {
    let labels = object.metadata.labels.iter().flatten();
    labels.map(|(_, team)| team.clone()).collect()
});

fn key(name: &str) -> Key {
    Key::new(Some("shop"), name)
}

fn sink(cache: &Arc<Cache<ConfigMap>>) -> CacheSink<ConfigMap> {
    CacheSink {
        cache: Arc::clone(cache),
        kind: ChildKind::of::<ConfigMap>(),
        namespace: None,
        listed: HashSet::new(),
        synced: Synced::default(),
        events: Arc::new(Events::new().0),
    }
}

fn list(sink: &mut CacheSink<ConfigMap>, objects: impl IntoIterator<Item = ConfigMap>) {
    sink.take(Event::Init);
    for object in objects {
        sink.take(Event::InitApply(Ok(object)));
    }
    sink.take(Event::InitDone);
}

/// The deletion event has the state of the object before its last finalizer was removed.
#[test]
fn an_object_with_a_finalizer_has_left_unless_it_was_being_deleted() {
    let cache = Arc::<Cache<ConfigMap>>::default();
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    cache.subscribe(move |change| match change {
        Change::Applied { .. } => {}
        Change::Deleted(_) => log.lock().unwrap().push("deleted"),
        Change::Left(_) => log.lock().unwrap().push("left"),
    });
    let mut sink = sink(&cache);
    let mut web = object("web", 1, "blue");
    for (finalizers, deleted) in [(0, false), (1, false), (1, true)] {
        web.metadata.finalizers = Some(vec!["example.com/a".to_owned(); finalizers]);
        web.metadata.deletion_timestamp = deleted.then_some(Time(Timestamp::UNIX_EPOCH));
        list(&mut sink, [web.clone()]);
        sink.take(Event::Delete(Ok(web.clone())));
    }
    assert_eq!(*told.lock().unwrap(), ["deleted", "left", "deleted"]);
}

#[test]
fn an_index_that_panics_costs_no_object() {
    const BROKEN: Index<ConfigMap> = Index::new("broken", |_| panic!("on purpose"));
    let store = Store(Arc::<Cache<ConfigMap>>::default());
    assert!(store.by(&BROKEN, "blue").is_empty());
    store.0.apply(Arc::new(object("web", 1, "blue")), false);
    store.0.apply(Arc::new(object("web", 2, "red")), false);
    assert_eq!(store.list().len(), 1);
    assert_eq!(store.by(&BY_TEAM, "red").len(), 1);
}

#[test]
fn an_index_follows_the_objects() {
    let store = Store(Arc::<Cache<ConfigMap>>::default());
    let names = |team: &str| -> Vec<_> {
        let found = store.by(&BY_TEAM, team).into_iter();
        found
            .map(|object| object.metadata.name.clone().unwrap())
            .collect()
    };
    store.0.apply(object("b", 1, "red").into(), false);
    assert_eq!(names("red"), ["b"]);
    store.0.apply(object("a", 2, "red").into(), false);
    assert_eq!(names("red"), ["a", "b"]);
    store.0.apply(object("b", 3, "blue").into(), false);
    assert_eq!(
        (names("red"), names("blue")),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
    store.0.delete(&key("a"));
    assert!(names("red").is_empty());
}

#[test]
fn what_is_older_than_what_is_known_is_not_kept() {
    let cache = Cache::default();
    cache.apply(object("a", 10, "new").into(), false);
    cache.apply(object("a", 9, "old").into(), false);
    let labels = cache.get(&key("a")).unwrap().metadata.labels.clone();
    assert_eq!(labels.unwrap()["team"], "new");
}

#[test]
fn what_a_new_list_does_not_have_is_deleted_and_told() {
    let cache = Arc::<Cache<ConfigMap>>::default();
    let mut sink = sink(&cache);
    list(&mut sink, [object("a", 1, "red"), object("b", 2, "red")]);
    let deleted = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&deleted);
    cache.subscribe(move |change| {
        if let Change::Deleted(object) = change {
            seen.lock()
                .unwrap()
                .push(object.metadata.name.clone().unwrap());
        }
    });
    list(&mut sink, [object("b", 2, "red")]);
    assert_eq!(*deleted.lock().unwrap(), ["a"]);
    assert!(cache.get(&key("a")).is_none() && cache.get(&key("b")).is_some());
}

#[test]
fn an_unreadable_object_holds_up_no_other() {
    let cache = Arc::<Cache<ConfigMap>>::default();
    let mut sink = sink(&cache);
    let bad = || {
        Err(Box::new(InvalidObject {
            error: "missing field `size`".to_owned(),
            metadata: object("bad", 1, "red").metadata,
        }))
    };
    sink.take(Event::Init);
    sink.take(Event::InitApply(bad()));
    sink.take(Event::InitApply(Ok(object("good", 2, "red"))));
    sink.take(Event::InitDone);
    assert!(sink.synced.is_set());
    assert!(cache.get(&key("good")).is_some());
    assert_eq!((cache.len(), cache.unreadable()), (1, 1));
    assert!(
        !cache.cannot_read(&key("bad"), "missing field `size`"),
        "told once"
    );

    // It is returned again when it can be read, and removed when it is deleted.
    sink.take(Event::Apply(Ok(object("bad", 3, "red"))));
    assert_eq!((cache.len(), cache.unreadable()), (2, 0));
    sink.take(Event::Apply(bad()));
    assert_eq!((cache.len(), cache.unreadable()), (1, 1));
    list(&mut sink, [object("good", 2, "red")]);
    assert_eq!((cache.len(), cache.unreadable()), (1, 0));
}

#[test]
fn handlers_get_what_was_there_before() {
    let cache = Cache::default();
    let changes = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&changes);
    cache.subscribe(move |change: &Change<'_, ConfigMap>| {
        if let Change::Applied { old: Some(_), .. } = change {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    cache.apply(object("a", 1, "red").into(), false);
    assert_eq!(changes.load(Ordering::Relaxed), 0);
    cache.apply(object("a", 2, "red").into(), false);
    assert_eq!(changes.load(Ordering::Relaxed), 1);
}

/// The conditions are those of the objects that the watch has delivered, readable or not.
#[test]
fn conditions_follow_the_watch() {
    let cache = Arc::<Cache<ConfigMap>>::default();
    let mut sink = sink(&cache);
    let ready = |name: &str, status: &str, data: serde_json::Value| -> Raw {
        let object = json!({
            "metadata": { "namespace": "shop", "name": name, "resourceVersion": "1" },
            "data": data,
            "status": { "conditions": [{ "type": "Ready", "status": status }] },
        });
        serde_json::from_value(object).unwrap()
    };
    let first = ready("a", "True", json!({}));
    sink.seen(Event::Apply(&first));
    assert_eq!(cache.conditions(), [], "nobody counts them");

    cache.count_conditions();
    let count = |status| {
        let counts = cache.conditions();
        let of_status = counts.iter().find(|count| count.status == status);
        of_status.map_or(0, |count| count.objects)
    };
    sink.seen(Event::Init);
    sink.seen(Event::InitApply(&first));
    sink.seen(Event::InitApply(&ready("b", "False", json!("unreadable"))));
    sink.seen(Event::InitDone);
    assert_eq!([Status::True, Status::False].map(count), [1, 1]);

    sink.seen(Event::Apply(&ready("a", "False", json!({}))));
    assert_eq!([Status::True, Status::False].map(count), [0, 2]);
    sink.seen(Event::Delete(&ready("a", "False", json!({}))));
    assert_eq!(count(Status::False), 1);
    sink.seen(Event::Init);
    sink.seen(Event::InitDone);
    assert_eq!(count(Status::False), 0);
}
