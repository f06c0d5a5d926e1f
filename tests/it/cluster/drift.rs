//! What others do to the children of an object is repaired, and what is theirs is left alone.

use serde_json::{Value, json};

use super::case::{APP_SERVICES, Case, OPERATOR, RUNNERS, STORES, soon};
use super::fleet::difference;
use super::resource::{DEPLOYMENTS, PODS, Resource, SERVICES, normalise};

/// Why an object is not ready whose child is somebody else's.
const NOT_OURS: &str = "NotOwned";

#[test]
fn an_edited_field_is_put_right() {
    let Some(case) = web("drift-edited") else {
        return;
    };
    let scale = json!({"spec": {"replicas": 7}});
    // Twice, for what was repaired once is known to the operator.
    for _ in 0..2 {
        is_repaired(&case, DEPLOYMENTS, || {
            case.merge(DEPLOYMENTS, "web", &scale)
        });
    }
    let image = json!([
        {"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "evil"},
    ]);
    is_repaired(&case, DEPLOYMENTS, || case.edit(DEPLOYMENTS, "web", &image));
    let selector = json!({"spec": {"selector": {"app.kubernetes.io/instance": "evil"}}});
    is_repaired(&case, SERVICES, || case.merge(SERVICES, "web", &selector));
}

/// To the API server, a port of another number is another port: added by somebody else, while ours
/// is gone. It refuses to have both where they have no names.
#[test]
fn another_port_is_repaired_or_reported() {
    let Some(case) = web("drift-port") else {
        return;
    };
    let before = essence(&case, SERVICES, "web");
    let port = json!([{"op": "replace", "path": "/spec/ports/0/port", "value": 81}]);
    case.edit(SERVICES, "web", &port);
    soon("a repair or a report", || {
        let ready = ready(&case, APP_SERVICES);
        let message = ready["message"].as_str().unwrap_or_default();
        let is_reported = ready["reason"] == "Invalid" && message.contains("Service");
        is_reported || essence(&case, SERVICES, "web") == before
    });
    case.rests();
}

#[test]
fn a_removed_field_is_put_back() {
    let Some(case) = web("drift-removed") else {
        return;
    };
    for path in [
        "/spec/template/spec/containers/0/env",
        "/spec/template/spec/containers/0/ports",
        "/spec/template/spec/containers/0/securityContext",
        "/spec/template/spec/securityContext/seccompProfile",
    ] {
        let removal = json!([{"op": "remove", "path": path}]);
        is_repaired(&case, DEPLOYMENTS, || {
            case.edit(DEPLOYMENTS, "web", &removal)
        });
    }
}

#[test]
fn a_removed_label_is_put_back() {
    let Some(case) = web("drift-label") else {
        return;
    };
    for kind in [DEPLOYMENTS, SERVICES] {
        // Without the first, it is none of those that the operator looks for.
        for label in ["managed-by", "instance", "name"] {
            let path = format!("/metadata/labels/app.kubernetes.io~1{label}");
            let removal = json!([{"op": "remove", "path": path}]);
            is_repaired(&case, kind, || case.edit(kind, "web", &removal));
        }
    }
}

/// To give it an owner again, some clusters want the permission to delete it.
#[test]
fn a_lost_owner_is_put_back() {
    let Some(case) = web("drift-owner") else {
        return;
    };
    let removal = json!([{"op": "remove", "path": "/metadata/ownerReferences"}]);
    for kind in [SERVICES, DEPLOYMENTS] {
        is_repaired(&case, kind, || case.edit(kind, "web", &removal));
    }
}

#[test]
fn a_deleted_child_comes_back() {
    let Some(case) = web("drift-deleted") else {
        return;
    };
    // Twice, for what was made once is known to the operator.
    for kind in [DEPLOYMENTS, SERVICES, DEPLOYMENTS, SERVICES] {
        is_repaired(&case, kind, || {
            case.delete(kind, "web");
            Value::Null
        });
    }
    case.create(RUNNERS, "one", &json!({"image": "busybox:1"}));
    case.settles(RUNNERS, "one");
    let before = essence(&case, PODS, "one-pod");
    case.delete(PODS, "one-pod");
    soon("another pod", || essence(&case, PODS, "one-pod") == before);
}

/// An operator that starts has nothing to compare with but what it finds.
#[test]
fn drift_of_the_night_is_repaired() {
    let Some(mut case) = web("drift-night") else {
        return;
    };
    let before = [DEPLOYMENTS, SERVICES].map(|kind| essence(&case, kind, "web"));
    case.kill_operator();
    case.merge(DEPLOYMENTS, "web", &json!({"spec": {"replicas": 7}}));
    case.delete(SERVICES, "web");
    case.start_operator();
    soon("a repair", || {
        [DEPLOYMENTS, SERVICES].map(|kind| essence(&case, kind, "web")) == before
    });
    case.kill_operator();
    let label = json!({"metadata": {"labels": {"app.kubernetes.io/managed-by": null}}});
    case.merge(DEPLOYMENTS, "web", &label);
    case.start_operator();
    soon("a label", || {
        essence(&case, DEPLOYMENTS, "web") == before[0]
    });
}

/// What an object asks for no more is no more in its children, even where nobody saw it change.
#[test]
fn what_is_not_asked_for_goes() {
    let Some(mut case) = web("drift-gone") else {
        return;
    };
    let env = "/spec/template/spec/containers/0/env";
    let has_env = |case: &Case| case.get(DEPLOYMENTS, "web").pointer(env).is_some();
    let ask = |case: &Case, env: Value| {
        case.merge(APP_SERVICES, "web", &json!({"spec": {"env": env}}));
    };
    assert!(has_env(&case));
    ask(&case, Value::Null);
    soon("no environment", || !has_env(&case));
    ask(&case, json!([{"name": "A", "value": "b"}]));
    soon("an environment", || has_env(&case));
    case.kill_operator();
    ask(&case, Value::Null);
    case.start_operator();
    soon("no environment", || !has_env(&case));
}

#[test]
fn what_others_add_stays() {
    let Some(case) = web("drift-added") else {
        return;
    };
    case.proxy.take_requests();
    let addition = json!({
        "metadata": {"annotations": {"note": "mine"}, "labels": {"team": "blue"}},
        "spec": {"revisionHistoryLimit": 3},
    });
    let added = case.merge(DEPLOYMENTS, "web", &addition);
    case.rests();
    // A reconcile that has something to do leaves it alone too.
    case.merge(APP_SERVICES, "web", &json!({"spec": {"replicas": 5}}));
    let has = |pointer: &str, value: Value| {
        soon(pointer, || {
            case.get(DEPLOYMENTS, "web").pointer(pointer) == Some(&value)
        });
    };
    has("/spec/replicas", json!(5));
    for pointer in ["/metadata/annotations/note", "/metadata/labels/team"] {
        has(
            pointer,
            added.pointer(pointer).expect("an addition").clone(),
        );
    }
    has("/spec/revisionHistoryLimit", json!(3));
    case.rests();
}

#[test]
fn a_deployment_that_nobody_owns_is_not_taken_over() {
    Foreign {
        kind: DEPLOYMENTS,
        name: "web",
        owner: None,
    }
    .is_left_alone("drift-deployment");
}

#[test]
fn a_deployment_of_another_controller_is_not_taken_over() {
    let owner = Some("Tractor");
    Foreign {
        kind: DEPLOYMENTS,
        name: "web",
        owner,
    }
    .is_left_alone("drift-deployment-owned");
}

#[test]
fn a_service_that_nobody_owns_is_not_taken_over() {
    Foreign {
        kind: SERVICES,
        name: "web",
        owner: None,
    }
    .is_left_alone("drift-service");
}

/// Nothing that it says contradicts what the operator would: it is somebody else's all the same.
#[test]
fn a_service_that_agrees_is_not_taken_over() {
    let Some(mut case) = Case::prepare("drift-agrees") else {
        return;
    };
    let spec = json!({"ports": [{"port": 80, "protocol": "TCP"}]});
    let before = case.create(SERVICES, "web", &spec);
    case.start_operator();
    let spec = json!({"image": "nginx", "ports": [{"port": 80}]});
    case.create(APP_SERVICES, "web", &spec);
    is_refused(&case, APP_SERVICES, SERVICES, "web");
    assert_eq!(case.get(SERVICES, "web"), before);
}

#[test]
fn a_pod_that_nobody_owns_is_not_taken_over() {
    Foreign {
        kind: PODS,
        name: "web-pod",
        owner: None,
    }
    .is_left_alone("drift-pod");
}

#[test]
fn a_service_of_somebody_else_is_not_deleted() {
    let Some(mut case) = Case::prepare("drift-keep") else {
        return;
    };
    let foreign = Foreign {
        kind: SERVICES,
        name: "web",
        owner: Some("Tractor"),
    };
    let mut object = foreign.object();
    // The operator looks for this label alone, and so sees it.
    object["metadata"]["labels"]["app.kubernetes.io/managed-by"] = json!(OPERATOR);
    let path = SERVICES.all(&case.namespace);
    let before = case.plane().api().create(&path, &object);
    case.start_operator();
    case.create(APP_SERVICES, "web", &json!({"image": "nginx"}));
    case.settles(APP_SERVICES, "web");
    assert_eq!(case.get(SERVICES, "web"), before);
}

/// The one that came first keeps it.
#[test]
fn two_kinds_want_the_same_child() {
    let Some(case) = web("drift-two") else {
        return;
    };
    let before = [DEPLOYMENTS, SERVICES].map(|kind| case.get(kind, "web"));
    let spec = json!({"image": "shop", "replicas": 9, "ports": [{"port": 90}]});
    case.create(STORES, "web", &spec);
    is_refused(&case, STORES, DEPLOYMENTS, "web");
    case.rests();
    assert_eq!(
        [DEPLOYMENTS, SERVICES].map(|kind| case.get(kind, "web")),
        before
    );
    assert_ne!(ready(&case, APP_SERVICES)["reason"], NOT_OURS);

    // When that is gone, with its children, there is room for the other.
    for kind in [APP_SERVICES, DEPLOYMENTS, SERVICES] {
        case.delete(kind, "web");
    }
    case.merge(STORES, "web", &json!({"spec": {"replicas": 8}}));
    becomes_ours(&case, STORES, DEPLOYMENTS, "web");
}

/// An operator with an object, settled.
fn web(namespace: &str) -> Option<Case> {
    let case = Case::start(namespace)?;
    let spec = json!({
        "image": "nginx", "replicas": 2, "ports": [{"port": 80}],
        "env": [{"name": "A", "value": "b"}],
    });
    case.create(APP_SERVICES, "web", &spec);
    case.settles(APP_SERVICES, "web");
    Some(case)
}

/// What an operator is responsible for.
fn essence(case: &Case, kind: Resource, name: &str) -> Value {
    let mut object = case.get(kind, name);
    let metadata = &object["metadata"];
    let mut essence = json!({
        "labels": metadata["labels"],
        "owners": metadata["ownerReferences"],
        "spec": object["spec"].take(),
    });
    normalise(&mut essence, &case.namespace);
    essence
}

/// A child is after a while as it was before something was done to it.
#[track_caller]
fn is_repaired(case: &Case, kind: Resource, damage: impl FnOnce() -> Value) {
    let before = essence(case, kind, "web");
    let damaged = damage();
    let before_version = damaged["metadata"]["resourceVersion"].clone();
    soon("a repair", || {
        let now = case.get(kind, "web");
        now["metadata"]["resourceVersion"] != before_version && essence(case, kind, "web") == before
    });
    case.rests();
    let now = essence(case, kind, "web");
    assert!(now == before, "{}", difference(&before, &now));
}

/// Something that is there before an object wants it.
struct Foreign {
    kind: Resource,
    name: &'static str,
    /// The kind of its controller, where it has one.
    owner: Option<&'static str>,
}

impl Foreign {
    fn object(&self) -> Value {
        let pod = json!({"containers": [{"name": "theirs", "image": "theirs"}]});
        let labels = json!({"app": "theirs"});
        let spec = match self.kind.plural {
            "deployments" => json!({
                "replicas": 4,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            }),
            "services" => json!({"selector": labels, "ports": [{"port": 99}]}),
            _ => pod,
        };
        let mut object = self.kind.object(self.name, &spec);
        object["metadata"]["labels"] = labels;
        if let Some(kind) = self.owner {
            object["metadata"]["ownerReferences"] = json!([{
                "apiVersion": "farm.example.com/v1", "kind": kind, "name": "big",
                "uid": "00000000-0000-0000-0000-000000000001", "controller": true,
            }]);
        }
        object
    }

    #[track_caller]
    fn is_left_alone(&self, namespace: &str) {
        let Some(mut case) = Case::prepare(namespace) else {
            return;
        };
        let before = case
            .plane()
            .api()
            .create(&self.kind.all(namespace), &self.object());
        case.start_operator();
        let (parent, spec) = match self.kind.plural {
            "pods" => (RUNNERS, json!({"image": "busybox"})),
            _ => (
                APP_SERVICES,
                json!({"image": "nginx", "ports": [{"port": 80}]}),
            ),
        };
        case.create(parent, "web", &spec);
        is_refused(&case, parent, self.kind, self.name);
        case.rests();
        let after = case.get(self.kind, self.name);
        assert!(
            after == before,
            "it was touched:\n{}",
            difference(&before, &after)
        );

        // Out of the way, it is made.
        case.delete(self.kind, self.name);
        case.merge(parent, "web", &json!({"spec": {"image": "other"}}));
        becomes_ours(&case, parent, self.kind, self.name);
    }
}

/// The condition `Ready` of the object that is called web.
fn ready(case: &Case, kind: Resource) -> Value {
    let mut object = case.get(kind, "web");
    let conditions = object["status"]["conditions"].as_array_mut();
    let ready = conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == "Ready");
    ready.map(Value::take).unwrap_or_default()
}

/// The object says that a child is not its own.
#[track_caller]
fn is_refused(case: &Case, parent: Resource, child: Resource, name: &str) {
    soon("a condition", || ready(case, parent).is_object());
    case.rests();
    let ready = ready(case, parent);
    assert_eq!(
        (&ready["status"], &ready["reason"]),
        (&json!("False"), &json!(NOT_OURS)),
        "{ready:#}"
    );
    let message = ready["message"].as_str().expect("a message");
    let is_named = message.contains(name) && message.contains(child.kind);
    assert!(
        is_named,
        "{message:?} does not name the {} {name}",
        child.kind
    );
}

#[track_caller]
fn becomes_ours(case: &Case, parent: Resource, child: Resource, name: &str) {
    let owner = case.get(parent, "web")["metadata"]["uid"].clone();
    let pointer = "/metadata/ownerReferences/0/uid";
    soon("a child", || {
        case.get(child, name).pointer(pointer) == Some(&owner)
    });
    soon("another condition", || {
        ready(case, parent)["reason"] != NOT_OURS
    });
}
