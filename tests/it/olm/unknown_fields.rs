//! Fields that OLM does not know: those of its CRD, and what is said of others.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::api_server::OLM;
use super::generated::csv;
use crate::support::World;
use crate::support::tools::go_module;

const TABLE: &str = include_str!("../../../src/olm/fields/table.txt");
const CRD: &str = "crds/operators.coreos.com_clusterserviceversions.yaml";
const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";
const CSV: &str = "bundle/manifests/app-operator.clusterserviceversion.yaml";

/// Adds the paths of the fields of a type of the table.
fn of_table(table: &[&str], kind: &str, path: &str, paths: &mut BTreeSet<String>) {
    let start = table.iter().position(|word| *word == format!("{kind}:"));
    let fields = &table[start.unwrap_or_else(|| panic!("no {kind}")) + 1..];
    for field in fields.iter().take_while(|word| !word.ends_with(':')) {
        let (name, kind) = field.split_once('=').unwrap_or((field, ""));
        let path = format!("{path}.{name}");
        let kind = kind.trim_matches(['[', ']']);
        if kind.starts_with(|c: char| c.is_ascii_uppercase()) {
            of_table(table, kind, &path, paths);
        }
        paths.insert(path);
    }
}

/// Adds the paths of the fields of a schema.
fn of_schema(schema: &Value, path: &str, paths: &mut BTreeSet<String>) {
    if schema["items"].is_object() {
        of_schema(&schema["items"], path, paths);
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        of_schema(schema, &path, paths);
        paths.insert(path);
    }
}

#[test]
fn the_table_has_the_fields_of_the_crd() {
    let Some(module) = go_module(OLM) else {
        return;
    };
    let text = fs::read_to_string(module.join(CRD)).expect("the CRD");
    let crd: Value = serde_yaml::from_str(&text).expect("YAML");
    let (mut of_crd, mut known) = (BTreeSet::new(), BTreeSet::new());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    of_schema(schema, "", &mut of_crd);
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    of_table(&words, "ClusterServiceVersion", "", &mut known);
    // The schema leaves metadata to the API server.
    known.retain(|path| !path.contains(".metadata."));
    assert!(of_crd.len() > 1000, "{}", of_crd.len());
    let differing: Vec<_> = of_crd.symmetric_difference(&known).collect();
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn fields_of_the_base_are_named_and_kept() {
    let world = World::with_api();
    world.rop("bundle").ok();
    world.replace(
        BASE,
        "  maturity: alpha\n",
        "  maturity: alpha\n  maintaners:\n  - {name: Team, emial: a@b.c}\n  x-mine: {kept: [1]}\n",
    );
    let line = |text: &str| {
        let base = world.read(BASE);
        let line = base.lines().position(|line| line.starts_with(text));
        line.expect("a line") + 1
    };
    let outcome = world.rop("bundle").ok();
    let (maintainers, mine) = (line("  maintaners"), line("  x-mine"));
    let outcome = outcome
        .says(&format!(
            "`{BASE}:{maintainers}`: unknown field `spec.maintaners`: OLM drops it; did you mean `maintainers`?"
        ))
        .says(&format!("`{BASE}:{mine}`: unknown field `spec.x-mine`: OLM drops it; correct"));
    // Once for each field, though the bundle has them, too.
    assert_eq!(
        outcome.stderr.matches("unknown field").count(),
        2,
        "{outcome}"
    );
    assert_eq!(csv(&world)["spec"]["x-mine"]["kept"][0], 1);
    assert_eq!(csv(&world)["spec"]["maintaners"][0]["emial"], "a@b.c");
    world
        .rop("bundle --check")
        .ok()
        .says("unknown field `spec.x-mine`");
}

#[test]
fn fields_of_the_bundle_alone_are_named() {
    let world = World::with_api();
    world.rop("bundle").ok();
    world.replace(
        CSV,
        "  maturity: alpha\n",
        "  maturity: alpha\n  repalces: a.v1\n",
    );
    let outcome = world.rop("bundle").ok();
    let csv = world.read(CSV);
    let line = csv.lines().position(|line| line == "  repalces: a.v1");
    outcome.says(&format!(
        "warning[csv-unknown-field]: unknown field `spec.repalces`: OLM drops it\n  --> {CSV}:{} spec.repalces\n  \
        hint: did you mean `replaces`?",
        line.expect("a line") + 1
    ));
}
