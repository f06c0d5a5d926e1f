//! Kinds with a finalizer: an object goes when it is cleaned up, and not before.

use std::time::Duration;

use serde_json::{Value, json};

use super::case::{APP_SERVICES, RUNNERS};
use super::resource::{DEPLOYMENTS, PODS, Resource, SERVICES};
use super::{Operator, SOON, USER, app_service, becomes, denied, get, instances, is_accepted};
use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually};

const FINALIZER: &str = "/metadata/finalizers/0";

const SETTINGS: Resource = Resource::new("app.example.com", "v1alpha1", "settings", "Setting");
const REPLICA_SETS: Resource = Resource::new("apps", "v1", "replicasets", "ReplicaSet");

const KINDS: [(&str, &str); 3] = [
    ("AppService", "workload"),
    ("Runner", "pod"),
    ("Setting", "minimal"),
];

fn world() -> World {
    let world = World::with_project();
    for (kind, template) in KINDS {
        let create = format!("create api --group app --kind {kind} --template {template}");
        world.rop(&format!("{create} --finalizer")).ok();
    }
    world
}

fn delete(plane: &ControlPlane, kind: Resource, name: &str) {
    plane.api().delete(&kind.one("default", name));
}

/// Waits until an object is gone, and sees then that there is nothing of these.
#[track_caller]
fn goes(plane: &ControlPlane, kind: Resource, name: &str, children: &[Resource]) {
    eventually(&format!("no {}/{name}", kind.plural), SOON, || {
        get(plane, kind, name).is_null().then_some(())
    });
    for child in children {
        let left = instances(plane, *child, name);
        assert_eq!(left, [""; 0], "{name} went before its {}", child.plural);
    }
}

#[test]
fn an_object_goes_when_it_is_cleaned_up() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = world();
    let operator = Operator::start(&world, &plane, &[]);

    the_samples_come_and_go(&world, &plane);
    the_last_pod_is_waited_for(&plane);
    what_was_never_made_is_no_hindrance(&plane);
    children_stay_where_that_is_asked_for(&plane);
    assert_eq!(denied(&plane, USER), Vec::<String>::new());
    let log = operator.log();
    assert!(!log.contains("no longer selected"), "{log}");

    a_killed_operator_is_no_hindrance(&world, &plane, operator);
}

fn the_samples_come_and_go(world: &World, plane: &ControlPlane) {
    let samples = world.path().join("config/samples");
    plane.kubectl_ok(&["apply", "-k", &samples.to_string_lossy()]);
    let finalizer = json!("app.example.com/cleanup");
    let samples = [
        (APP_SERVICES, "appservice-sample"),
        (RUNNERS, "runner-sample"),
        (SETTINGS, "setting-sample"),
    ];
    for (kind, sample) in samples {
        becomes(plane, kind, sample, FINALIZER, &finalizer);
        let generation = "/status/observedGeneration";
        becomes(plane, kind, sample, generation, &json!(1));
    }
    // The pods come from the Deployment.
    eventually("a pod of the Deployment", SOON, || {
        let pods = instances(plane, PODS, "appservice-sample");
        (!pods.is_empty()).then_some(())
    });

    for (kind, sample) in samples {
        delete(plane, kind, sample);
    }
    let workload = [DEPLOYMENTS, SERVICES, REPLICA_SETS, PODS];
    goes(plane, APP_SERVICES, "appservice-sample", &workload);
    goes(plane, RUNNERS, "runner-sample", &[PODS]);
    goes(plane, SETTINGS, "setting-sample", &[]);
    eventually("an event of the cleanup", SOON, || {
        let reason = "/api/v1/namespaces/default/events?fieldSelector=reason%3DCleanedUp";
        let events = plane.api().get(reason);
        events["items"][0].is_object().then_some(())
    });
}

/// A pod takes as long as it takes to end: here, until the test lets it go.
fn the_last_pod_is_waited_for(plane: &ControlPlane) {
    let service = app_service("slow", json!({"image": "nginx"}));
    assert!(is_accepted(plane, &service));
    let pod = eventually("a pod", SOON, || instances(plane, PODS, "slow").pop());
    let hold = |finalizers: Value| {
        let patch = json!({"metadata": {"finalizers": finalizers}});
        plane.api().merge(&PODS.one("default", &pod), &patch);
    };
    hold(json!(["test.example.com/hold"]));
    delete(plane, APP_SERVICES, "slow");
    eventually("the end of the pod begins", SOON, || {
        let pod = get(plane, PODS, &pod);
        pod.pointer("/metadata/deletionTimestamp").map(drop)
    });
    // By now whatever did not wait would be gone.
    std::thread::sleep(Duration::from_secs(3));
    for kind in [APP_SERVICES, DEPLOYMENTS] {
        let is_there = get(plane, kind, "slow").is_object();
        assert!(is_there, "the {} is gone", kind.kind);
    }
    hold(json!([]));
    goes(plane, APP_SERVICES, "slow", &[DEPLOYMENTS, PODS]);
}

