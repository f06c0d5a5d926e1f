//! Runs the `crdgen` binary of a project's API crate.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::{Context, Error, Result};

/// The name of the binary.
const CRDGEN: &str = "crdgen";

/// Builds and runs it, and gives the CRDs that it printed.
pub(super) fn run(root: &Path, package: &str, quiet: bool) -> Result<Vec<Value>> {
    let program = build(root, package, quiet)?;
    let output = Command::new(&program)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .context(|| format!("failed to run `{}`", program.display()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::new(message)
            .context(format!(
                "the project's `{CRDGEN}` failed ({})",
                output.status
            ))
            .hint("a type in `api/` has no valid schema: the message above names the rule"));
    }
    let list: Value = serde_json::from_slice(&output.stdout)
        .context(|| format!("the project's `{CRDGEN}` did not print JSON"))?;
    match list.get("items") {
        Some(Value::Array(items)) => Ok(items.clone()),
        _ => Err(Error::new(format!(
            "the project's `{CRDGEN}` printed no list of CRDs"
        ))),
    }
}

/// Builds it with the project's own cargo, whose messages go to the terminal as they are.
fn build(root: &Path, package: &str, quiet: bool) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command
        .args(["build", "--package", package, "--bin", CRDGEN])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    if quiet {
        command.arg("--quiet");
    }
    let output = command.output().map_err(|e| {
        Error::new(e)
            .context(format!("failed to run `{}`", Path::new(&cargo).display()))
            .hint("install Rust, which brings cargo, and put it on PATH")
    })?;
    if !output.status.success() {
        return Err(
            Error::new("the types in `api/` do not build: cargo says why above")
                .hint("mend them and run the command again; nothing was written"),
        );
    }
    executable(&output.stdout).ok_or_else(|| {
        Error::new(format!(
            "cargo built no `{CRDGEN}` in the package `{package}`"
        ))
    })
}

/// The program in cargo's messages.
fn executable(messages: &[u8]) -> Option<PathBuf> {
    messages
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == CRDGEN)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}
