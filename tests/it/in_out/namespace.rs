//! Another namespace than the project's own.

use serde_json::{Value, json};

use super::rop;
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::while_pods_run;

/// A namespace that was there before is neither changed nor deleted.
#[test]
fn one_of_somebody_else_stays_as_it_is() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let shared = json!({
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "shared", "labels": {"team": "a"}},
    });
    plane.api().create("/api/v1/namespaces", &shared);
    let labels = plane.api().get("/api/v1/namespaces/shared")["metadata"]["labels"].clone();
    let world = World::with_api();
    let note = "keeping the namespace `shared`";
    let deploy = "deploy --namespace shared --timeout 60s";
    while_pods_run(&plane, "shared", || rop(&world, &plane, deploy))
        .ok()
        .says(note);
    let deployment = "/apis/apps/v1/namespaces/shared/deployments/app-operator-controller-manager";
    assert_ne!(plane.api().get(deployment), Value::Null);
    let binding =
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/app-operator-manager-rolebinding";
    assert_eq!(
        plane.api().get(binding)["subjects"][0]["namespace"],
        "shared"
    );
    rop(&world, &plane, "undeploy --namespace shared --timeout 60s")
        .ok()
        .says(note);
    assert_eq!(plane.api().get(deployment), Value::Null);
    let left = plane.api().get("/api/v1/namespaces/shared");
    assert_eq!(left["metadata"]["labels"], labels);
    assert_eq!(left["status"]["phase"], "Active");
}
