//! The walkthrough of an enterprise operator: validation, phases, events, errors and autoscaling.

use serde_json::{Value, json};

use super::chapter::Chapter;
use super::{SOON, leads_to};
use crate::support::World;
use crate::support::control_plane::{Api, ControlPlane, assets, eventually};
use crate::support::kubelet::{self, while_pods_run};
use crate::support::turn::{build_in_first, turn};

const APP: &str = "/apis/mycompany.com/v1/namespaces/default/apps/test-app";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/default/deployments/test-app";
const SERVICE: &str = "/api/v1/namespaces/default/services/test-app";
const CONFIG: &str = "/api/v1/namespaces/default/configmaps/test-app-config";
const EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";
const AUTOSCALER: &str =
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/test-app";
const OPERATOR: &str =
    "/apis/apps/v1/namespaces/my-operator-system/deployments/my-operator-controller-manager";

#[test]
fn every_step_does_what_the_chapter_says() {
    if assets().is_none() {
        return;
    }
    let world = World::new();
    let mut chapter = Chapter::new("enterprise.md", &world);
    build_in_first(&world);
    chapter.run_through("Define the App");
    let turn = turn(&world);
    let plane = ControlPlane::with_controllers().expect("its programs are there");
    if !plane.has_controllers() {
        return;
    }
    let api = plane.api();
    let mut chapter = chapter.with_cluster(&plane);
    chapter.run_through("Run it");
    has_its_children(api);

    comes_up(api, &mut chapter);
    a_terminal_error(api, &mut chapter);
    a_transient_error(api, &mut chapter);
    is_scaled(api, &mut chapter);

    while_pods_run(&plane, "my-operator-system", || {
        chapter.run_through("Deploy it");
    });
    let container = &api.get(OPERATOR)["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "registry.mycompany.com/my-operator:v1");
    assert_eq!(container["args"][0], "--leader-elect");
    chapter.run_through("Clean up");
    let kinds = api.get("/apis/mycompany.com/v1");
    assert!(kinds.is_null(), "the CRD is gone");
    eventually("the end of the Deployment", SOON, || {
        api.get(DEPLOYMENT).is_null().then_some(())
    });
    chapter.ends();
    drop((plane, turn));
    leads_to(&world, "enterprise");
}

/// From Pending through Updating to Running. No node runs the pods, so the test says that they do.
fn comes_up(api: &Api, chapter: &mut Chapter<'_>) {
    phase_becomes(api, "Updating", "0 of 3 pods are available");
    play(api, 1);
    phase_becomes(api, "Updating", "1 of 3 pods are available");
    play(api, 3);
    chapter.run_through("From Pending to Running");
    phase_becomes(api, "Running", "3 of 3 pods are available");
    for (phase, message) in [
        ("Pending", "0 of 3 pods are available"),
        ("Updating", "0 of 3 pods are available"),
        ("Running", "3 of 3 pods are available"),
    ] {
        eventually(phase, SOON, || {
            (notes(api, phase) == [message]).then_some(())
        });
    }
}

/// A terminal error is in the status and in one event, and gone when the user has fixed it.
fn a_terminal_error(api: &Api, chapter: &mut Chapter<'_>) {
    chapter.run_through("A terminal error");
    let condition = &api.get(APP)["status"]["conditions"][0];
    assert_eq!(condition["reason"], "Invalid");
    let message = condition["message"].as_str().unwrap_or_default();
    assert!(message.contains("cpu limit"), "{message}");
    eventually("an event of the error", SOON, || {
        (notes(api, "Invalid") == [message]).then_some(())
    });
    chapter.run_through("Fix it");
    assert_eq!(api.get(APP)["status"]["phase"], "Running");
}

/// A transient error that lasts is in the status, and what it held up is done when it is gone.
fn a_transient_error(api: &Api, chapter: &mut Chapter<'_>) {
    let is_seen =
        |app: &Value| app["status"]["observedGeneration"] == app["metadata"]["generation"];
    let annotations =
        || api.get(DEPLOYMENT)["spec"]["template"]["metadata"]["annotations"].to_string();

    chapter.run_through("A transient error");
    eventually("an event of the retries", SOON, || {
        let notes = notes(api, "Retrying");
        let refused = |note: &String| note.contains("connection refused");
        notes.iter().any(refused).then_some(())
    });
    let app = api.get(APP);
    assert_eq!(app["status"]["phase"], "Failed");
    let before = annotations();
    chapter.run_through("Recovery");
    eventually("pods of the new configuration", SOON, || {
        (annotations() != before).then_some(())
    });
    eventually("a Running App of the new generation", SOON, || {
        // Those of the old configuration go when the new ones are there.
        play(api, kubelet::pods(api, "default").len().max(3));
        let app = api.get(APP);
        (is_seen(&app) && app["status"]["phase"] == "Running").then_some(())
    });
}

/// By hand, and by the autoscaler of Kubernetes.
fn is_scaled(api: &Api, chapter: &mut Chapter<'_>) {
    chapter.run_through("Scale by hand");
    replicas_become(api, 5);
    chapter.run_through("Scale with an autoscaler");
    assert_eq!(api.get(AUTOSCALER)["spec"]["scaleTargetRef"]["kind"], "App");
    // It needs no metrics to see that there are fewer than there must be.
    replicas_become(api, 2);
    eventually("an autoscaler that is able to scale", SOON, || {
        let condition = &api.get(AUTOSCALER)["status"]["conditions"][0];
        (condition["type"] == "AbleToScale" && condition["status"] == "True").then_some(())
    });
}

#[track_caller]
fn has_its_children(api: &Api) {
    let get = |path| eventually(path, SOON, || Some(api.get(path)).filter(Value::is_object));
    let deployment = get(DEPLOYMENT);
    assert_eq!(deployment["spec"]["replicas"], 3);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "nginx:latest");
    assert_eq!(container["env"], json!([{ "name": "PORT", "value": "80" }]));
    assert_eq!(container["resources"]["limits"]["memory"], "256Mi");
    assert_eq!(get(SERVICE)["spec"]["ports"][0]["port"], 80);
    let data = json!({
        "DATABASE_URL": "postgres://database/shop", "LOG_LEVEL": "info", "MODE": "production",
    });
    assert_eq!(get(CONFIG)["data"], data);
    eventually("an event for each that was created", SOON, || {
        let created = [
            "ConfigMap test-app-config",
            "Deployment test-app",
            "Service test-app",
        ];
        (notes(api, "Created") == created.map(|it| format!("created the {it}"))).then_some(())
    });
}

