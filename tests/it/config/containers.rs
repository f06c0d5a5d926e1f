//! The operator's container beside others, and under another name.

use serde_json::{Value, json};

use super::{kustomize, the};
use crate::support::World;

const MANAGER: &str = "config/manager/manager.yaml";

/// A project with a sidecar before the operator, whose container has another name, and with a
/// `ConfigMap` that has something like an image in it.
fn with_sidecar() -> World {
    let world = World::with_api();
    customize(&world);
    world
}

fn customize(world: &World) {
    world.replace(
        MANAGER,
        "      - name: manager\n",
        "      - name: proxy\n        image: proxy:1\n        args:\n        - --listen=:1\n      - name: operator\n",
    );
    world.replace(
        MANAGER,
        "default-container: manager",
        "default-container: operator",
    );
    world.write(
        "config/manager/settings.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a-settings\n  namespace: system\ndata:\n  image: settings:1\n",
    );
    world.replace(
        "config/manager/kustomization.yaml",
        "- manager.yaml\n",
        "- settings.yaml\n- manager.yaml\n",
    );
}

fn containers(objects: &[Value]) -> Vec<Value> {
    let pod = &the(objects, "Deployment")["spec"]["template"]["spec"];
    pod["containers"].as_array().expect("containers").clone()
}

#[test]
fn webhooks_are_in_the_operators() {
    let world = with_sidecar();
    world
        .rop("create webhook --group app --kind AppService --validation")
        .ok();
    world.use_cert_manager();
    let Some(objects) = kustomize(&world, "config/default") else {
        return;
    };
    let containers = containers(&objects);
    let [operator, proxy] = &containers[..] else {
        panic!("two containers: {containers:#?}");
    };
    let plain = json!({ "name": "proxy", "image": "proxy:1", "args": ["--listen=:1"] });
    assert_eq!(*proxy, plain);
    assert_eq!(operator["image"], "app-operator:latest");
    let has = |list: &str, field: &str, value: &str| {
        let mut items = operator[list].as_array().expect(list).iter();
        items.any(|item| item[field] == value || *item == value)
    };
    assert!(has("env", "name", "WEBHOOK_SECRET_NAME"), "{operator}");
    assert!(has("ports", "name", "webhooks"), "{operator}");
    assert!(
        has("volumeMounts", "name", "webhook-certificate"),
        "{operator}"
    );
    let flag = "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs";
    assert!(has("args", "", flag), "{operator}");
}

/// The patches follow a container that gets another name later.
#[test]
fn another_name_is_followed() {
    let world = World::with_api();
    world
        .rop("create webhook --group app --kind AppService --validation")
        .ok();
    customize(&world);
    if crate::support::kubectl().is_none() {
        return;
    }
    insta::assert_snapshot!(world.rop("generate installer").exits(1), @"
    exit: 1
    --- stderr
    error[no-operator-deployment]: container `manager` of Deployment app-operator-system/app-operator-controller-manager has no image
    hint: a patch in `config/` may refer to a container that does not exist: use the container name in config/manager/manager.yaml, set in the pod's annotation `kubectl.kubernetes.io/default-container`, and run `rop generate manifests`
    ");
    world.rop("create api --group app --kind Store").ok();
    world.rop("generate installer --image example.com/a:1").ok();
    let installer = world.read("dist/install.yaml");
    let images: Vec<&str> = installer
        .lines()
        .filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("image: "))
        .collect();
    assert_eq!(images, ["settings:1", "example.com/a:1", "proxy:1"]);
}

/// Without `IMG`, the Makefile leaves the image to rop, and rop knows it.
#[test]
fn the_image_is_the_operators() {
    let world = with_sidecar();
    let build = || world.rop("build --engine none --dry-run").ok();
    build().says("build app-operator:latest without an engine");
    world.replace(MANAGER, "controller:latest", "example.com/own:v2");
    build().says("build example.com/own:v2 without an engine");
    for (target, expected) in [
        ("docker-build", "build --engine auto"),
        ("docker-push IMG=a:1", "build --engine auto --push a:1"),
        ("deploy", "deploy"),
        ("deploy IMG=a:1", "deploy --image a:1"),
        ("build-installer", "generate installer"),
        ("bundle", "bundle --version 0.1.0"),
        (
            "bundle VERSION=1.0.0 CHANNELS=stable,fast DEFAULT_CHANNEL=stable IMG=a:1",
            "bundle --version 1.0.0 --channels stable,fast --default-channel stable --image a:1",
        ),
        (
            "bundle-build",
            "bundle build --image example.com/app-operator-bundle:v0.1.0",
        ),
        (
            "bundle-push IMAGE_TAG_BASE=a/b VERSION=1.0.0",
            "bundle build --image a/b-bundle:v1.0.0 --push",
        ),
        (
            "catalog",
            "catalog add bundle --image example.com/app-operator-bundle:v0.1.0",
        ),
        (
            "catalog-build CATALOG_IMG=a/c:1",
            "catalog build --image a/c:1",
        ),
        (
            "catalog-push",
            "catalog build --image example.com/app-operator-catalog:v0.1.0 --push",
        ),
    ] {
        let mut make = world.program("make", ".");
        make.args(["--silent", "ROP=echo"]).args(target.split(' '));
        let outcome = world.run(&mut make).ok();
        let last = outcome.stdout.lines().last().unwrap_or_default();
        // A variable that is empty leaves a blank.
        let words: Vec<_> = last.split_whitespace().collect();
        assert_eq!(words.join(" "), expected, "{target}: {outcome}");
    }
}
