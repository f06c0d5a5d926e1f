//! Generated operators against a real API server: under the role that rop generated, and no other.
//!
//! Skipped, with a line that says so, where `KUBEBUILDER_ASSETS` is not set.

mod case;
mod concurrency;
mod connection;
mod contention;
mod crash;
mod drift;
mod e2e;
mod faults;
mod finalizer;
mod fleet;
mod library;
mod metrics;
pub(crate) mod operator;
mod otlp;
mod privilege;
mod resource;
mod suite;
mod versions;
mod webhooks;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually};
use case::APP_SERVICES;
use operator::Operator;
use resource::{DEPLOYMENTS, PODS, Resource, SERVICES};

const SOON: Duration = Duration::from_secs(30);

/// An object as the API server has it, or null.
fn get(plane: &ControlPlane, kind: Resource, name: &str) -> Value {
    plane.api().get(&kind.one("default", name))
}

/// The names of the objects of a kind that have a value for the label of the instance.
fn instances(plane: &ControlPlane, kind: Resource, instance: &str) -> Vec<String> {
    let label = format!("?labelSelector=app.kubernetes.io%2Finstance%3D{instance}");
    let list = plane.api().get(&(kind.all("default") + &label));
    let items = list["items"].as_array().expect("a list");
    let names = items.iter().map(|item| item["metadata"]["name"].as_str());
    names.map(|name| name.expect("a name").to_owned()).collect()
}

/// Waits until a field of an object has a value.
#[track_caller]
fn becomes(plane: &ControlPlane, kind: Resource, name: &str, pointer: &str, value: &Value) {
    let what = format!("{}/{name} {pointer} = {value}", kind.plural);
    eventually(&what, SOON, || {
        (get(plane, kind, name).pointer(pointer) == Some(value)).then_some(())
    });
}

/// Applies an object, and tells whether the API server took it.
fn is_accepted(plane: &ControlPlane, object: &Value) -> bool {
    plane.apply(&object.to_string()).status.success()
}

fn app_service(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "app.example.com/v1alpha1",
        "kind": "AppService",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    })
}

/// Every request of the operator that the API server refused to it.
fn denied(plane: &ControlPlane, user: &str) -> Vec<String> {
    let events = plane.audited().into_iter();
    events
        .filter(|event| event["user"]["username"] == user && event["responseStatus"]["code"] == 403)
        .map(|event| format!("{} {}", event["verb"], event["requestURI"]))
        .collect()
}

const USER: &str = "system:serviceaccount:app-operator-system:app-operator-controller-manager";

const NAME: &str = "appservice-sample";

