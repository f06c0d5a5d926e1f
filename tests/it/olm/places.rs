//! Where bundles and catalogs are written, and clusters of any version.

use std::fs;
use std::os::unix::fs::symlink;

use crate::in_out::fake_kubectl;
use crate::support::{World, kubectl};

/// A clone can bring a link, which nobody named.
#[test]
fn a_catalog_is_not_behind_a_link() {
    let world = World::with_project();
    let outside = world.path().join("../home/outside");
    fs::create_dir_all(&outside).expect("a folder");
    symlink(&outside, world.path().join("catalog")).expect("a link");
    let is_empty = || fs::read_dir(&outside).expect("a folder").next().is_none();
    for command in ["init app-operator", "add bundle", "validate"] {
        let outcome = world.rop(&format!("catalog {command}"));
        outcome.exits(1);
        assert!(is_empty(), "{command}");
    }
    world
        .rop("catalog init app-operator")
        .exits(1)
        .says("error[outside-project]: `catalog` points out of the project");
    world.rop("catalog init app-operator --output catalog").ok();
    assert!(!is_empty());
}

#[test]
fn a_bundle_is_not_where_cargo_builds() {
    let world = World::with_api();
    for (folder, message) in [
        ("target", "cargo builds into `target`"),
        ("target/bundle", "cargo builds into `target`"),
        ("Cargo.toml", "`Cargo.toml` is a file, not a folder"),
        ("Cargo.toml/bundle", "`Cargo.toml` is a file, not a folder"),
    ] {
        let outcome = world.rop(&format!(
            "bundle --image example.com/a:v1 --output {folder}"
        ));
        assert_ne!(outcome.code, 0, "{outcome}");
        outcome.says(message);
    }
    world
        .rop("bundle --image example.com/a:v1 --channels stable,fast,stable")
        .ok();
    let annotations = world.read("bundle/metadata/annotations.yaml");
    assert!(
        annotations.contains("channels.v1: stable,fast\n"),
        "{annotations}"
    );
}

/// An operator that rop did not make can be looked at and removed wherever it runs.
#[test]
fn an_old_cluster() {
    if kubectl().is_none() {
        return;
    }
    let world = World::new();
    let script = r#"case "$*" in
        *"config view"*) echo '{"contexts": [{"name": "kind-a"}], "clusters": [{"cluster": {"server": "https://127.0.0.1:1"}}]}' ;;
        *api-versions*) echo operators.coreos.com/v1alpha1 ;;
        *version*) echo '{"serverVersion": {"major": "1", "minor": "25", "gitVersion": "v1.25.0"}}' ;;
        *=olm-operator*) echo '{"metadata": {"name": "olm-operator", "namespace": "olm"}, "status": {"availableReplicas": 1}}' ;;
        *) echo '{"kind": "List", "items": []}' ;;
    esac"#;
    let kubectl = fake_kubectl(&world, script);
    let run = |arguments: &str| {
        let mut rop = world.command(".");
        rop.args(arguments.split(' ')).env("KUBECTL", &kubectl);
        world.run(&mut rop)
    };
    run("olm status")
        .ok()
        .says("OLM v0  olm/olm-operator  1/1 available");
    run("cleanup app-operator").ok().says("nothing to delete");
    run("deploy --image a").exits(1);
}
