//! The walkthrough of operator-sdk 0.x: flat manifests, and a busybox pod for each object.

use serde_json::Value;

use super::chapter::Chapter;
use super::{SOON, leads_to};
use crate::support::World;
use crate::support::cargo::{built, cargo};
use crate::support::control_plane::{ControlPlane, assets, eventually};
use crate::support::kubelet::deployed;
use crate::support::registry::Real;
use crate::support::turn::{build_in_first, turn, turn_of};

const NAMESPACE: &str = "app-operator";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/app-operator/deployments/app-operator";
const POD: &str = "/api/v1/namespaces/app-operator/pods/example-appservice-pod";
const OBJECT: &str =
    "/apis/app.example.com/v1alpha1/namespaces/app-operator/appservices/example-appservice";

#[test]
fn every_step_does_what_the_chapter_says() {
    let (Some(_), Some(registry)) = (assets(), Real::start()) else {
        return;
    };
    let world = World::new();
    let home = world.path().parent().expect("a folder").to_owned();
    let mut chapter = Chapter::new("app-operator.md", &world)
        .in_folder(&home)
        .with_registry(&registry.host());
    build_in_first(&world);
    let first = turn_of("app-operator", &world);
    chapter.run_through("Add its controller");
    drop(first);
    leads_to(&world, "app-operator");
    cargo(&world, "build --locked").ok();
    let turn = turn(&world);
    chapter.run_through("Build the image");
    drop(turn);

    let plane = ControlPlane::with_controllers().expect("its programs are there");
    let mut chapter = chapter.with_cluster(&plane);
    chapter.run_through("Deploy it");
    let api = plane.api();
    let container = &api.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0];
    let image = format!("{}/example/app-operator", registry.host());
    assert_eq!(container["image"], *image);

    let program = built(&world, "app-operator");
    let mut operator = deployed(&plane, &program, NAMESPACE, "app-operator")
        .env("WATCH_NAMESPACE", NAMESPACE)
        .spawn()
        .expect("the operator starts");

    chapter.run_through("Create an AppService");
    let pod = eventually("the pod", SOON, || {
        Some(api.get(POD)).filter(Value::is_object)
    });
    let image = pod["spec"]["containers"][0]["image"].as_str();
    assert!(
        image.is_some_and(|image| image.contains("busybox")),
        "{pod}"
    );
    eventually("a status", SOON, || {
        let conditions = &api.get(OBJECT)["status"]["conditions"];
        conditions.is_array().then_some(())
    });
    operator.kill().expect("it runs");
    operator.wait().expect("an end");
    chapter.ends();
}