#[test]
fn a_workload_is_kept_as_it_should_be() {
    let Some(mut plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    let operator = Operator::start(&world, &plane, &[]);
    let sample = world
        .path()
        .join("config/samples/app_v1alpha1_appservice.yaml");
    plane.kubectl_ok(&["apply", "-f", &sample.to_string_lossy()]);

    the_sample_gets_its_children(&plane);
    it_is_ready_when_its_pods_are(&plane);
    at_rest_nothing_is_written(&plane);
    children_are_repaired(&plane);
    ports_come_and_go(&plane);

    assert_eq!(denied(&plane, USER), Vec::<String>::new());

    // The API server goes away and comes back. It denies everything until it has read its own rules.
    plane.restart_api_server();
    plane.kubectl_ok(&["scale", "appservice", NAME, "-n", "default", "--replicas=5"]);
    becomes(&plane, DEPLOYMENTS, NAME, "/spec/replicas", &json!(5));
    let (code, time) = operator.terminate();
    assert_eq!(code, Some(0));
    assert!(time < Duration::from_secs(10), "{time:?}");
}

fn the_sample_gets_its_children(plane: &ControlPlane) {
    becomes(plane, DEPLOYMENTS, NAME, "/spec/replicas", &json!(1));
    becomes(plane, SERVICES, NAME, "/spec/ports/0/port", &json!(80));
    let uid = get(plane, APP_SERVICES, NAME)["metadata"]["uid"].clone();
    for child in [DEPLOYMENTS, SERVICES] {
        becomes(plane, child, NAME, "/metadata/ownerReferences/0/uid", &uid);
    }
    becomes(
        plane,
        APP_SERVICES,
        NAME,
        "/status/observedGeneration",
        &json!(1),
    );
    assert_eq!(ready(plane), "False");
}

/// The status of the condition `Ready`.
fn ready(plane: &ControlPlane) -> String {
    let object = get(plane, APP_SERVICES, NAME);
    let conditions = object["status"]["conditions"].as_array();
    let ready =
        conditions.and_then(|all| all.iter().find(|condition| condition["type"] == "Ready"));
    let status = ready.and_then(|ready| ready["status"].as_str());
    status.unwrap_or_default().to_owned()
}

/// The test plays the controller of the Deployment.
fn it_is_ready_when_its_pods_are(plane: &ControlPlane) {
    let status = json!({"status": {
        "observedGeneration": get(plane, DEPLOYMENTS, NAME)["metadata"]["generation"],
        "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
    }});
    let patch = [
        "patch",
        "deployment",
        NAME,
        "-n",
        "default",
        "--subresource=status",
        "--type=merge",
        "-p",
    ];
    plane.kubectl_ok(&[&patch[..], &[&status.to_string()]].concat());
    eventually("Ready is True", SOON, || {
        (ready(plane) == "True").then_some(())
    });
}

fn at_rest_nothing_is_written(plane: &ControlPlane) {
    let version = |kind| get(plane, kind, NAME)["metadata"]["resourceVersion"].clone();
    let before = [APP_SERVICES, DEPLOYMENTS, SERVICES].map(version);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!([APP_SERVICES, DEPLOYMENTS, SERVICES].map(version), before);
}

fn children_are_repaired(plane: &ControlPlane) {
    plane.kubectl_ok(&["scale", "deployment", NAME, "-n", "default", "--replicas=7"]);
    becomes(plane, DEPLOYMENTS, NAME, "/spec/replicas", &json!(1));
    for child in [DEPLOYMENTS, SERVICES] {
        let uid = get(plane, child, NAME)["metadata"]["uid"].clone();
        plane.api().delete(&child.one("default", NAME));
        eventually(&format!("another {}", child.kind), SOON, || {
            let now = get(plane, child, NAME)["metadata"]["uid"].clone();
            (now.is_string() && now != uid).then_some(())
        });
    }
}

fn ports_come_and_go(plane: &ControlPlane) {
    plane.kubectl_ok(&["scale", "appservice", NAME, "-n", "default", "--replicas=3"]);
    becomes(plane, DEPLOYMENTS, NAME, "/spec/replicas", &json!(3));
    let ports = |ports: Value| {
        let spec = json!({"spec": {"ports": ports}}).to_string();
        plane.kubectl_ok(&[
            "patch",
            "appservice",
            NAME,
            "-n",
            "default",
            "--type=merge",
            "-p",
            &spec,
        ]);
    };
    ports(json!([{"port": 80, "nodePort": 30002, "targetPort": 8080}]));
    becomes(plane, SERVICES, NAME, "/spec/type", &json!("NodePort"));
    becomes(
        plane,
        SERVICES,
        NAME,
        "/spec/ports/0/nodePort",
        &json!(30002),
    );
    ports(json!([]));
    eventually("no Service", SOON, || {
        get(plane, SERVICES, NAME).is_null().then_some(())
    });
}

/// With Kubernetes' own controllers: pods come to be, and go with the object.
#[test]
fn children_go_with_their_owner() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::with_api();
    let operator = Operator::start(&world, &plane, &[]);
    assert!(is_accepted(
        &plane,
        &app_service(
            "web",
            json!({"image": "nginx", "replicas": 2, "ports": [{"port": 80}]})
        )
    ));
    // The garbage collector looks for new kinds every 30 s, and knows nothing of their objects before.
    let pods = |count: usize| {
        eventually(&format!("{count} pods"), 3 * SOON, || {
            (instances(&plane, PODS, "web").len() == count).then_some(())
        });
    };
    pods(2);
    plane.kubectl_ok(&["delete", "appservice", "web", "-n", "default"]);
    pods(0);
    for child in [DEPLOYMENTS, SERVICES] {
        eventually(&format!("no {}", child.kind), SOON, || {
            get(&plane, child, "web").is_null().then_some(())
        });
    }
    assert_eq!(denied(&plane, USER), Vec::<String>::new());
    assert_eq!(operator.terminate().0, Some(0));
}

