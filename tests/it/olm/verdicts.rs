//! What `operator-verify` and `operator-sdk` say to the same flaws, if they are on PATH: the verdicts that the table has
//! are their own.

use std::collections::BTreeSet;
use std::process::Command;

use rop::olm::validate::{Suite, rules};
use serde_json::Value;

use super::bundle::Bundle;
use super::mutations::{Row, Verdict, rows};
use crate::support::say::say;

/// The suites whose rules `operator-verify manifests` has, with its flags.
const SUITES: [Suite; 9] = [
    Suite::Loading,
    Suite::Csv,
    Suite::Crd,
    Suite::Content,
    Suite::OperatorHub,
    Suite::Capabilities,
    Suite::Categories,
    Suite::RemovedApis,
    Suite::Objects,
];

/// Rules whose flaws the program cannot show: those that need a disk, a value that it does not take, and checks of
/// operator-registry.
const OTHERS: [&str; 9] = [
    "bundle-directory",
    "unreadable-file",
    "k8s-version",
    "annotations-missing",
    "metadata-missing",
    "object-labels",
    "object-name",
    "object-namespace",
    "unsupported-kind",
];

fn is_known(row: &Row) -> bool {
    let suite = rules().find(|rule| rule.id == row.0).map(|rule| rule.suite);
    let is_of_suite = suite.is_some_and(|suite| SUITES.contains(&suite));
    is_of_suite && row.1 != Verdict::Unknown && !OTHERS.contains(&row.0)
}

/// The worst that the program says of a bundle, but for what it says of a valid one.
fn verdict(bundle: &Bundle) -> Verdict {
    let world = bundle.world();
    let output = Command::new("operator-verify")
        .args([
            "manifests",
            "bundle",
            "--operatorhub_validate",
            "--object_validate",
        ])
        .current_dir(world.path())
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let has = |level: &str| text.lines().filter(|it| it.contains(level)).count();
    if has("level=fatal") > 0 || !output.status.success() {
        Verdict::Fatal
    } else if has("level=error") > 0 {
        Verdict::Error
    } else if has("level=warning") > 1 {
        Verdict::Warning
    } else {
        Verdict::Passes
    }
}

#[test]
fn verdicts_are_those_of_operator_verify() {
    if Command::new("operator-verify")
        .arg("--help")
        .output()
        .is_err()
    {
        say("operator-verify is not on PATH: its verdicts are not compared");
        return;
    }
    assert_eq!(verdict(&Bundle::valid()), Verdict::Passes);
    let mut wrong = Vec::new();
    for (rule, expected, change) in rows().filter(is_known) {
        let mut bundle = Bundle::valid();
        change(&mut bundle);
        let found = verdict(&bundle);
        if found != expected {
            wrong.push(format!("{rule}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The suites that operator-sdk runs and `operator-verify` does not, with what selects them.
const SELECTED: [(Suite, &str); 4] = [
    (Suite::Format, "suite=operatorframework"),
    (Suite::GoodPractices, "suite=operatorframework"),
    (Suite::Community, "name=community"),
    (Suite::OperatorHubV1, "name=operatorhub"),
];

/// Rules whose flaws operator-sdk does not show, and why.
const HIDDEN: [(&str, &str); 4] = [
    (
        "manifests-path",
        "it cannot load the manifests, which another check comes after",
    ),
    ("operatorhub-deprecated", "it says so of every bundle"),
    (
        "channel-name",
        "it does not load the channels, which its validator would check",
    ),
    (
        "index-path",
        "the same bundle has an error that is another rule's",
    ),
];

/// What operator-sdk prints of a bundle: types and messages. `None` if it cannot load it.
fn outputs(bundle: &Bundle, selector: &str) -> Option<BTreeSet<(String, String)>> {
    let world = bundle.world();
    let mut command = Command::new("operator-sdk");
    command
        .args(["bundle", "validate", "bundle", "--output", "json-alpha1"])
        .args(["--image-builder", "none", "--select-optional", selector])
        .current_dir(world.path());
    if let Some(index) = &bundle.options.index {
        world.write(&index.path, &index.text);
        let path = format!("index-path={}", index.path);
        command.args(["--optional-values", &path]);
    }
    let output = command.output().expect("it starts");
    let report: Value = serde_json::from_slice(&output.stdout).ok()?;
    let outputs = report["outputs"].as_array().into_iter().flatten();
    let text = |output: &Value, field: &str| output[field].as_str().unwrap_or_default().to_owned();
    Some(
        outputs
            .map(|output| (text(output, "type"), text(output, "message")))
            .collect(),
    )
}

#[test]
fn verdicts_are_those_of_operator_sdk() {
    if Command::new("operator-sdk")
        .arg("version")
        .output()
        .is_err()
    {
        say("operator-sdk is not on PATH: its verdicts are not compared");
        return;
    }
    let mut wrong = Vec::new();
    for (rule, expected, change) in rows().filter(|row| row.1 != Verdict::Unknown) {
        let suite = rules().find(|it| it.id == rule).map(|it| it.suite);
        let selected = SELECTED
            .iter()
            .find(|(selected, _)| Some(*selected) == suite);
        let Some((_, selector)) = selected else {
            continue;
        };
        if HIDDEN.iter().any(|(hidden, _)| *hidden == rule) {
            continue;
        }
        let mut bundle = Bundle::valid();
        change(&mut bundle);
        let usual = outputs(&Bundle::valid(), selector).expect("a valid bundle");
        let found = outputs(&bundle, selector).map(|outputs| {
            let new: Vec<_> = outputs.difference(&usual).collect();
            let has = |kind: &str| new.iter().any(|(found, _)| found == kind);
            if has("error") {
                Verdict::Error
            } else if has("warning") {
                Verdict::Warning
            } else {
                Verdict::Passes
            }
        });
        let found = found.unwrap_or(Verdict::Fatal);
        if found != expected {
            wrong.push(format!("{rule}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
