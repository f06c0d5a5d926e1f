use k8s_openapi::api::core::v1::{ObjectReference, Pod};
use kube::Resource;
use kube::api::ApiResource;
use kube::runtime::watcher::Event;
use serde::Serialize;
use serde_json::{Value, json};

use super::*;

const OWNER: Option<&str> = Some("owner");
const MANAGER: &str = "app-operator";

fn names() -> Names {
    Names::new(MANAGER, None)
}

fn scope() -> Scope {
    Scope {
        kind: "configmaps".into(),
        namespace: None,
    }
}

/// A child with one field that this operator applied.
fn child(version: u64, value: &str) -> Raw {
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
                "manager": MANAGER,
                "operation": "Apply",
                "fieldsV1": { "f:data": { "f:key": {} } },
            }],
        },
        "data": { "key": value },
    });
    serde_json::from_value(object).expect("an object")
}

/// The child with another value in its metadata.
fn with(child: &Raw, field: &str, value: impl Serialize) -> Raw {
    let mut object: Value = serde_json::from_str(child.text()).expect("JSON");
    object["metadata"][field] = json!(value);
    serde_json::from_value(object).expect("an object")
}

fn wanted(value: &str) -> u64 {
    desired(&json!({ "data": { "key": value } }).to_string()).expect("JSON")
}

fn key() -> ChildKey {
    ChildKey::new(&scope().kind, Some("shop"), "web")
}

fn known(child: &Raw) -> Known {
    Known::new(child.live(), &names())
}

fn applied(version: u64, value: &str, desired: &str) -> Known {
    known(&child(version, value)).with_applied(wanted(desired))
}

/// A cache whose watch has delivered these children.
fn children(list: impl IntoIterator<Item = Raw>) -> Children {
    let children = Children::new(names());
    let mut listed = HashSet::new();
    for child in list {
        listed.insert(scope().key(&child));
        children.seen(&scope(), &child);
    }
    children.listed(&scope(), &listed);
    children.begun(&scope(), 0);
    children
}

/// Caches the response to an apply.
fn apply(children: &Children, answer: Known) -> Verdict {
    children.applied(&key(), &answer, None)
}

fn see(children: &Children, event: Event<Raw>) -> Option<OwnerChange> {
    match event {
        Event::Apply(child) => children.seen(&scope(), &child),
        Event::Delete(child) => Some(children.gone(&scope(), &child)),
        _ => None,
    }
}

fn matches(children: &Children, value: &str) -> bool {
    let known = children.get(&key()).flatten();
    known.is_some_and(|known| known.matches(wanted(value)) && known.belongs_to(OWNER))
}

#[test]
fn nothing_is_known_without_a_watch() {
    let children = Children::new(names());
    assert!(children.get(&key()).is_none());
    apply(&children, applied(1, "a", "a"));
    assert!(children.get(&key()).is_none());
}

#[test]
fn what_was_listed_is_known_and_the_rest_is_not_there() {
    let children = children([child(1, "a")]);
    assert!(matches(&children, "a"));
    assert!(!matches(&children, "b"));
    let other = children.get(&ChildKey::new(&scope().kind, Some("shop"), "other"));
    assert!(matches!(other, Some(None)));
    let secret = ChildKey::new(&"secrets".into(), Some("shop"), "web");
    assert!(children.get(&secret).is_none());
}

#[test]
fn an_edit_shows() {
    let children = children([child(1, "a")]);
    see(&children, Event::Apply(child(2, "edited")));
    assert!(!matches(&children, "a"));
}

#[test]
fn what_was_looked_at_is_compared_with_what_was_applied_before() {
    // The API server returns `0.5` like this.
    let cached = applied(3, "500m", "0.5");
    let looked = |value| known(&child(4, value)).after(&cached);
    assert!(looked("500m").matches(wanted("0.5")));
    assert!(!looked("1").matches(wanted("0.5")));
    let other = with(&child(4, "500m"), "uid", "other");
    assert!(!known(&other).after(&cached).matches(wanted("0.5")));
}

#[test]
fn the_answer_to_an_apply_is_known_at_once() {
    let children = children([child(1, "a")]);
    apply(&children, applied(3, "b", "b"));
    assert!(matches(&children, "b"));
    // The watch is late, and delivers the state before the apply.
    see(&children, Event::Apply(child(2, "a")));
    assert!(matches(&children, "b"));
}

