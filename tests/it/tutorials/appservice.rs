//! The walkthrough of operator-sdk's `AppService`.

use serde_json::Value;

use super::chapter::Chapter;
use super::{SOON, leads_to, while_pods_run};
use crate::support::World;
use crate::support::cargo::turn;
use crate::support::control_plane::{ControlPlane, eventually};

const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/default/deployments/nginx-app";
const SERVICE: &str = "/api/v1/namespaces/default/services/nginx-app";
const OBJECT: &str = "/apis/app.example.com/v1/namespaces/default/appservices/nginx-app";

#[test]
fn every_step_does_what_the_chapter_says() {
    let Some(plane) = ControlPlane::start_with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::new();
    let mut chapter = Chapter::new("appservice.md", &world, &plane);
    chapter.run_through("Add the API");
    let _turn = turn(&world);
    chapter.run_through("Run it on this machine");

    let api = plane.api();
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
    while_pods_run(&plane, "default", || {
        eventually("a ready AppService", SOON, || {
            let status = &api.get(OBJECT)["status"];
            let is_ready = status["conditions"][0]["status"] == "True";
            (status["readyReplicas"] == 2 && is_ready).then_some(())
        });
    });

    chapter.run_through("Clean up");
    eventually("the end of the Deployment", SOON, || {
        api.get(DEPLOYMENT).is_null().then_some(())
    });
    assert!(
        api.get("/apis/app.example.com/v1").is_null(),
        "the CRD is gone"
    );
    chapter.ends();
    leads_to(&world, "appservice");
}
