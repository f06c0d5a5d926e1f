//! The introduction to the concepts: clients, informers, kinds and resources, and an `Instance`.

use serde_json::{Value, json};

use super::chapter::Chapter;
use super::{SOON, leads_to};
use crate::support::World;
use crate::support::control_plane::{Api, ControlPlane, assets, eventually};
use crate::support::turn::turn;

const CRD: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/instances.cloud.example.com";
const SERVED: &str = "/apis/cloud.example.com/v1alpha1";
const DOCUMENTED: &str = "/openapi/v3/apis/cloud.example.com/v1alpha1";
const INSTANCES: &str = "/apis/cloud.example.com/v1alpha1/namespaces/default/instances";

#[test]
fn every_step_does_what_the_chapter_says() {
    if assets().is_none() {
        return;
    }
    let world = World::new();
    let mut chapter = Chapter::new("concepts.md", &world).at_any_port();
    chapter.run_through("Create a project");
    let turn = turn(&world);
    let plane = ControlPlane::with_controllers().expect("its programs are there");
    if !plane.has_controllers() {
        return;
    }
    let api = plane.api();
    let mut chapter = chapter.with_cluster(&plane);
    // Pods need the service account that one of Kubernetes' controllers makes.
    eventually("a service account", SOON, || {
        let account = api.get("/api/v1/namespaces/default/serviceaccounts/default");
        account.is_object().then_some(())
    });
    chapter.run_through("Install the CRD");
    has_the_schema(api);
    eventually("documentation", SOON, || {
        api.get(DOCUMENTED).is_object().then_some(())
    });
    chapter.run_through("Create an Instance");
    assert_eq!(names(api), ["web"]);

    chapter.run_through("A typed client");
    assert_eq!(names(api), ["database", "web"]);
    let spec = json!({
        "regionID": "eu-north", "zoneID": "eu-north-b", "vpcID": "vpc-1", "subnetID": "subnet-2",
    });
    let database = api.get(&format!("{INSTANCES}/database"));
    assert_eq!(database["spec"], spec);
    assert!(database["status"].is_null(), "{database}");

    chapter.run_through("Defaults and rules");
    let web = api.get(&format!("{INSTANCES}/web"));
    assert_eq!(web["spec"]["zoneID"], "eu-north-a");

    chapter.run_through("Run it");
    let web = api.get(&format!("{INSTANCES}/web"));
    assert_eq!(web["spec"]["zoneID"], "eu-north-b");
    let ready = &web["status"]["conditions"][0];
    assert_eq!(
        (
            &ready["type"],
            &ready["status"],
            &ready["observedGeneration"]
        ),
        (&json!("Ready"), &json!("True"), &json!(2))
    );

    chapter.run_through("Clean up");
    assert!(api.get(SERVED).is_null(), "the CRD is gone");
    chapter.ends();
    drop((plane, turn));
    leads_to(&world, "concepts");
}

/// As the API server has it: four texts, each with its description, and all of them required.
#[track_caller]
fn has_the_schema(api: &Api) {
    let version = &api.get(CRD)["spec"]["versions"][0];
    let spec = &version["schema"]["openAPIV3Schema"]["properties"]["spec"];
    let text = |description| json!({ "type": "string", "description": description });
    assert_eq!(
        spec["properties"],
        json!({
            "regionID": text("ID of the region of the instance."),
            "zoneID": text("ID of the availability zone of the instance."),
            "vpcID": text("ID of the VPC."),
            "subnetID": text("ID of the subnet in the VPC."),
        })
    );
    assert_eq!(
        spec["required"],
        json!(["regionID", "subnetID", "vpcID", "zoneID"])
    );
}

fn names(api: &Api) -> Vec<String> {
    let list = api.get(INSTANCES);
    let instances = list["items"].as_array().into_iter().flatten();
    let name = |instance: &Value| instance["metadata"]["name"].as_str().map(str::to_owned);
    instances.filter_map(name).collect()
}
