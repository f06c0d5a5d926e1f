//! `rop bundle validate IMAGE`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use super::bundle::Bundle;
use super::cluster::image::{bundle, layer, registry, registry_with};
use crate::support::World;

/// The configuration of an image that `rop bundle build` would make of a valid bundle.
fn configuration(change: impl Fn(&mut Value)) -> String {
    let prefix = "operators.operatorframework.io.bundle";
    let mut labels = json!({
        format!("{prefix}.channel.default.v1"): "stable",
        format!("{prefix}.channels.v1"): "candidate,stable",
        format!("{prefix}.manifests.v1"): "manifests/",
        format!("{prefix}.mediatype.v1"): "registry+v1",
        format!("{prefix}.metadata.v1"): "metadata/",
        format!("{prefix}.package.v1"): "app-operator",
    });
    change(&mut labels);
    json!({"config": {"Labels": labels}}).to_string()
}

#[test]
fn a_valid_image() {
    let world = Bundle::valid().world();
    let host = registry_with(bundle(&world), &configuration(|_| {}));
    let world = World::new();
    world
        .rop(&format!("bundle validate {host}/bundle:v1"))
        .ok()
        .says(&format!(
            "`{host}/bundle:v1` passes: no errors and no warnings"
        ));
    assert!(world.tree().is_empty());
}

#[test]
fn findings_name_files_of_the_image() {
    let mut flawed = Bundle::valid();
    flawed.csv("strategy: deployment", "strategy: helm");
    let host = registry_with(bundle(&flawed.world()), &configuration(|_| {}));
    let world = World::new();
    let line = format!("bundle validate {host}/bundle:v1");
    let file = format!("{host}/bundle:v1/manifests/app-operator.clusterserviceversion.yaml");
    world
        .rop(&line)
        .exits(1)
        .says("error[install-strategy]")
        .says(&file);
    for flag in ["-o json-alpha1", "-o sarif", "--json"] {
        let outcome = world.rop(&format!("{line} {flag}")).exits(1);
        let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert!(report.to_string().contains("install-strategy"), "{report}");
        assert!(!outcome.stdout.contains("/tmp/"), "{outcome}");
    }
}

#[test]
fn labels_are_the_annotations() {
    let prefix = "operators.operatorframework.io.bundle";
    let configuration = configuration(|labels| {
        labels[format!("{prefix}.package.v1")] = "other\u{1b}[2J".into();
        labels[format!("{prefix}.extra")] = "".into();
        let labels = labels.as_object_mut().expect("an object");
        labels.remove(&format!("{prefix}.channels.v1"));
    });
    let layer = bundle(&Bundle::valid().world());
    let host = registry_with(layer.clone(), &configuration);
    let world = World::new();
    let outcome = world
        .rop(&format!("bundle validate {host}/bundle:v1"))
        .exits(1);
    assert!(!outcome.stdout.contains('\u{1b}'), "{outcome}");
    assert_eq!(outcome.stdout.matches("error[image-labels]").count(), 3);
    outcome
        .says("the image has `other\\u{1b}[2J` as its label")
        .says("the image has no label `operators.operatorframework.io.bundle.channels.v1`")
        .says("the image has a label that is no annotation");
    let host = registry(layer.clone());
    let without = world.rop(&format!("bundle validate {host}/bundle:v1"));
    assert_eq!(without.stdout.matches("the image has no label").count(), 6);
    for wrong in ["", "[", "null", "{\"config\": {\"Labels\": [1]}}"] {
        let host = registry_with(layer.clone(), wrong);
        let outcome = world.rop(&format!("bundle validate {host}/bundle:v1"));
        outcome.exits(1);
    }
}

/// A directory that exists is no image, and neither is one that was misspelled.
#[test]
fn directories_are_no_images() {
    let world = Bundle::valid().world();
    let path = world.path();
    std::fs::create_dir_all(path.join("example.com")).expect("a folder");
    std::fs::rename(path.join("bundle"), path.join("example.com/bundle:v1")).expect("a folder");
    world.rop("bundle validate example.com/bundle:v1").ok();
    for missing in ["bundel", "out/bundle", "./bundle:v1", "example.com/bundel/"] {
        world
            .rop(&format!("bundle validate {missing}"))
            .exits(1)
            .says("error[bundle-directory]: the directory does not exist");
    }
    // The name of a directory can have any bytes.
    let name = OsStr::from_bytes(b"bundle\xff:v1");
    std::fs::rename(path.join("example.com/bundle:v1"), path.join(name)).expect("a folder");
    world
        .run(world.command(".").args(["bundle", "validate"]).arg(name))
        .ok();
    world
        .rop("bundle validate example.com/Bundle:v1")
        .exits(2)
        .says("or name the directory of a bundle");
}

#[test]
fn images_that_are_no_bundles() {
    let world = World::new();
    let host = registry(layer(&[]));
    world
        .rop(&format!("bundle validate {host}/bundle:v1"))
        .exits(1)
        .says("error[manifests-missing]");
    world
        .rop("bundle validate localhost:1/bundle:v1")
        .exits(1)
        .says("failed to pull the bundle `localhost:1/bundle:v1`");
}