#[test]
fn an_edit_that_the_watch_brought_before_the_answer_is_not_hidden() {
    let children = children([child(1, "a")]);
    see(&children, Event::Apply(child(4, "edited")));
    apply(&children, applied(3, "b", "b"));
    assert!(!matches(&children, "b"));
    let known = children.get(&key()).flatten().expect("known");
    assert!(known.was_applied(wanted("b")));
}

#[test]
fn what_the_api_server_writes_otherwise_is_learned() {
    let children = children([]);
    apply(&children, applied(1, "500m", "0.5"));
    assert!(matches(&children, "0.5"));
    see(&children, Event::Apply(child(2, "600m")));
    assert!(!matches(&children, "0.5"));
}

#[test]
fn only_what_belongs_to_the_owner_or_to_nobody_is_written() {
    let child = child(1, "a");
    let (owner, another) = (owner("shop", "owner"), owner("shop", "another"));
    assert!(known(&child).is_free_for(&reference(&owner)));
    assert!(!known(&child).is_free_for(&reference(&another)));
    // The owner reference was removed, or the child was orphaned.
    let child = with(&child, "ownerReferences", [(); 0]);
    assert!(known(&child).is_free_for(&reference(&another)));
    assert!(!known(&child).belongs_to(OWNER));
    // The operator owns none of its fields.
    let child = with(&child, "managedFields", [(); 0]);
    assert!(!known(&child).is_free_for(&reference(&owner)));
}

fn reference(owner: &Pod) -> ObjectReference {
    owner.object_ref(&())
}

fn pods() -> ApiResource {
    ApiResource::erase::<Pod>(&())
}

fn owner(namespace: &str, uid: &str) -> Pod {
    let metadata = json!({ "name": "web", "namespace": namespace, "uid": uid });
    serde_json::from_value(json!({ "metadata": metadata })).expect("a Pod")
}

/// A child of a deleted Pod that only annotations name: nothing garbage collects it.
#[test]
fn what_an_annotation_gives_to_a_predecessor_is_free_for_its_successor() {
    let child = with(&child(1, "a"), "ownerReferences", [(); 0]);
    let annotations = names().annotations(&owner("shop", "old"), &pods());
    let child = with(&child, "annotations", BTreeMap::from(annotations));
    let known = known(&child);
    assert!(known.is_free_for(&reference(&owner("shop", "new"))));
    assert!(!known.is_free_for(&reference(&owner("other", "new"))));
    assert!(!known.is_to_be_collected(&reference(&owner("shop", "new"))));
}

#[test]
fn the_owner_that_was_taken_off_is_remembered() {
    let children = children([child(1, "a")]);
    for version in 2..4 {
        let orphan = with(&child(version, "a"), "ownerReferences", [(); 0]);
        let news = see(&children, Event::Apply(orphan)).expect("news");
        let owner = news.owner.expect("an owner");
        assert_eq!((&*owner.name, &*owner.uid), ("web", "owner"));
        assert!(!children.get(&key()).flatten().unwrap().belongs_to(OWNER));
    }
    see(&children, Event::Apply(child(4, "a")));
    assert!(children.get(&key()).flatten().unwrap().belongs_to(OWNER));
}

#[test]
fn an_owner_elsewhere_is_in_the_annotations() {
    let mut owner = Pod::default();
    owner.metadata.name = Some("web".to_owned());
    owner.metadata.namespace = Some("shop".to_owned());
    owner.metadata.uid = Some("owner".to_owned());
    let child = with(&child(1, "a"), "ownerReferences", [(); 0]);
    let annotations = names().annotations(&owner, &pods());
    let child = with(&child, "annotations", BTreeMap::from(annotations));
    let known = known(&child);
    assert!(known.belongs_to(OWNER));
    let owner = known.owner().expect("an owner");
    assert_eq!((&*owner.kind, &*owner.group), ("Pod", ""));
    assert_eq!(
        (owner.namespace.as_deref(), &*owner.name),
        (Some("shop"), "web")
    );
}

#[test]
fn what_was_deleted_is_forgotten_but_not_what_took_its_name() {
    let children = children([child(1, "a")]);
    see(&children, Event::Delete(with(&child(2, "a"), "uid", "2")));
    assert!(matches(&children, "a"));
    see(&children, Event::Delete(child(3, "a")));
    assert!(matches!(children.get(&key()), Some(None)));
}

#[test]
fn what_a_new_list_does_not_have_is_forgotten_and_its_owner_told() {
    let children = children([child(1, "a")]);
    let gone = children.listed(&scope(), &HashSet::new());
    assert!(matches!(children.get(&key()), Some(None)));
    let [news] = &*gone else { panic!("{gone:?}") };
    let owner = news.owner.as_ref().map(|owner| &*owner.name);
    assert_eq!((owner, &*news.name), (Some("web"), "web"));
}