/// The name of the Deployment is somebody else's: the reconcile never succeeds.
fn what_was_never_made_is_no_hindrance(plane: &ControlPlane) {
    let image = "--image=nginx";
    plane.kubectl_ok(&["create", "deployment", "taken", image, "-n", "default"]);
    assert!(is_accepted(
        plane,
        &app_service("taken", json!({"image": "nginx"}))
    ));
    let reason = "/status/conditions/0/reason";
    becomes(plane, APP_SERVICES, "taken", reason, &json!("NotOwned"));
    delete(plane, APP_SERVICES, "taken");
    goes(plane, APP_SERVICES, "taken", &[SERVICES]);
    let deletion = "/metadata/deletionTimestamp";
    let deployment = get(plane, DEPLOYMENTS, "taken");
    assert!(deployment.is_object() && deployment.pointer(deletion).is_none());
}

fn children_stay_where_that_is_asked_for(plane: &ControlPlane) {
    assert!(is_accepted(
        plane,
        &app_service("kept", json!({"image": "nginx"}))
    ));
    becomes(plane, DEPLOYMENTS, "kept", "/spec/replicas", &json!(1));
    let orphan = "--cascade=orphan";
    plane.kubectl_ok(&["delete", "appservice", "kept", "-n", "default", orphan]);
    let deployment = get(plane, DEPLOYMENTS, "kept");
    assert!(deployment.is_object(), "the Deployment is gone");
    assert_eq!(deployment.pointer("/metadata/ownerReferences"), None);
    assert_eq!(deployment.pointer("/metadata/deletionTimestamp"), None);
}

/// It is killed after the cleanup, before it could take the finalizer off.
fn a_killed_operator_is_no_hindrance(world: &World, plane: &ControlPlane, operator: Operator) {
    let spec = json!({"image": "nginx", "ports": [{"port": 80}]});
    assert!(is_accepted(plane, &app_service("web", spec)));
    becomes(plane, SERVICES, "web", "/spec/ports/0/port", &json!(80));

    let role = world.read("config/rbac/role.yaml");
    let role = role.replace("name: manager-role", "name: app-operator-manager-role");
    let verbs = "verbs:\n  - list\n  - patch\n  - watch";
    assert!(role.contains(verbs), "{role}");
    let role = role.replace(verbs, "verbs:\n  - list\n  - watch");
    assert!(plane.apply(&role).status.success());
    eventually("the finalizer stays", SOON, || {
        let user = format!("--as={USER}");
        let may = plane.kubectl(&[
            "auth",
            "can-i",
            "patch",
            "appservices.app.example.com",
            &user,
        ]);
        (!may.status.success()).then_some(())
    });

    delete(plane, APP_SERVICES, "web");
    for child in [DEPLOYMENTS, SERVICES] {
        eventually(&format!("no {}", child.kind), SOON, || {
            get(plane, child, "web").is_null().then_some(())
        });
    }
    eventually("a refusal", SOON, || {
        (!denied(plane, USER).is_empty()).then_some(())
    });
    assert!(get(plane, APP_SERVICES, "web").is_object());
    a_changed_object_is_called_invalid(plane);

    drop(operator);
    let operator = Operator::start(world, plane, &[]);
    goes(plane, APP_SERVICES, "web", &[DEPLOYMENTS, SERVICES]);
    assert_eq!(operator.terminate().0, Some(0));
}

/// What the runtime takes for a reason to try again: the API server's answer to a patch whose test
/// fails is that of an object that it does not accept.
fn a_changed_object_is_called_invalid(plane: &ControlPlane) {
    let test = json!([{"op": "test", "path": FINALIZER, "value": "other"}]).to_string();
    let patch = ["patch", "appservice", "web", "-n", "default", "--type=json"];
    let answer = plane.kubectl(&[&patch[..], &["-p", &test]].concat());
    assert!(!answer.status.success());
    let mut events = plane.audited().into_iter().rev();
    let answered =
        events.find(|event| event["user"]["username"] == "admin" && event["verb"] == "patch");
    let status = &answered.expect("a patch")["responseStatus"];
    assert_eq!(
        (&status["code"], &status["reason"]),
        (&json!(422), &json!("Invalid"))
    );
}
