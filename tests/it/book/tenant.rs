//! Recipes for a platform: a cluster-scoped kind with children in many namespaces, and billing.

use serde_json::json;

use super::chapter::Chapter;
use super::leads_to;
use crate::support::World;
use crate::support::control_plane::{ControlPlane, assets};
use crate::support::turn::turn;

const TENANTS: &str = "/apis/platform.example.com/v1/tenants";
const QUOTA: &str = "/api/v1/namespaces/shop-prod/resourcequotas/tenant";
const COPY: &str = "/api/v1/namespaces/shop-prod/secrets/registry";

#[test]
fn every_step_does_what_the_chapter_says() {
    if assets().is_none() {
        return;
    }
    let world = World::new();
    let mut chapter = Chapter::new("tenant.md", &world).at_any_port();
    chapter.run_through("Create the project");
    let turn = turn(&world);
    chapter.run_through("Tests");
    let plane = ControlPlane::with_controllers().expect("its programs are there");
    if !plane.has_controllers() {
        return;
    }
    let api = plane.api();
    let mut chapter = chapter.with_cluster(&plane);
    chapter.run_through("Run it");
    let hard = json!({ "pods": "100", "requests.cpu": "4" });
    assert_eq!(api.get(QUOTA)["spec"]["hard"], hard);
    let namespaces = api.get("/api/v1/namespaces");
    let names = namespaces["items"].as_array().into_iter().flatten();
    let names = names.filter_map(|namespace| namespace["metadata"]["name"].as_str());
    let names: Vec<_> = names.filter(|name| name.starts_with("shop-")).collect();
    assert_eq!(names, ["shop-prod"]);
    let config = "eyJhdXRocyI6e319";
    assert_eq!(api.get(COPY)["data"][".dockerconfigjson"], config);

    // A person is slower than this test.
    plane.collects_garbage_of("platform.example.com/v1", "Tenant");
    chapter.run_through("Clean up");
    chapter.ends();
    assert!(api.get(TENANTS).is_null(), "the CRD is gone");
    drop((plane, turn));
    leads_to(&world, "tenant");
}
