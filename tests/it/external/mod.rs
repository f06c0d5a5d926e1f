//! Types of kinds of other operators: the CRD that they make is the one that they are made of.

mod same;

use std::process::Command;

use serde_json::Value;

use crate::support::{World, cargo};
use same::settled;

/// A CRD with every construct that a schema can have, and an object of it with every field.
const EVERY: &str = include_str!("every.yaml");
const OBJECT: &str = include_str!("object.json");

/// Prints the CRDs of the types, and an object as it is after it was read.
const PROGRAM: &str = r#"use app_operator_api::external::things_example_org as things;
use kube::CustomResourceExt as _;

fn main() {
    let object = std::fs::read_to_string("object.json").unwrap();
    let object: things::v1::Everything = serde_json::from_str(&object).unwrap();
    let all = (
        things::v1::Everything::crd(),
        things::v1beta1::Everything::crd(),
        object,
    );
    println!("{}", serde_json::to_string(&all).unwrap());
}
"#;

/// A project with the types of both versions.
fn world() -> World {
    let world = World::with_project();
    world.write("every.yaml", EVERY);
    for version in ["v1", "v1beta1"] {
        let outcome = world.rop(&format!(
            "create api --group things.example.org --version {version} --kind Everything --resource=false \
             --controller=false --external-crd every.yaml"
        ));
        outcome.ok();
    }
    world
}

#[test]
fn the_crd_of_the_types_is_the_one_that_they_are_made_of() {
    let world = world();
    world.write("object.json", OBJECT);
    world.write("api/src/bin/external.rs", PROGRAM);
    // What the operator builds is built for its types too: with theirs alone, all would be built once more.
    let both = "--quiet --offline --package app-operator --package app-operator-api";
    cargo::cargo(&world, &format!("build {both} --bins")).ok();
    let program = cargo::target().join("debug/external");
    let outcome = world
        .run(Command::new(program).current_dir(world.path()))
        .ok();
    let made: [Value; 3] = serde_json::from_str(&outcome.stdout).expect(&outcome.stdout);
    let source: Value = serde_yaml::from_str(EVERY).expect("YAML");
    for (made, version) in made.iter().zip(["v1", "v1beta1"]) {
        let [made, source] = [made, &source].map(|crd| settled(crd, version));
        let [made, source] =
            [made, source].map(|crd| serde_json::to_string_pretty(&crd).expect("JSON"));
        let diff = similar::TextDiff::from_lines(&source, &made);
        assert_eq!(made, source, "{}", diff.unified_diff());
    }
    // No field is lost, and none is added.
    let object: Value = serde_json::from_str(OBJECT).expect("JSON");
    assert_eq!(made[2], object);
    cargo::cargo(&world, &format!("clippy {both} --lib -- --deny warnings")).ok();
    cargo::cargo(&world, "fmt --all --check").ok();
}

/// Readable, and with a name for each type.
#[test]
fn types() {
    let world = world();
    let types = world.read("api/src/external/things_example_org/v1/everything.rs");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("external", types));
}
