//! Projects with the folders of operator-sdk: what kustomize renders for a bundle is in it.

use serde_json::Value;

use super::generated::csv;
use crate::support::World;

const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";
const KUSTOMIZATION: &str = "config/manifests/kustomization.yaml";
const TESTS: &str = "bundle/tests/scorecard/config.yaml";

/// A project with `config/manifests` and `config/scorecard` as operator-sdk scaffolds them, with a test of the user.
fn world() -> World {
    let world = World::with_api();
    world.rop("bundle").ok();
    world.write(
        KUSTOMIZATION,
        "\
resources:
- bases/app-operator.clusterserviceversion.yaml
- ../default
- ../samples
- ../scorecard
",
    );
    world.write(
        "config/scorecard/kustomization.yaml",
        "\
resources:
- bases/config.yaml
patches:
- path: patches/basic.config.yaml
  target: {group: scorecard.operatorframework.io, kind: Configuration, name: config, version: v1alpha3}
",
    );
    world.write(
        "config/scorecard/bases/config.yaml",
        "\
apiVersion: scorecard.operatorframework.io/v1alpha3
kind: Configuration
metadata: {name: config}
stages:
- parallel: true
  tests: []
",
    );
    world.write(
        "config/scorecard/patches/basic.config.yaml",
        "\
- op: add
  path: /stages/0/tests/-
  value:
    entrypoint: [custom-test, reaches-database]
    image: example.com/tests:v1
    labels: {suite: custom, test: reaches-database}
",
    );
    world
}

fn tests(world: &World) -> Value {
    let config: Value = serde_yaml::from_str(&world.read(TESTS)).expect("YAML");
    config["stages"][0]["tests"].clone()
}

#[test]
fn tests_of_the_user_are_in_the_bundle() {
    let world = world();
    world.rop("bundle").ok();
    let found = tests(&world);
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["image"], "example.com/tests:v1");
    world
        .rop("scorecard bundle --list")
        .ok()
        .says("reaches-database");
    world.rop("bundle").did_nothing();
    // Without the kustomization of the bundle, too.
    std::fs::remove_file(world.path().join(KUSTOMIZATION)).expect("a file");
    world.rop("bundle").did_nothing();
    world.replace(
        "config/scorecard/kustomization.yaml",
        "- bases/config.yaml\n",
        "- bases/config.yaml\n- account.yaml\n",
    );
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: tests}\n";
    world.write("config/scorecard/account.yaml", account);
    let note = "ServiceAccount tests in `config/scorecard` is not in the bundle";
    world.rop("bundle").says(note).did_nothing();
    // Without the tests, those of rop are back.
    std::fs::remove_dir_all(world.path().join("config/scorecard")).expect("a folder");
    world.rop("bundle").ok();
    assert!(tests(&world).as_array().map(Vec::len) > Some(1));
}

#[test]
fn the_base_keeps_its_order_without_patches() {
    let world = world();
    let without = world.read("bundle/manifests/app-operator.clusterserviceversion.yaml");
    world.rop("bundle").ok();
    let with = world.read("bundle/manifests/app-operator.clusterserviceversion.yaml");
    assert_eq!(with, without);
}

#[test]
fn patches_are_in_the_bundle() {
    let world = world();
    let list = world.read(KUSTOMIZATION);
    world.write(
        KUSTOMIZATION,
        &format!(
            "{list}\
patches:
- target: {{kind: Deployment}}
  patch: |-
    - op: add
      path: /spec/template/metadata/annotations/example.com~1patched
      value: \"yes\"
- target: {{kind: ClusterServiceVersion}}
  patch: |-
    - op: replace
      path: /spec/maturity
      value: stable
- target: {{kind: AppService}}
  patch: |-
    - op: add
      path: /metadata/annotations
      value: {{example.com/sample: patched}}
"
        ),
    );
    world.rop("bundle").ok();
    let csv = csv(&world);
    let template = &csv["spec"]["install"]["spec"]["deployments"][0]["spec"]["template"];
    assert_eq!(
        template["metadata"]["annotations"]["example.com/patched"],
        "yes"
    );
    assert_eq!(csv["spec"]["maturity"], "stable");
    let examples = csv["metadata"]["annotations"]["alm-examples"].as_str();
    assert!(examples.expect("examples").contains("example.com/sample"));
    world.rop("bundle").did_nothing();
    assert!(world.read(BASE).contains("maturity: alpha"));
}

/// Nothing is dropped without a word.
#[test]
fn what_is_not_in_the_bundle_is_named() {
    let world = world();
    world.replace(KUSTOMIZATION, "- ../scorecard\n", "");
    world
        .rop("bundle")
        .ok()
        .says("the tests in `config/scorecard` are not in the bundle: list `../scorecard`");
    world.replace(
        KUSTOMIZATION,
        "- ../samples\n",
        "- ../samples\n- ../scorecard\n- other.yaml\n",
    );
    let other = world.read("config/scorecard/bases/config.yaml");
    world.write(
        "config/manifests/other.yaml",
        &other.replace("name: config", "name: other"),
    );
    world
        .rop("bundle")
        .ok()
        .says("a bundle cannot have Configuration other");
    // Without a Deployment there is no operator.
    world.replace(KUSTOMIZATION, "- ../default\n", "");
    world
        .rop("bundle")
        .exits(1)
        .says("list `../default` in `config/manifests/kustomization.yaml`");
}
