//! The way that nothing is in.

use serde_json::{Value, json};

use super::{CRD, DEPLOYMENT, NAMESPACE, cluster, create, image, rop};
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::while_pods_run;

#[test]
fn the_crds_go_in_and_out() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    let tree = world.tree();
    insta::assert_snapshot!(rop(&world, &plane, "install --dry-run").ok(), @"
    exit: 0
    --- stdout
       create CustomResourceDefinition appservices.app.example.com
    --- stderr
    note: dry run: the API server accepted all requests; nothing was changed
    ");
    assert_eq!(plane.api().get(CRD), Value::Null);
    insta::assert_snapshot!(rop(&world, &plane, "install").ok(), @"
    exit: 0
    --- stderr
     applying the CRDs
       create CustomResourceDefinition appservices.app.example.com
      waiting until the CRDs are served
         done the CRDs are served
    ");
    create(&plane, "a", &[]);
    plane.api().delete(&format!("{}/a", super::OBJECTS));
    rop(&world, &plane, "install").did_nothing();
    insta::assert_snapshot!(rop(&world, &plane, "uninstall --dry-run").ok(), @"
    exit: 0
    --- stdout
       delete CustomResourceDefinition appservices.app.example.com
    --- stderr
    note: dry run: the API server accepted all requests; nothing was changed
    ");
    insta::assert_snapshot!(rop(&world, &plane, "uninstall").ok(), @"
    exit: 0
    --- stderr
      waiting until all objects are deleted
       delete CustomResourceDefinition appservices.app.example.com
    ");
    assert_eq!(plane.api().get(CRD), Value::Null);
    rop(&world, &plane, "uninstall")
        .ok()
        .says("nothing to delete");
    assert_eq!(world.tree(), tree, "no file is touched");
}

#[test]
fn a_changed_crd_is_an_update() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    rop(&world, &plane, "install").ok();
    world.replace(
        super::CRD_FILE,
        "    singular:",
        "    shortNames: [as]\n    singular:",
    );
    rop(&world, &plane, "install --dry-run")
        .ok()
        .says("update CustomResourceDefinition");
    rop(&world, &plane, "install").ok();
    let names = &plane.api().get(CRD)["spec"]["names"]["shortNames"];
    assert_eq!(*names, json!(["as"]));
    rop(&world, &plane, "install").did_nothing();
}

#[test]
fn json_for_scripts() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    let report = rop(&world, &plane, "install --json --quiet").ok();
    let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_eq!(report["command"], "install");
    assert_eq!(report["context"], "rop");
    let name = "appservices.app.example.com";
    let objects = json!([{
        "kind": "CustomResourceDefinition", "namespace": null, "name": name, "action": "create",
    }]);
    assert_eq!(report["objects"], objects);
}

#[test]
fn the_operator_goes_in_and_out() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::with_api();
    let tree = world.tree();
    let deploy = "deploy --image example.com/app-operator:v1 --timeout 60s";
    let planned = rop(&world, &plane, &format!("{deploy} --dry-run")).ok();
    assert!(
        planned
            .stdout
            .contains("create Deployment app-operator-system/app-operator-controller-manager")
    );
    assert_eq!(plane.api().get(DEPLOYMENT), Value::Null);

    let deployed = while_pods_run(&plane, NAMESPACE, || rop(&world, &plane, deploy)).ok();
    let done = "ready the operator runs in `app-operator-system`";
    assert!(deployed.stderr.contains(done), "{deployed}");
    // What would be done is what was done.
    for line in planned.stdout.lines() {
        assert!(deployed.stderr.contains(line), "{line}: {deployed}");
    }
    assert_eq!(image(&plane), "example.com/app-operator:v1");
    assert_eq!(world.tree(), tree, "no file is touched");

    // Nothing to do, and then one thing.
    let again = rop(&world, &plane, deploy).ok();
    assert!(!again.stderr.contains("create"), "{again}");
    assert!(!again.stderr.contains("update"), "{again}");
    let newer = "deploy --image example.com/app-operator:v2 --timeout 60s";
    let newer = while_pods_run(&plane, NAMESPACE, || rop(&world, &plane, newer)).ok();
    assert_eq!(newer.stderr.matches("update").count(), 1, "{newer}");
    assert_eq!(image(&plane), "example.com/app-operator:v2");

    rop(&world, &plane, "undeploy --keep-crds --timeout 60s").ok();
    assert_eq!(plane.api().get(DEPLOYMENT), Value::Null);
    assert_ne!(plane.api().get(CRD), Value::Null);
    rop(&world, &plane, "undeploy --timeout 60s").ok();
    assert_eq!(plane.api().get(CRD), Value::Null);
    rop(&world, &plane, "undeploy")
        .ok()
        .says("nothing to delete");
}
