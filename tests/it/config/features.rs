//! Features of kustomize beyond those that rop's own `config/` uses, each compared with kubectl.

use std::process::Command;

use rop::disk::View;
use rop::objects::Objects;
use serde_json::Value;

use super::project;
use crate::support::World;

const FOLDER: &str = "config/production";

/// The kustomization that each feature is added to.
const BASE: &str = "resources: [../rbac, ../manager, ../crd, extra.yaml]
namespace: ops
namePrefix: my-
nameSuffix: -blue
";

/// Objects with fields of all sorts.
const EXTRA: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: system
  annotations:
    example.com/place: namespace/name
  labels: {tier: control, size: \"5\"}
data:
  host: a.b.c
  port: \"8080\"
  word: \"true\"
---
apiVersion: app.example.com/v1alpha1
kind: AppService
metadata:
  name: one
  labels: {tier: data}
spec:
  port: 80
  on: false
  tags: [a, b]
  hosts: [{name: x, port: 1}, {name: xy, port: 2}]
  deep: {a: {b: c}}
  reference: none
---
apiVersion: shop.example.com/v1
kind: Basket
metadata:
  name: one
  namespace: elsewhere
  labels: {tier: data}
  annotations: {example.com/place: x/y}
spec: {port: 1, text: abc, empty: {}}
";

/// What kubectl makes of the folder, or its complaint.
fn by_kubectl(world: &World) -> Option<Result<Objects, String>> {
    let Some(kubectl) = crate::support::kubectl() else {
        eprintln!("skipped: no kubectl");
        return None;
    };
    let mut command = Command::new(kubectl);
    let folder = world.path().join(FOLDER);
    let outcome = world.run(command.arg("kustomize").arg(folder));
    Some(if outcome.code == 0 {
        Ok(Objects::parse(&outcome.stdout).expect("YAML"))
    } else {
        Err(outcome.stderr)
    })
}

/// Renders the base with a feature, and says whether rop knows it. What it renders is what kubectl renders.
#[track_caller]
pub(super) fn is_known(feature: &str, files: &[(&str, &str)]) -> bool {
    let world = project(false, 1);
    world.write(&format!("{FOLDER}/extra.yaml"), EXTRA);
    for (path, text) in files {
        world.write(&format!("{FOLDER}/{path}"), text);
    }
    world.write(
        &format!("{FOLDER}/kustomization.yaml"),
        &format!("{BASE}{feature}"),
    );
    let view = View::of(&world.path()).expect("a view");
    match Objects::in_memory(&view, FOLDER) {
        Ok(ours) => {
            match by_kubectl(&world) {
                Some(Ok(theirs)) => same(&ours, &theirs, feature),
                Some(Err(error)) => panic!("kubectl refuses {feature}\n{error}"),
                None => {}
            }
            true
        }
        Err(place) => {
            assert!(place.contains("config/"), "{place}");
            false
        }
    }
}

#[track_caller]
fn same(ours: &Objects, theirs: &Objects, feature: &str) {
    for (ours, theirs) in ours.iter().zip(theirs.iter()) {
        let text = |value: &Value| serde_yaml::to_string(value).expect("YAML");
        assert_eq!(text(ours), text(theirs), "{feature}");
    }
    assert_eq!(ours.iter().count(), theirs.iter().count(), "{feature}");
}

#[test]
fn common_fields() {
    for feature in [
        "commonAnnotations: {example.com/a: b, port: \"1\"}\n",
        "commonLabels: {a: b}\nlabels: [{pairs: {c: d}}]\n",
        "replicas: [{name: controller-manager, count: 3}]\n",
        "metadata: {name: production}\n",
        "bases: [../samples]\n",
        "patchesStrategicMerge: [patch.yaml]\n",
        "patchesStrategicMerge:\n- |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: settings, namespace: system}\n  data: {host: b}\n",
        "patchesJson6902:\n- target: {version: v1, kind: ConfigMap, name: settings}\n  path: operations.yaml\n",
        "patches:\n- target: {kind: \"ConfigMap|Basket\", labelSelector: \"tier in (data)\"}\n  path: operations.yaml\n",
    ] {
        let is_set = feature.contains(" in (");
        let files = [
            (
                "patch.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: system\ndata:\n  host: null\n",
            ),
            (
                "operations.yaml",
                "- {op: add, path: /data, value: {a: b}}\n- {op: add, path: /metadata/annotations/c~1d, value: e}\n",
            ),
        ];
        assert_eq!(is_known(feature, &files), !is_set, "{feature}");
    }
}

#[test]
fn selectors_of_patches() {
    for target in [
        "{kind: Role.*, name: leader.*}",
        "{group: .*\\.example\\.com}",
        "{labelSelector: \"tier=data\"}",
        "{labelSelector: \"tier==data,!size\"}",
        "{labelSelector: \"tier!=data,size\", kind: ConfigMap}",
        "{annotationSelector: example.com/place}",
        "{namespace: system, kind: ConfigMap}",
        "{namespace: ops}",
        "{namespace: default}",
        "{namespace: _non.*}",
        "{version: v1alpha1}",
        "{name: one, namespace: elsewhere}",
    ] {
        let feature = format!(
            "patches:\n- target: {target}\n  patch: '[{{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {{\"a\": \"b\"}}}}]'\n"
        );
        assert!(is_known(&feature, &[]), "{feature}");
    }
}

#[test]
fn objects_and_items_are_deleted() {
    for feature in [
        "patches:\n- target: {kind: ConfigMap}\n  patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: any}\n    $patch: delete\n",
        "patches:\n- patch: |-\n    apiVersion: v1\n    kind: ServiceAccount\n    metadata: {name: controller-manager, namespace: system}\n    $patch: delete\n",
        "patches:\n- target: {kind: ClusterRole}\n  patch: |-\n    kind: ClusterRole\n    apiVersion: rbac.authorization.k8s.io/v1\n    metadata: {name: any}\n    $patch: delete\n",
        "patches:\n- target: {kind: Deployment}\n  patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: any}\n    spec: {template: {spec: {containers: [{name: manager, ports: [{containerPort: 8443, $patch: delete}]}]}}}\n",
        "patches:\n- target: {kind: Deployment}\n  patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: any}\n    spec: {template: {spec: {containers: [{name: other, image: a}, {name: none, $patch: delete}]}}}\n",
    ] {
        assert!(is_known(feature, &[]), "{feature}");
    }
}
