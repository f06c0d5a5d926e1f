//! Data goes with a CRD: not without a word, and not while somebody has yet to clean up.

use serde_json::{Value, json};

use super::{CRD, DEPLOYMENT, OBJECTS, cluster, create, rop};
use crate::support::World;
use crate::support::control_plane::ControlPlane;

#[test]
fn objects_do_not_go_without_a_word() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    rop(&world, &plane, "install").ok();
    for name in ["a", "b", "c", "d", "e"] {
        create(&plane, name, &[]);
    }
    insta::assert_snapshot!(rop(&world, &plane, "uninstall").exits(1), @"
    exit: 1
    --- stderr
    error[objects-at-risk]: deleting the CRDs would delete these objects, so nothing was deleted:
      5 appservices.app.example.com: default/a, default/b, default/c, …
    hint: delete the objects first, or confirm with `--yes`
    ");
    rop(&world, &plane, "undeploy")
        .exits(1)
        .says("5 appservices.app.example.com");
    rop(&world, &plane, "uninstall --dry-run")
        .ok()
        .says("5 appservices.app.example.com");
    let objects = plane.api().get(OBJECTS);
    assert_eq!(objects["items"].as_array().map(Vec::len), Some(5));
    rop(&world, &plane, "uninstall --yes").ok();
    assert_eq!(plane.api().get(CRD), Value::Null);
}

/// A webhook that nobody answers.
const WEBHOOK: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: unanswered
webhooks:
- name: vappservice.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig:
    url: https://127.0.0.1:1/
  rules:
  - apiGroups: [app.example.com]
    apiVersions: [v1alpha1]
    operations: [UPDATE]
    resources: [appservices]
";

/// The operator that takes a finalizer off is still there when the objects go, and no webhook keeps it from that.
#[test]
fn the_operator_stays_until_its_objects_are_gone() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::with_api();
    // No pod runs here: the command gives up, and what it applied is there.
    rop(&world, &plane, "deploy --timeout 1s").exits(1);
    create(&plane, "a", &["app.example.com/cleanup"]);
    world.write("config/default/webhook.yaml", WEBHOOK);
    let (resources, more) = ("resources:\n", "resources:\n- webhook.yaml\n");
    world.replace("config/default/kustomization.yaml", resources, more);
    plane.install(&world.path().join("config/default"));
    let stuck = rop(&world, &plane, "undeploy --yes --timeout 2s").exits(1);
    insta::assert_snapshot!(stuck, @"
    exit: 1
    --- stderr
    note: deleting the CRDs deletes these objects:
      1 appservices.app.example.com: default/a
    note: some of them have finalizers, which the operator removes: if it is not running, start it in another terminal with `rop run`
      waiting until all objects are deleted
    error[not-deleted]: not deleted after 2s: CustomResourceDefinition appservices.app.example.com
    hint: the operator must remove finalizers: start it with `rop run` or `rop deploy`, and run the command again
    hint: or wait longer with `--timeout`
    ");
    assert_ne!(plane.api().get(DEPLOYMENT), Value::Null, "it is needed yet");
    let object = format!("{OBJECTS}/a");
    plane
        .api()
        .merge(&object, &json!({"metadata": {"finalizers": null}}));
    rop(&world, &plane, "undeploy --yes --timeout 60s").ok();
    assert_eq!(plane.api().get(DEPLOYMENT), Value::Null);
}
