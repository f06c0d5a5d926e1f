//! What the API server refuses: nothing of it is done.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CRD, CRD_FILE, DEPLOYMENT, NAMESPACE, cluster, command, rop};
use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually};

#[test]
fn a_crd_that_cannot_become_what_it_should() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    rop(&world, &plane, "install").ok();
    let before = plane.api().get(CRD);
    world.replace(CRD_FILE, "scope: Namespaced", "scope: Cluster");
    insta::assert_snapshot!(rop(&world, &plane, "install").exits(1), @r#"
    exit: 1
    --- stderr
    error[object-rejected]: the cluster rejected the CRDs, so nothing was changed
      caused by: The CustomResourceDefinition "appservices.app.example.com" is invalid: spec.scope: Invalid value: "Cluster": field is immutable
    hint: fix the source (types in `api/`, manifests in `config/`) and run the command again
    "#);
    let refused = rop(&world, &plane, "deploy").exits(1);
    refused.says("nothing was changed");
    assert_eq!(plane.api().get(CRD), before);
    assert_eq!(plane.api().get(DEPLOYMENT), Value::Null);
}

/// Of two CRDs the one that could be applied is not, where the other cannot.
#[test]
fn one_of_two() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    world.rop("create api --group app --kind Zebra").ok();
    let path = "config/crd/bases/app.example.com_zebras.yaml";
    world.replace(path, "storage: true", "storage: false");
    rop(&world, &plane, "install")
        .exits(1)
        .says("zebras.app.example.com");
    assert_eq!(plane.api().get(CRD), Value::Null);
}

/// What is in a namespace that is not there yet cannot be asked for before it is. It goes again.
#[test]
fn a_first_deployment() {
    let plane = ControlPlane::with_controllers();
    let Some(plane) = plane.filter(ControlPlane::has_controllers) else {
        return;
    };
    let world = World::with_api();
    world.replace("config/manager/manager.yaml", "RollingUpdate", "Rolling");
    rop(&world, &plane, "deploy")
        .exits(1)
        .says("spec.strategy: Unsupported value");
    assert_eq!(plane.api().get(CRD), Value::Null);
    let gone = "the namespace is gone";
    let namespace = format!("/api/v1/namespaces/{NAMESPACE}");
    eventually(gone, Duration::from_mins(1), || {
        (plane.api().get(&namespace) == Value::Null).then_some(())
    });
}

/// Two CRDs of one group with the same short name: the second is never served.
#[test]
fn a_name_that_is_taken() {
    let Some(plane) = cluster() else {
        return;
    };
    let other = World::with_project();
    other
        .rop("create api --group app --kind Other --short-name same")
        .ok();
    rop(&other, &plane, "install").ok();
    let world = World::with_project();
    world
        .rop("create api --group app --kind AppService --short-name same")
        .ok();
    rop(&world, &plane, "install")
        .exits(1)
        .says("another CRD already uses a name of `appservices.app.example.com`")
        .says("\"same\" is already in use");
}

/// What somebody else set stays, unless it is to be taken over.
#[test]
fn a_conflict() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    rop(&world, &plane, "deploy --timeout 1s").exits(1);
    let theirs = json!({"spec": {"replicas": 3}});
    plane.api().merge(DEPLOYMENT, &theirs);
    let deploy = "deploy --timeout 1s";
    rop(&world, &plane, deploy)
        .exits(1)
        .says("--force-conflicts");
    assert_eq!(plane.api().get(DEPLOYMENT)["spec"]["replicas"], 3);
    rop(&world, &plane, "deploy --timeout 1s --force-conflicts").exits(1);
    assert_eq!(plane.api().get(DEPLOYMENT)["spec"]["replicas"], 1);
}

/// A component whose kind the cluster does not know.
#[test]
fn a_kind_that_nobody_brought() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    let path = "config/default/kustomization.yaml";
    world.replace(path, "components: []", "components: [../prometheus]");
    rop(&world, &plane, "deploy")
        .exits(1)
        .says("no matches for kind \"ServiceMonitor\"")
        .says("remove the component that needs it");
    assert_eq!(plane.api().get(CRD), Value::Null);
}

#[test]
fn nobody_with_no_rights() {
    let Some(plane) = cluster() else {
        return;
    };
    let account =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}});
    plane
        .api()
        .create("/api/v1/namespaces/default/serviceaccounts", &account);
    let kubeconfig = plane.kubeconfig_for("default", "nobody");
    let world = World::with_api();
    insta::assert_snapshot!(world.run(&mut command(&world, &kubeconfig, "install")).exits(1), @r#"
    exit: 1
    --- stderr
    error[forbidden]: the cluster rejected the CRDs, so nothing was changed
      caused by: Error from server (Forbidden): customresourcedefinitions.apiextensions.k8s.io "appservices.app.example.com" is forbidden: User "system:serviceaccount:default:nobody" cannot get resource "customresourcedefinitions" in API group "apiextensions.k8s.io" at the cluster scope
    hint: ask a cluster administrator for this permission, or use another context with `--context`
    "#);
    for arguments in ["deploy", "uninstall", "undeploy"] {
        world
            .run(&mut command(&world, &kubeconfig, arguments))
            .exits(1)
            .says("ask a cluster administrator");
    }
    assert_eq!(plane.api().get(CRD), Value::Null);
}
