//! Credential helpers that do not behave.

use serde_json::json;

use super::Quick;
use crate::support::Outcome;
use crate::support::registry::Double;

fn push(helper: &str) -> Outcome {
    let (registry, quick) = (Double::start(), Quick::new());
    std::fs::create_dir_all(quick.bin.join("docker")).expect("a folder");
    let config = json!({"credsStore": "test"}).to_string();
    std::fs::write(quick.bin.join("docker/config.json"), config).expect("a file");
    quick.install("docker-credential-test", &format!("#!/bin/sh\n{helper}\n"));
    let host = registry.host();
    let outcome = quick.rop(&format!(
        "build --engine none --push {host}/a/b:v1 --quiet --timeout 1"
    ));
    Outcome {
        stderr: outcome.stderr.replace(&host, "[HOST]"),
        ..outcome
    }
}

#[test]
fn one_that_does_not_end() {
    insta::assert_snapshot!(push("exec sleep 1000").exits(1), @"
    exit: 1
    --- stderr
    error[credential-helper-failed]: failed to read the login for `[HOST]`
      caused by: `docker-credential-test` did not finish within 1 s
    hint: wait longer with `--timeout`
    ");
    // What it has started keeps its output open.
    push("sleep 1000 & wait").exits(1);
}

#[test]
fn one_that_prints_without_end() {
    insta::assert_snapshot!(push("exec yes").exits(1), @"
    exit: 1
    --- stderr
    error[credential-helper-failed]: failed to read the login for `[HOST]`
      caused by: `docker-credential-test` printed more than 1048576 bytes
    ");
    push("exec yes >&2").exits(1);
}

#[test]
fn one_that_prints_no_login() {
    insta::assert_snapshot!(push("echo hello").exits(1), @"
    exit: 1
    --- stderr
    error[credential-helper-failed]: failed to read the login for `[HOST]`
      caused by: `docker-credential-test` did not print credentials as JSON
    ");
    insta::assert_snapshot!(push("echo no >&2; exit 2").exits(1), @"
    exit: 1
    --- stderr
    error[credential-helper-failed]: failed to read the login for `[HOST]`
      caused by: `docker-credential-test` says: no
    ");
}

/// An agent that it leaves behind holds nothing up.
#[test]
fn one_that_leaves_an_agent() {
    push("sleep 5 & echo '{\"ServerURL\":\"x\",\"Username\":\"u\",\"Secret\":\"p\"}'").ok();
}
