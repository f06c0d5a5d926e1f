//! What `operator-verify` says to the same flaws, if it is on PATH: the verdicts that the table has are its own.

use std::process::Command;

use rop::olm::validate::{Suite, rules};

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
