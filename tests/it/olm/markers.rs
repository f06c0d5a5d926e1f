//! The markers of operator-sdk above Rust types, and what becomes of them in a bundle.

use serde_json::{Value, json};

use super::generated::csv;
use crate::support::World;

const TYPES: &str = "api/src/app/v1alpha1/app_service.rs";
const CRD: &str = "config/crd/bases/app.example.com_appservices.yaml";
const MARKER: &str = "+operator-sdk:csv:customresourcedefinitions";

/// Adds lines above a text in the types.
fn above(world: &World, text: &str, lines: &[&str]) {
    let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
    world.replace(TYPES, text, &format!("{}{text}", lines.concat()));
}

/// A project whose specification has a list of a type of its own, `limits`.
fn world() -> World {
    let world = World::with_api();
    let spec = world.read(TYPES);
    let spec = spec
        .lines()
        .find(|line| line.starts_with("pub struct") && line.contains("Spec"));
    let spec = spec.expect("a specification");
    world.replace(
        TYPES,
        spec,
        &format!("{spec}\n    pub limits: Option<Vec<Limit>>,\n"),
    );
    let limit = "\n#[derive(Clone)]\n#[serde(rename_all = \"camelCase\")]\npub struct Limit {\n    pub max_size: i32,\n}\n";
    world.write(TYPES, &(world.read(TYPES) + limit));
    let mut crd: Value = serde_yaml::from_str(&world.read(CRD)).expect("YAML");
    let limits = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"maxSize": {"type": "integer", "description": "The largest size.\n\nMore."}},
        },
    });
    let schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    crd.pointer_mut(schema).expect("a schema")["limits"] = limits;
    world.write(CRD, &serde_yaml::to_string(&crd).expect("YAML"));
    world
}

/// The only kind that the bundle owns.
fn owned(world: &World) -> Value {
    csv(world)["spec"]["customresourcedefinitions"]["owned"][0].take()
}

fn of_path(descriptors: &Value, path: &str) -> Value {
    let descriptors = descriptors.as_array().expect("descriptors");
    let found = descriptors.iter().find(|it| it["path"] == path);
    found.cloned().unwrap_or_default()
}

/// What operator-sdk makes of them: paths, names and their order.
#[test]
fn markers_describe_kinds_and_fields() {
    let world = world();
    above(
        &world,
        "    pub limits:",
        &[&format!(
            "    // {MARKER}:type=spec,order=2,displayName=\"All limits\""
        )],
    );
    above(
        &world,
        "    pub max_size:",
        &[
            &format!(
                "    // {MARKER}:type=spec,displayName=\"Largest, size\",order=1,xDescriptors={{\"urn:a\",\"urn:b\"}}"
            ),
            "    // Another comment.",
            "    #[serde(default)]",
        ],
    );
    above(
        &world,
        "    pub image:",
        &[&format!(
            "    /// {MARKER}:type=spec,xDescriptors=\"urn:c\" ; \"urn:d\""
        )],
    );
    above(
        &world,
        "    pub conditions:",
        &[&format!(
            "    // {MARKER}:type=status,displayName=\"State\""
        )],
    );
    above(
        &world,
        "#[derive(Clone, CustomResource",
        &[
            &format!("// {MARKER}:displayName=\"App\",order=1"),
            &format!(
                "//{MARKER}:resources={{{{Service,v1,web}},{{Pod,v1}},{{Deployment,v1,\"\"}}}}"
            ),
        ],
    );
    world.rop("bundle --image example.com/app:v1").ok();
    let owned = owned(&world);
    assert_eq!(owned["displayName"], "App");
    let resource = |kind: &str, name: &str| json!({"kind": kind, "name": name, "version": "v1"});
    assert_eq!(
        owned["resources"],
        json!([
            resource("Deployment", ""),
            resource("Pod", ""),
            resource("Service", "web")
        ])
    );
    let spec = owned["specDescriptors"].as_array().expect("descriptors");
    assert_eq!(
        spec[..2],
        [
            json!({
                "path": "limits[0].maxSize",
                "displayName": "Largest, size",
                "description": "The largest size.",
                "x-descriptors": ["urn:a", "urn:b"],
            }),
            json!({"path": "limits", "displayName": "All limits"}),
        ]
    );
    // What the marker leaves out comes from the schema.
    let image = of_path(&owned["specDescriptors"], "image");
    assert_eq!(image["displayName"], "Image");
    assert!(image["description"].is_string());
    assert_eq!(image["x-descriptors"], json!(["urn:c", "urn:d"]));
    let conditions = of_path(&owned["statusDescriptors"], "conditions");
    assert_eq!(conditions["displayName"], "State");
    world.rop("bundle --check --image example.com/app:v1").ok();
    world.rop("bundle validate bundle").ok();
}

