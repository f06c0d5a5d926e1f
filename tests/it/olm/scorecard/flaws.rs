//! A bundle with one flaw for each way in which a test fails, and operator-sdk's verdicts on the same bundles.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{Bundle, bundle};
use crate::olm::bundle::{CRD, CSV, OTHER_CRD};
use crate::support::World;
use crate::support::say::say;

const SPEC: &str = "basic-check-spec";
const VALIDATION: &str = "olm-bundle-validation";
const SCHEMA: &str = "olm-crds-have-validation";
const RESOURCES: &str = "olm-crds-have-resources";
const SPEC_DESCRIPTORS: &str = "olm-spec-descriptors";
const STATUS_DESCRIPTORS: &str = "olm-status-descriptors";
const TESTS: [&str; 6] = [
    SPEC,
    VALIDATION,
    SCHEMA,
    RESOURCES,
    SPEC_DESCRIPTORS,
    STATUS_DESCRIPTORS,
];

/// A flaw: the tests that do not pass with how they end, the verdicts of operator-sdk if these are others, and what
/// makes it.
struct Row {
    name: &'static str,
    ends: &'static [(&'static str, &'static str)],
    /// None where operator-sdk crashes or prints no result.
    other: &'static [(&'static str, Option<&'static str>)],
    change: fn(&mut Bundle),
}

const EXAMPLE: &str = "\"spec\": {\"size\": 3}";

const ROWS: &[Row] = &[
    Row {
        name: "no flaw",
        ends: &[],
        other: &[],
        change: |_| {},
    },
    Row {
        name: "an example without spec",
        ends: &[(SPEC_DESCRIPTORS, "fail")],
        other: &[],
        change: |b| b.csv(EXAMPLE, "\"x\": 1"),
    },
    Row {
        name: "examples that are not JSON",
        ends: &[
            (SPEC, "fail"),
            (VALIDATION, "fail"),
            (SCHEMA, "error"),
            (SPEC_DESCRIPTORS, "error"),
            (STATUS_DESCRIPTORS, "error"),
        ],
        other: &[],
        change: |b| b.csv(EXAMPLE, "\"spec\": {"),
    },
    Row {
        name: "an example with a field that the schema does not have",
        ends: &[(SCHEMA, "fail"), (SPEC_DESCRIPTORS, "fail")],
        other: &[],
        change: |b| b.csv(EXAMPLE, "\"spec\": {\"size\": 3, \"color\": 1}"),
    },
    Row {
        name: "an example with a status that nothing describes",
        ends: &[(SCHEMA, "fail"), (STATUS_DESCRIPTORS, "fail")],
        other: &[],
        change: |b| {
            b.csv(
                EXAMPLE,
                "\"spec\": {\"size\": 3}, \"status\": {\"lost\": 1}",
            );
        },
    },
    Row {
        name: "a kind without resources",
        ends: &[(RESOURCES, "fail")],
        other: &[],
        change: |b| b.cut(CSV, "resources:"),
    },
    Row {
        name: "a kind without descriptors",
        ends: &[(SPEC_DESCRIPTORS, "fail")],
        other: &[],
        change: |b| b.cut(CSV, "specDescriptors:"),
    },
    Row {
        name: "an example of a kind that is not owned",
        ends: &[
            (VALIDATION, "fail"),
            (SPEC_DESCRIPTORS, "fail"),
            (STATUS_DESCRIPTORS, "fail"),
        ],
        other: &[],
        change: |b| b.csv("\"kind\": \"AppService\"", "\"kind\": \"Other\""),
    },
    Row {
        name: "an example of another group",
        ends: &[
            (VALIDATION, "fail"),
            (SPEC_DESCRIPTORS, "fail"),
            (STATUS_DESCRIPTORS, "fail"),
        ],
        // It ignores groups in these tests.
        other: &[
            (SPEC_DESCRIPTORS, Some("pass")),
            (STATUS_DESCRIPTORS, Some("pass")),
        ],
        change: |b| b.csv("\"app.example.com/v1\"", "\"example.org/v1\""),
    },
    Row {
        name: "an example with a spec that is a number",
        ends: &[(SCHEMA, "fail"), (SPEC_DESCRIPTORS, "fail")],
        other: &[(SCHEMA, None), (SPEC_DESCRIPTORS, None)],
        change: |b| b.csv(EXAMPLE, "\"spec\": 3"),
    },
    Row {
        name: "no examples",
        ends: &[],
        other: &[],
        change: |b| b.cut(CSV, "alm-examples: |-"),
    },
    Row {
        name: "no annotations",
        ends: &[],
        other: &[],
        change: |b| b.cut(CSV, "annotations:"),
    },
    Row {
        name: "a CRD that the CSV does not own",
        ends: &[(VALIDATION, "fail")],
        other: &[],
        change: |b| b.write("manifests/other.yaml", OTHER_CRD),
    },
    Row {
        name: "no schema",
        ends: &[(VALIDATION, "fail")],
        // The API server takes no such CRD.
        other: &[(VALIDATION, Some("pass"))],
        change: |b| b.cut(CRD, "schema:"),
    },
    Row {
        name: "no CSV",
        ends: &[
            (SPEC, "fail"),
            (VALIDATION, "fail"),
            (SCHEMA, "fail"),
            (RESOURCES, "fail"),
            (SPEC_DESCRIPTORS, "fail"),
            (STATUS_DESCRIPTORS, "fail"),
        ],
        other: &[
            (SPEC, None),
            (VALIDATION, None),
            (SCHEMA, None),
            (RESOURCES, None),
            (SPEC_DESCRIPTORS, None),
            (STATUS_DESCRIPTORS, None),
        ],
        change: |b| b.remove(CSV),
    },
];

