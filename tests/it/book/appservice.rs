//! The walkthrough of operator-sdk's `AppService`.

use serde_json::Value;

use super::chapter::Chapter;
use super::{SOON, leads_to};
use crate::support::World;
use crate::support::cargo::built;
use crate::support::control_plane::{Api, ControlPlane, assets, eventually};
use crate::support::kubelet::{deployed, while_pods_run};
use crate::support::registry::Double;
use crate::support::turn::{build_in_first, turn};

const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/default/deployments/nginx-app";
const SERVICE: &str = "/api/v1/namespaces/default/services/nginx-app";
const OBJECT: &str = "/apis/app.example.com/v1/namespaces/default/appservices/nginx-app";
const NAMESPACE: &str = "app-operator-system";
const ACCOUNT: &str = "app-operator-controller-manager";
const OPERATOR: &str =
    "/apis/apps/v1/namespaces/app-operator-system/deployments/app-operator-controller-manager";

#[test]
fn every_step_does_what_the_chapter_says() {
    if assets().is_none() {
        return;
    }
    let (world, registry) = (World::new(), Double::start());
    let mut chapter = Chapter::new("appservice.md", &world)
        .at_any_port()
        .with_registry(&registry.host());
    build_in_first(&world);
    chapter.run_through("Add the API");
    let first = turn(&world);
    let plane = ControlPlane::with_controllers().expect("its programs are there");
    if !plane.has_controllers() {
        return;
    }
    let mut chapter = chapter.with_cluster(&plane);
    chapter.run_through("Run it on this machine");
    drop(first);

    let api = plane.api();
    has_its_children(api);
    while_pods_run(&plane, "default", || becomes_ready(api));
    // A person is slower than this test.
    plane.collects_garbage_of("app.example.com/v1", "AppService");
    chapter.run_through("Clean up");
    is_gone(api);

    let second = turn(&world);
    chapter.run_through("Build the image");
    let pushed = registry.manifest("opdemo", "v1.0.0");
    assert!(pushed.is_some(), "{:?}", registry.tags());
    while_pods_run(&plane, NAMESPACE, || chapter.run_through("Deploy it"));
    drop(second);
    let container = &api.get(OPERATOR)["spec"]["template"]["spec"]["containers"][0];
    let image = format!("{}/opdemo:v1.0.0", registry.host());
    assert_eq!(container["image"], *image);
    let program = built(&world, "app-operator");
    let mut operator = deployed(&plane, &program, NAMESPACE, ACCOUNT)
        .arg("--leader-elect")
        .spawn()
        .expect("the operator starts");
    chapter.run_through("Create an AppService");
    has_its_children(api);
    while_pods_run(&plane, "default", || becomes_ready(api));
    plane.collects_garbage_of("app.example.com/v1", "AppService");
    chapter.run_through("Undeploy it");
    is_gone(api);
    assert!(api.get(OPERATOR).is_null(), "the operator is gone");
    operator.kill().expect("it runs");
    operator.wait().expect("an end");

    chapter.ends();
    drop(plane);
    leads_to(&world, "appservice");
}

#[track_caller]
fn has_its_children(api: &Api) {
    let deployment = eventually("the Deployment", SOON, || {
        Some(api.get(DEPLOYMENT)).filter(Value::is_object)
    });
    assert_eq!(deployment["spec"]["replicas"], 2);
    assert_eq!(
        deployment["spec"]["template"]["spec"]["containers"][0]["image"],
        "nginx:1.7.9"
    );
    let service = eventually("the Service", SOON, || {
        Some(api.get(SERVICE)).filter(Value::is_object)
    });
    assert_eq!(service["spec"]["type"], "NodePort");
    assert_eq!(service["spec"]["ports"][0]["nodePort"], 30002);
}

#[track_caller]
fn becomes_ready(api: &Api) {
    eventually("a ready AppService", SOON, || {
        let status = &api.get(OBJECT)["status"];
        let is_ready = status["conditions"][0]["status"] == "True";
        (status["readyReplicas"] == 2 && is_ready).then_some(())
    });
}

/// The children go with their owner, and the kind with its CRD.
#[track_caller]
fn is_gone(api: &Api) {
    for child in [DEPLOYMENT, SERVICE] {
        eventually("the end of a child", SOON, || {
            api.get(child).is_null().then_some(())
        });
    }
    assert!(
        api.get("/apis/app.example.com/v1").is_null(),
        "the CRD is gone"
    );
}
