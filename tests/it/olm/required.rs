//! Kinds of other operators that the operator uses.

use crate::support::World;

const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";
const NOTE: &str = "list `widgets.example.org` in `spec.customresourcedefinitions.required`";
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
";

/// A project that uses a kind of another operator.
fn world() -> World {
    let world = World::with_api();
    world.write("widget.yaml", CRD);
    world
        .rop("create api --group example.org --kind Widget --external-crd widget.yaml --controller=false")
        .ok();
    world
}

#[test]
fn kinds_that_nothing_requires_are_named() {
    let world = world();
    let outcome = world.rop("bundle").ok().says(NOTE);
    assert_eq!(outcome.stderr.matches("widgets.example.org").count(), 1);
    World::with_api().rop("bundle").ok().omits(NOTE);
}

#[test]
fn kinds_that_are_required_are_not_named() {
    let entry = "customresourcedefinitions:\n    required:\n    - {name: widgets.example.org, version: v1, kind: Widget}\n  keywords:\n";
    let of_base = world();
    of_base.rop("bundle").ok();
    of_base.replace(BASE, "keywords:\n", entry);
    let gvk = "- type: olm.gvk\n  value: {group: example.org, version: v1, kind: Widget}\n";
    let package = "- type: olm.package\n  value: {packageName: widgets, version: '>=1.0.0'}\n";
    let with_dependency = |dependency: &str| {
        let world = world();
        world.rop("bundle").ok();
        let text = format!("dependencies:\n{dependency}");
        world.write("bundle/metadata/dependencies.yaml", &text);
        world
    };
    for world in [of_base, with_dependency(gvk), with_dependency(package)] {
        world.rop("bundle").ok().omits(NOTE);
    }
    with_dependency(&gvk.replace("Widget", "Other"))
        .rop("bundle")
        .ok()
        .says(NOTE);
}