#[test]
fn wrong_markers() {
    let world = world();
    let types = world.read(TYPES);
    let line = types.lines().position(|line| line.contains("pub limits:"));
    let line = line.expect("a line") + 1;
    let unedited = world.tree();
    for (arguments, says) in [
        ("displayName=\"A\"", "the marker has no `type`"),
        ("type=other", "unknown type `other`"),
        (
            "type=status",
            "the marker is above no field of the status of a kind",
        ),
        ("type=spec,name=a", "unknown key `name`"),
        ("type=spec,order=first", "`order` is not a whole number"),
        ("type=spec,order=-1", "`order` is not a whole number"),
        ("type=spec,resources={{Pod,v1}}", "`resources` is for types"),
        ("type=spec,type=spec", "duplicate key `type`"),
        ("type=spec,displayName=", "a value is missing at the end"),
        ("type=spec,displayName={}", "`displayName` is empty"),
        ("type=spec,xDescriptors={}", "`xDescriptors` is empty"),
        ("type=spec,displayName=\"\"", "`displayName` is empty"),
        ("type=spec,order=\"\"", "`order` is empty"),
        ("type=,order=1", "a value is missing before `,order=1`"),
        ("type=spec,xDescriptors={a", "a `{` is not closed"),
        ("type=spec,displayName=a b", "unexpected `b`"),
        ("", "`` is not `key=value`"),
        ("type=spec,displayName=\"a\u{1b}[2J", "the quote in"),
    ] {
        let marker = format!("    // {MARKER}:{arguments}");
        world.write(TYPES, &types);
        above(&world, "    pub limits:", &[&marker]);
        let outcome = world.rop("bundle").exits(1);
        let outcome = outcome
            .says("error[invalid-marker]")
            .says(&format!("{TYPES}:{line}: {says}"))
            .says("hint: ");
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome}");
    }
    for (marker, says) in [
        (
            "+operator-sdk:csv:customresourcedefinition:type=spec",
            "unknown marker",
        ),
        ("+operator-sdk:csv", "unknown marker"),
    ] {
        world.write(TYPES, &types);
        above(&world, "    pub limits:", &[&format!("    // {marker}")]);
        world.rop("bundle").exits(1).says(says);
    }
    world.write(TYPES, &types);
    assert_eq!(world.tree(), unedited, "nothing is written");
}

/// Above types, twice, and above nothing.
#[test]
fn misplaced_markers() {
    let world = world();
    let types = world.read(TYPES);
    let derive = "#[derive(Clone, CustomResource";
    for (arguments, says) in [
        ("type=spec", "`type` is for fields"),
        ("resources={}", "`resources` is empty"),
        ("resources={Pod}", "`resources` is not a list of kinds"),
        ("resources={{Pod}}", "`resources` is not a list of kinds"),
        (
            "resources={{Pod,v1,a,b}}",
            "`resources` is not a list of kinds",
        ),
        ("resources={{{Pod}}}", "too many braces"),
    ] {
        world.write(TYPES, &types);
        above(&world, derive, &[&format!("// {MARKER}:{arguments}")]);
        world.rop("bundle").exits(1).says(says);
    }
    world.write(TYPES, &types);
    let twice = format!("// {MARKER}:order=1");
    above(&world, derive, &[&twice, &twice]);
    world
        .rop("bundle")
        .exits(1)
        .says("`order` is set by another marker");
    // Types that rop does not know.
    world.write(
        TYPES,
        &types.replace("kind = \"AppService\"", "other = \"A\""),
    );
    above(
        &world,
        "    pub limits:",
        &[&format!("    // {MARKER}:type=spec")],
    );
    world.rop("bundle").exits(1).says("above no field");
    world.write(TYPES, &format!("// {MARKER}:type=spec\nstruct {{"));
    world.rop("bundle").exits(1).says(TYPES);
    // Below everything, and in code for tests.
    world.write(TYPES, &format!("{types}// {MARKER}:type=spec\n"));
    world.rop("bundle").exits(1).says("above no field");
    let of_tests = format!("#[cfg(test)]\nmod tests {{\n    // {MARKER}:other\n}}\n");
    world.write(TYPES, &format!("{types}{of_tests}"));
    world.rop("bundle").ok();
}