#[test]
fn nothing_is_certain_while_a_watch_fails() {
    let children = children([child(1, "a")]);
    children.failed(&scope());
    assert!(children.get(&key()).is_none());
    // The watch is current again even without an event.
    children.begun(&scope(), 1);
    assert!(matches(&children, "a"));
}

#[test]
fn a_late_answer_brings_no_dead_child_back() {
    let children = children([child(1, "a")]);
    see(&children, Event::Delete(child(5, "a")));
    apply(&children, applied(4, "a", "a"));
    assert!(matches!(children.get(&key()), Some(None)));
    // Nor one that was deleted while the watch was interrupted.
    children.begun(&scope(), 9);
    apply(&children, applied(8, "a", "a"));
    assert!(matches!(children.get(&key()), Some(None)));
    apply(&children, applied(10, "a", "a"));
    assert!(matches(&children, "a"));
}

/// The list may be older than the response, or newer.
#[test]
fn an_answer_beside_a_list_is_unsure_until_the_watch_begins() {
    let children = children([]);
    children.listed(&scope(), &HashSet::new());
    assert_eq!(apply(&children, applied(4, "a", "a")), Verdict::Unsure(0));
    assert!(matches!(children.get(&key()), Some(None)));
    children.begun(&scope(), 5);
    assert_eq!(apply(&children, applied(4, "a", "a")), Verdict::Unsure(5));
    assert!(matches!(children.get(&key()), Some(None)));
    assert_eq!(apply(&children, applied(6, "a", "a")), Verdict::Holds);
    assert!(matches(&children, "a"));
}

/// An apply that changes nothing also returns an old version.
#[test]
fn what_was_looked_for_is_there_unless_its_watch_has_seen_more() {
    let children = children([]);
    children.begun(&scope(), 5);
    let look = |revision| children.applied(&key(), &applied(4, "a", "a"), Some(revision));
    assert_eq!(look(4), Verdict::Unsure(5));
    assert_eq!(look(5), Verdict::Holds);
    assert!(matches(&children, "a"));
}

#[test]
fn what_was_applied_while_a_watch_failed_and_is_not_listed_is_told() {
    let children = children([]);
    children.failed(&scope());
    assert_eq!(apply(&children, applied(3, "a", "a")), Verdict::Holds);
    assert!(children.get(&key()).is_none());
    let news = children.listed(&scope(), &HashSet::new());
    let owner = news[0].owner.as_ref().map(|owner| &*owner.uid);
    assert_eq!((owner, news[0].is_gone), (OWNER, true));
    assert!(matches!(children.get(&key()), Some(None)));
}

#[test]
fn a_late_answer_does_not_replace_what_took_the_name() {
    let children = children([child(1, "a")]);
    see(&children, Event::Apply(with(&child(5, "b"), "uid", "2")));
    apply(&children, applied(4, "a", "a"));
    let known = children.get(&key()).flatten().expect("the other");
    assert_eq!(known.uid().as_deref(), Some("2"));
}

#[test]
fn what_brings_nothing_new_is_no_news() {
    let children = children([]);
    apply(&children, applied(3, "a", "a"));
    assert_eq!(see(&children, Event::Apply(child(3, "a"))), None);
    assert!(see(&children, Event::Apply(child(4, "b"))).is_some());
}

/// Parsing a child is most of the cost of an apply.
#[test]
fn what_was_seen_at_a_revision_is_not_read_again() {
    let children = children([]);
    see(&children, Event::Apply(child(3, "a")));
    // No API server responds like this.
    let other = child(3, "b");
    let answered = children.answered(&key(), &other, wanted("0"));
    assert!(answered.matches(wanted("a")) && answered.was_applied(wanted("0")));
    apply(&children, answered);
    assert_eq!(see(&children, Event::Apply(other)), None);
    assert!(matches(&children, "a"));
    let answered = children.answered(&key(), &child(4, "b"), wanted("b"));
    assert!(answered.matches(wanted("b")));
}

#[test]
fn a_child_is_completed_with_what_was_seen() {
    let seen = json!({
        "metadata": { "uid": "1", "resourceVersion": "7", "generation": 3 },
        "status": { "phase": "Running" },
    });
    let seen: Raw = serde_json::from_value(seen).expect("an object");
    let desired = r#"{ "metadata": { "name": "web" }, "spec": { "containers": [] } }"#;
    let pod: Pod = serde_json::from_str(desired).expect("a pod");
    let complete = known(&seen).complete(pod, desired).expect("a pod");
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
