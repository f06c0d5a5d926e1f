//! Types of kinds of other operators: the CRD that they make is the one that they are made of.

mod folder;
mod full;
mod odd;
mod same;

use serde_json::Value;

use crate::support::{World, cargo};
use same::settled;

/// A CRD with every construct that a schema can have, and an object of it with every field.
const EVERY: &str = include_str!("every.yaml");
const OBJECT: &str = include_str!("object.json");

/// A CRD and objects of it, with values that are easily lost.
const VALUES: &str = include_str!("values.yaml");
const OBJECTS: &str = include_str!("values.json");

/// Writes down the CRDs of the types, and objects as they are after they were read. As a test of the operator it is
/// built with what all projects' tests are built with.
const PROGRAM: &str = r#"//! What the types make.

use app_operator_api::external::things_example_org as things;
use app_operator_api::external::xn_bcher_kva_example_org as odd;
use kube::CustomResourceExt as _;

#[test]
fn is_made() {
    let object = std::fs::read_to_string("object.json").unwrap();
    let object: things::v1::Everything = serde_json::from_str(&object).unwrap();
    let objects = std::fs::read_to_string("values.json").unwrap();
    let objects: Vec<things::v1::Values> = serde_json::from_str(&objects).unwrap();
    let odd = std::fs::read_to_string("odd.json").unwrap();
    let odd: odd::v1::ApiKind = serde_json::from_str(&odd).unwrap();
    let all = (
        things::v1::Everything::crd(),
        things::v1beta1::Everything::crd(),
        things::v1::Values::crd(),
        object,
        objects,
        odd::v1::ApiKind::crd(),
        odd,
    );
    std::fs::write("made.json", serde_json::to_string(&all).unwrap()).unwrap();
}
"#;

/// A project that has a webhook, as most that tests build: the runtime is built once for all of them.
fn project() -> World {
    let world = World::with_project();
    let webhook = "create webhook --group core --kind Pod --validation";
    world.rop(webhook).ok();
    world
}

/// A project with the types of both versions.
fn world() -> World {
    let world = project();
    world.write("every.yaml", EVERY);
    for version in ["v1", "v1beta1"] {
        let outcome = world.rop(&format!(
            "create api --group things.example.org --version {version} --kind Everything --resource=false \
             --controller=false --external-crd every.yaml"
        ));
        outcome.ok();
    }
    world.write("values.yaml", VALUES);
    world
        .rop(
            "create api --group things.example.org --kind Values --resource=false --controller=false \
             --external-crd values.yaml",
        )
        .ok();
    world.write("odd-crd.json", &odd::crd().to_string());
    world
        .rop(
            "create api --group xn--bcher-kva.example.org --kind Api --resource=false --controller=false \
             --external-crd odd-crd.json",
        )
        .ok();
    world
}

#[test]
fn the_crd_of_the_types_is_the_one_that_they_are_made_of() {
    let world = world();
    world.write("object.json", OBJECT);
    world.write("values.json", OBJECTS);
    world.write("odd.json", &odd::object().to_string());
    let made: [Value; 7] = serde_json::from_str(&made(&world, PROGRAM)).expect("JSON");
    let values: Value = serde_yaml::from_str(VALUES).expect("YAML");
    is_the_same(&made[2], &values, "v1");
    let source: Value = serde_yaml::from_str(EVERY).expect("YAML");
    for (made, version) in made.iter().zip(["v1", "v1beta1"]) {
        is_the_same(made, &source, version);
    }
    is_the_same(&made[5], &odd::crd(), "v1");
    // No value is lost, and none is added.
    assert_eq!(made[6], odd::object());
    let object: Value = serde_json::from_str(OBJECT).expect("JSON");
    assert_eq!(made[3], object);
    let objects: Vec<Value> = serde_json::from_str(OBJECTS).expect("JSON");
    for (index, object) in objects.iter().enumerate() {
        let [made, stored] = [&made[4][index], object]
            .map(|object| serde_json::to_string_pretty(&sorted(object)).expect("JSON"));
        let diff = similar::TextDiff::from_lines(&stored, &made);
        assert_eq!(made, stored, "{}", diff.unified_diff());
    }
    cargo::cargo(&world, "fmt --all --check").ok();
}

fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

/// Whether a CRD is the source in that version.
#[track_caller]
fn is_the_same(made: &Value, source: &Value, version: &str) {
    let [made, source] = [made, source].map(|crd| settled(crd, version));
    let [made, source] =
        [made, source].map(|crd| serde_json::to_string_pretty(&crd).expect("JSON"));
    let diff = similar::TextDiff::from_lines(&source, &made);
    assert_eq!(made, source, "{version}: {}", diff.unified_diff());
}

/// What a test of the operator writes down.
fn made(world: &World, program: &str) -> String {
    world.write("tests/external.rs", program);
    let outcome = cargo::cargo(world, "test --offline --test external");
    outcome.ok().has_no_warning();
    world.read("made.json")
}

/// Readable, and with a name for each type.
#[test]
fn types() {
    let world = world();
    let types = world.read("api/src/external/things_example_org/v1/everything.rs");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("external", types));
}