/// The schema and the rules of the type refuse what cannot work, before an operator sees it.
#[test]
fn bad_objects_are_refused() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    world
        .rop("create api --group app --kind Setting --template minimal")
        .ok();
    world
        .rop("create api --group app --kind Runner --template pod")
        .ok();
    plane.install(&world.path().join("config/crd"));
    plane.kubectl_ok(&[
        "apply",
        "--server-side",
        "-k",
        &world.path().join("config/samples").to_string_lossy(),
    ]);

    let good = json!({"image": "nginx", "ports": [{"port": 80}, {"port": 443}, {"port": 80, "protocol": "UDP"}]});
    assert!(is_accepted(&plane, &app_service("good", good)));
    for (name, spec) in [
        ("no-image", json!({})),
        ("empty-image", json!({"image": ""})),
        ("negative", json!({"image": "nginx", "replicas": -1})),
        ("text", json!({"image": "nginx", "replicas": "two"})),
        (
            "twice",
            json!({"image": "nginx", "ports": [{"port": 80}, {"port": 80}]}),
        ),
        (
            "portless",
            json!({"image": "nginx", "ports": [{"name": "http"}]}),
        ),
        ("a.dot", json!({"image": "nginx"})),
        ("1st", json!({"image": "nginx"})),
    ] {
        assert!(!is_accepted(&plane, &app_service(name, spec)), "{name}");
    }
    let setting = |message: Value| {
        json!({
            "apiVersion": "app.example.com/v1alpha1", "kind": "Setting",
            "metadata": {"name": "s", "namespace": "default"}, "spec": {"message": message},
        })
    };
    assert!(is_accepted(&plane, &setting(json!("x".repeat(64)))));
    assert!(!is_accepted(&plane, &setting(json!("x".repeat(65)))));
}

const SETTINGS: Resource = Resource::new("ops.example.com", "v1", "settings", "Setting");

/// The other templates, one of them for a cluster-scoped kind, in one operator.
#[test]
fn pods_settings_and_cluster_scoped_kinds() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_project();
    world
        .rop("create api --group ops --version v1 --kind Runner --template pod")
        .ok();
    world
        .rop("create api --group ops --version v1 --kind Setting --template minimal")
        .ok();
    world
        .rop("create api --group ops --version v1 --kind Region --cluster-scoped")
        .ok();
    let operator = Operator::start(&world, &plane, &[]);
    plane.kubectl_ok(&[
        "apply",
        "-k",
        &world.path().join("config/samples").to_string_lossy(),
    ]);

    becomes(
        &plane,
        PODS,
        "runner-sample-pod",
        "/spec/containers/0/image",
        &json!("busybox:1.37"),
    );
    becomes(
        &plane,
        SETTINGS,
        "setting-sample",
        "/status/conditions/0/type",
        &json!("Ready"),
    );
    becomes(
        &plane,
        SETTINGS,
        "setting-sample",
        "/status/conditions/0/status",
        &json!("True"),
    );
    plane.kubectl_ok(&[
        "delete",
        "pod",
        "runner-sample-pod",
        "-n",
        "default",
        "--force",
        "--grace-period=0",
    ]);
    becomes(
        &plane,
        PODS,
        "runner-sample-pod",
        "/metadata/ownerReferences/0/kind",
        &json!("Runner"),
    );

    // What a cluster-scoped object owns lives in the operator's namespace.
    eventually("a Deployment for the region", SOON, || {
        let deployment = DEPLOYMENTS.one("app-operator-system", "region-sample");
        plane.api().get(&deployment).is_object().then_some(())
    });
    assert_eq!(denied(&plane, USER), Vec::<String>::new());
    assert_eq!(operator.terminate().0, Some(0));
}

/// A namespaced operator has a Role, watches its own namespace and needs nothing else.
#[test]
fn a_namespaced_operator() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::new();
    world
        .rop("init --domain example.com --namespaced --api app/AppService")
        .ok();
    let operator = Operator::start(
        &world,
        &plane,
        &[("WATCH_NAMESPACE", "app-operator-system")],
    );
    let here = |namespace: &str| {
        let mut object = app_service("web", json!({"image": "nginx"}));
        object["metadata"]["namespace"] = json!(namespace);
        object
    };
    assert!(is_accepted(&plane, &here("default")));
    assert!(is_accepted(&plane, &here("app-operator-system")));
    let has_deployment = |namespace| {
        let deployment = DEPLOYMENTS.one(namespace, "web");
        plane.api().get(&deployment).is_object()
    };
    eventually("a Deployment", SOON, || {
        has_deployment("app-operator-system").then_some(())
    });
    assert!(
        !has_deployment("default"),
        "another namespace is none of its business"
    );
    assert_eq!(denied(&plane, USER), Vec::<String>::new());
    assert_eq!(operator.terminate().0, Some(0));
}

/// The manager's pod and its namespace are as Pod Security's level "restricted" wants them.
#[test]
fn the_deployment_is_restricted() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    let config = world.path().join("config/default");
    let output = plane.kubectl(&["apply", "--server-side", "-k", &config.to_string_lossy()]);
    assert!(output.status.success());
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(!warnings.contains("Warning"), "{warnings}");
}
