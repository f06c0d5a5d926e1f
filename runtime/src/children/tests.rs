use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::{Value, json};

use super::*;

const OWNER: Option<&str> = Some("owner");

/// A child with one field that this operator applied.
fn child(version: u64, value: &str) -> Live {
    let object = json!({
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "uid": "1",
            "resourceVersion": version.to_string(),
            "ownerReferences": [
                { "apiVersion": "v1", "kind": "App", "name": "web", "uid": "owner", "controller": true },
            ],
            "managedFields": [{
                "manager": crate::FIELD_MANAGER,
                "operation": "Apply",
                "fieldsV1": { "f:data": { "f:key": {} } },
            }],
        },
        "data": { "key": value },
    });
    serde_json::from_value(object).expect("an object")
}

fn wanted(value: &str) -> u64 {
    desired(&json!({ "data": { "key": value } }).to_string()).expect("JSON")
}

fn key() -> Key {
    Key::new::<ConfigMap>("shop", "web")
}

/// Children of which a watch has seen these.
fn children(list: impl IntoIterator<Item = Live>) -> Children {
    let children = Children::default();
    see(&children, Event::Init);
    for child in list {
        see(&children, Event::InitApply(child));
    }
    see(&children, Event::InitDone);
    children
}

fn see(children: &Children, event: Event<Live>) {
    let mut listed = HashSet::new();
    if let Event::InitDone = event {
        listed.extend(children.lock().known.keys().cloned());
    }
    children.seen(&Watched::new::<ConfigMap>(None), &mut listed, &event);
}

fn is_as(children: &Children, value: &str) -> bool {
    let known = children.get(&key()).flatten();
    known.is_some_and(|known| known.is_as(wanted(value)) && known.belongs_to(OWNER))
}

#[test]
fn nothing_is_known_without_a_watch() {
    let children = Children::default();
    assert!(children.get(&key()).is_none());
    children.applied(key(), Known::applied(&child(1, "a"), wanted("a")));
    assert!(children.get(&key()).is_none());
}

#[test]
fn what_was_listed_is_known_and_the_rest_is_not_there() {
    let children = children([child(1, "a")]);
    assert!(is_as(&children, "a"));
    assert!(!is_as(&children, "b"));
    let other = children.get(&Key::new::<ConfigMap>("shop", "other"));
    assert!(matches!(other, Some(None)));
    assert!(children.get(&Key::new::<Value>("shop", "web")).is_none());
}

#[test]
fn an_edit_shows() {
    let children = children([child(1, "a")]);
    see(&children, Event::Apply(child(2, "edited")));
    assert!(!is_as(&children, "a"));
}

#[test]
fn the_answer_to_an_apply_is_known_at_once() {
    let children = children([child(1, "a")]);
    children.applied(key(), Known::applied(&child(3, "b"), wanted("b")));
    assert!(is_as(&children, "b"));
    // The watch is late, with what was there before.
    see(&children, Event::Apply(child(2, "a")));
    assert!(is_as(&children, "b"));
}

#[test]
fn an_edit_that_the_watch_brought_before_the_answer_is_not_hidden() {
    let children = children([child(1, "a")]);
    see(&children, Event::Apply(child(4, "edited")));
    children.applied(key(), Known::applied(&child(3, "b"), wanted("b")));
    assert!(!is_as(&children, "b"));
    let known = children.get(&key()).flatten().expect("known");
    assert!(known.was_as(wanted("b")));
}

#[test]
fn what_the_api_server_writes_otherwise_is_learned() {
    let children = children([]);
    children.applied(key(), Known::applied(&child(1, "500m"), wanted("0.5")));
    assert!(is_as(&children, "0.5"));
    see(&children, Event::Apply(child(2, "600m")));
    assert!(!is_as(&children, "0.5"));
}