/// The results of the tests, by name.
fn results(world: &World) -> Vec<(String, Value)> {
    let outcome = world.rop("scorecard --json");
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let tests = report["tests"].as_array().expect("tests").iter();
    let results: Vec<_> = tests
        .map(|test| {
            let result = test["results"][0].clone();
            (result["name"].as_str().expect("a name").to_owned(), result)
        })
        .collect();
    let passes = results.iter().all(|(_, result)| result["state"] == "pass");
    assert_eq!(outcome.code, i32::from(!passes), "{outcome}");
    assert_eq!(report["passed"], passes);
    results
}

/// Each flaw fails the tests that it should and no other; each failure has a place and says what to do.
#[test]
fn each_flaw_fails_its_tests() {
    let mut lines = Vec::new();
    for row in ROWS {
        let mut bundle = bundle();
        (row.change)(&mut bundle);
        lines.push(format!("{}:", row.name));
        for (name, result) in results(&bundle.world()) {
            let expected = row.ends.iter().find(|(test, _)| *test == name);
            let expected = expected.map_or("pass", |(_, state)| state);
            assert_eq!(
                result["state"], expected,
                "{}: {name}: {result:#}",
                row.name
            );
            let findings = result["findings"].as_array().expect("findings");
            assert!(
                expected == "pass" || !findings.is_empty(),
                "{}: {name}",
                row.name
            );
            for finding in findings {
                let text = |key: &str| finding[key].as_str().expect(key);
                assert!(!text("hint").is_empty() && text("file").starts_with("bundle"));
                lines.push(format!(
                    "  {name} {}: {}:{} {}: {}\n    {}",
                    text("level"),
                    text("file"),
                    finding["line"],
                    text("field"),
                    text("message"),
                    text("hint")
                ));
            }
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("scorecard-flaws", lines.join("\n")));
}

/// The state that operator-sdk's own program gives to a test of a bundle, if it gives one.
fn verdict(world: &World, program: &std::path::Path, test: &str) -> Option<String> {
    let root = world.path().join("root");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir(&root).expect("a directory");
    // A program that this process had written could still be open in a child of another test.
    let copied = Command::new("cp")
        .arg("-r")
        .arg(world.path().join("bundle"))
        .arg(program)
        .arg(&root)
        .status();
    assert!(copied.expect("cp runs").success());
    // It reads `/bundle`, so it gets a root of its own.
    let output = Command::new("unshare")
        .arg("--map-root-user")
        .arg("--root")
        .arg(&root)
        .args(["/scorecard-test", test])
        .output()
        .expect("unshare runs");
    let report: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(report["results"][0]["state"].as_str()?.to_owned())
}

fn program() -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("scorecard-test"))
        .find(|program| program.is_file());
    let may = Command::new("unshare")
        .args(["--map-root-user", "true"])
        .output();
    let may = may.is_ok_and(|output| output.status.success());
    if found.is_none() || !may {
        say(
            "skipped: operator-sdk's verdicts, as `scorecard-test` is not on PATH or cannot have a root",
        );
        return None;
    }
    found
}

#[test]
fn verdicts_are_those_of_operator_sdk() {
    let Some(program) = program() else {
        return;
    };
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut bundle = bundle();
        (row.change)(&mut bundle);
        let world = bundle.world();
        for test in TESTS {
            let own = row.ends.iter().find(|(name, _)| *name == test);
            let own = own.map_or("pass", |(_, state)| state);
            let other = row.other.iter().find(|(name, _)| *name == test);
            let expected = other.map_or(Some(own), |(_, state)| *state);
            let found = verdict(&world, &program, test);
            if found.as_deref() != expected {
                wrong.push(format!("{}: {test}: {found:?}, not {expected:?}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
