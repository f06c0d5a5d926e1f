//! Operators under the service account and the rules that their bundles grant, in a namespace that no file names.

use std::time::Duration;

use serde_json::json;

use crate::cluster::operator::Installed;
use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually};

const SOON: Duration = Duration::from_secs(30);

const NAMESPACE: &str = "olm-operators";

/// Installs what OLM v1 makes of the bundle of a project.
fn install(world: &World, plane: &ControlPlane, flags: &str) {
    world.rop("bundle --image example.com/app:v1").ok();
    let render = format!("bundle render --namespace {NAMESPACE} {flags}");
    let manifests = world.rop(&render).ok().stdout;
    let applied = plane.apply(&manifests);
    let stderr = String::from_utf8_lossy(&applied.stderr);
    assert!(applied.status.success(), "{stderr}");
    plane.wait_for_crds();
}

/// Runs the operator until it has reconciled an object, and gives the requests that were refused to it.
fn reconciles(world: &World, plane: &ControlPlane, watched: &str, namespace: &str) -> Vec<String> {
    let account = "app-operator-controller-manager";
    let kubeconfig = plane.kubeconfig_for(NAMESPACE, account);
    let installed = Installed::alone(world, plane, "app-operator");
    // As the annotation `olm.targetNamespaces` of its pods says.
    let operator = installed.run(
        plane,
        &kubeconfig,
        &[("WATCH_NAMESPACE", watched)],
        &["--leader-elect"],
    );
    let object = json!({
        "apiVersion": "app.example.com/v1alpha1", "kind": "AppService",
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {"image": "nginx", "ports": [{"name": "http", "port": 80}]},
    });
    assert!(plane.apply(&object.to_string()).status.success());
    let deployment = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
    eventually("a Deployment", SOON, || {
        plane.api().get(&deployment).is_object().then_some(())
    });
    let service = format!("/api/v1/namespaces/{namespace}/services/web");
    eventually("a Service", SOON, || {
        plane.api().get(&service).is_object().then_some(())
    });
    assert_eq!(operator.terminate().0, Some(0));
    let user = format!("system:serviceaccount:{NAMESPACE}:{account}");
    let refused = plane.audited().into_iter().filter(|event| {
        event["user"]["username"] == user && event["responseStatus"]["code"] == 403
    });
    refused
        .map(|event| format!("{} {}", event["verb"], event["requestURI"]))
        .collect()
}

#[test]
fn an_operator_runs_under_what_its_bundle_grants() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    install(&world, &plane, "");
    assert_eq!(
        reconciles(&world, &plane, "", "default"),
        Vec::<String>::new()
    );
}

#[test]
fn a_namespaced_operator_runs_under_what_its_bundle_grants() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::new();
    world
        .rop("init --domain example.com --namespaced --api app/AppService")
        .ok();
    install(&world, &plane, &format!("--watch-namespace {NAMESPACE}"));
    assert_eq!(
        reconciles(&world, &plane, NAMESPACE, NAMESPACE),
        Vec::<String>::new()
    );
}

/// A bundle supports what it says, and nothing else.
#[test]
fn a_mode_that_is_not_supported_is_refused() {
    let world = World::with_api();
    world.rop("bundle").ok();
    world
        .rop("bundle render --namespace apps --watch-namespace apps")
        .exits(2)
        .says("OwnNamespace")
        .says("it supports AllNamespaces");
    world
        .rop("bundle render nowhere")
        .exits(1)
        .says("`nowhere/manifests`");
    let first = world.rop("bundle render").ok().stdout;
    assert_eq!(first, world.rop("bundle render").ok().stdout);
    assert!(
        first.contains("namespace: app-operator-system\n"),
        "{first}"
    );
}