/// Lets this many pods be available. Kubernetes' own controllers count them.
fn play(api: &Api, available: usize) {
    let pods = eventually("the pods", SOON, || {
        let pods = kubelet::pods(api, "default");
        (pods.len() >= available).then_some(pods)
    });
    for pod in pods.iter().take(available) {
        kubelet::tell(api, pod, &kubelet::ready());
    }
}

#[track_caller]
fn phase_becomes(api: &Api, phase: &str, message: &str) {
    eventually(&format!("{phase}: {message}"), SOON, || {
        let status = &api.get(APP)["status"];
        let is_so = status["phase"] == phase && status["conditions"][0]["message"] == message;
        is_so.then_some(())
    });
}

#[track_caller]
fn replicas_become(api: &Api, replicas: i64) {
    eventually(&format!("{replicas} replicas"), SOON, || {
        let all = [APP, DEPLOYMENT].map(|path| api.get(path)["spec"]["replicas"] == replicas);
        all.into_iter().all(|it| it).then_some(())
    });
}

/// What events about the App say, of those with this reason, in alphabetical order.
fn notes(api: &Api, reason: &str) -> Vec<String> {
    let events = api.get(EVENTS)["items"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let about = |event: &Value| event["regarding"]["kind"] == "App" && event["reason"] == reason;
    let note = |event: Value| event["note"].as_str().unwrap_or_default().to_owned();
    let mut notes: Vec<_> = events.into_iter().filter(about).map(note).collect();
    notes.sort();
    notes
}