#[test]
fn only_what_belongs_to_the_owner_or_to_nobody_is_written() {
    let mut child = child(1, "a");
    assert!(Known::new(&child).is_free_for(OWNER));
    assert!(!Known::new(&child).is_free_for(Some("another")));
    // Somebody took the owner off, or had the child orphaned.
    child.metadata.owner_references = None;
    assert!(Known::new(&child).is_free_for(Some("another")));
    assert!(!Known::new(&child).belongs_to(OWNER));
    // Nothing of it is ours.
    child.owned = None;
    assert!(!Known::new(&child).is_free_for(OWNER));
}

#[test]
fn the_owner_that_was_taken_off_is_remembered() {
    let children = children([child(1, "a")]);
    let former = || children.get(&key()).flatten()?.former_owner().cloned();
    assert!(former().is_none());
    let mut orphan = child(2, "a");
    orphan.metadata.owner_references = None;
    see(&children, Event::Apply(orphan.clone()));
    let reference = former().expect("an owner").reference::<ConfigMap>();
    assert_eq!((&*reference.name, &*reference.uid), ("web", "owner"));
    orphan.metadata.resource_version = Some("3".to_owned());
    see(&children, Event::Apply(orphan));
    assert!(former().is_some());
    see(&children, Event::Apply(child(4, "a")));
    assert!(former().is_none());
}

#[test]
fn what_was_deleted_is_forgotten_but_not_what_took_its_name() {
    let children = children([child(1, "a")]);
    let mut other = child(2, "a");
    other.metadata.uid = Some("2".to_owned());
    see(&children, Event::Delete(other));
    assert!(is_as(&children, "a"));
    see(&children, Event::Delete(child(3, "a")));
    assert!(matches!(children.get(&key()), Some(None)));
}

#[test]
fn what_a_new_list_does_not_have_is_forgotten() {
    let children = children([child(1, "a")]);
    let (watch, mut listed) = (Watched::new::<ConfigMap>(None), HashSet::new());
    children.seen(&watch, &mut listed, &Event::Init);
    children.seen(&watch, &mut listed, &Event::InitDone);
    assert!(matches!(children.get(&key()), Some(None)));
}

#[test]
fn nothing_is_certain_while_a_watch_fails() {
    let children = children([child(1, "a")]);
    children.failed(&Watched::new::<ConfigMap>(None));
    assert!(children.get(&key()).is_none());
    see(&children, Event::Apply(child(2, "a")));
    assert!(is_as(&children, "a"));
}

#[test]
fn a_child_is_completed_with_what_was_seen() {
    let seen = json!({
        "metadata": { "uid": "1", "resourceVersion": "7", "generation": 3 },
        "status": { "phase": "Running" },
    });
    let seen: Live = serde_json::from_value(seen).expect("an object");
    let desired = r#"{ "metadata": { "name": "web" }, "spec": { "containers": [] } }"#;
    let complete = Known::new(&seen).complete::<Pod>(desired);
    let complete = complete.expect("a pod");
    let metadata = &complete.metadata;
    assert_eq!(
        (&*complete.name_any(), metadata.generation),
        ("web", Some(3))
    );
    assert_eq!(metadata.resource_version.as_deref(), Some("7"));
    assert!(complete.spec.is_some());
    let status = complete.status.expect("a status");
    assert_eq!(status.phase.as_deref(), Some("Running"));
}

#[test]
fn a_child_is_new_until_it_is_written_again() {
    let written = |times: &[&str]| {
        let entries: Vec<_> = times.iter().map(|time| json!({ "time": time })).collect();
        let created = "2026-01-01T00:00:00Z";
        let metadata = json!({ "creationTimestamp": created, "managedFields": entries });
        let child = serde_json::from_value::<Live>(json!({ "metadata": metadata }));
        child.expect("an object").is_new
    };
    assert!(written(&["2026-01-01T00:00:00Z"]));
    assert!(!written(&["2026-01-01T00:00:01Z"]));
    assert!(!written(&["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]));
    assert!(!written(&[]));
}
