//! Builds and runs the `crdgen` binary of a project's API crate.

mod panicked;
mod printed;
mod restored;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cargo::{Build, Target, clean};
use crate::error::{Code, Context as _, Error, Result};
use crate::project::Project;

/// The name of the binary.
const CRDGEN: &str = "crdgen";

/// Builds and runs it, and gives the CRDs that it printed.
pub(super) fn run(root: &Path, project: &Project, quiet: bool) -> Result<Vec<Value>> {
    let program = build(root, project, quiet)?;
    let printed = printed::run(&program, root)?;
    let list: Value = serde_json::from_slice(&printed).context(Code::CrdgenFailed, || {
        format!("the project's `{CRDGEN}` did not print JSON")
    })?;
    match list.get("items") {
        Some(Value::Array(items)) => Ok(items.clone()),
        _ => Err(Error::new(
            Code::CrdgenFailed,
            format!("the project's `{CRDGEN}` did not print a list of CRDs"),
        )),
    }
}

/// Cargo decides what is built: it knows when each build began, and what else it depends on, such as variables,
/// features and the toolchain. The one thing that it does not see is a file that came with an older time, by
/// `mv` or `tar`: then the file's package is compiled anew.
///
/// The operator is selected too, of which nothing is built: so the types are built from dependencies
/// with the features that they have in `cargo build` and `cargo test`, and those are not compiled
/// once more.
fn build(root: &Path, project: &Project, quiet: bool) -> Result<PathBuf> {
    let name = &project.project_name;
    let build = Build {
        root,
        packages: &[&name.api_package(), name.as_str()],
        what: "the types in `api/`",
        program: Target::Binary(CRDGEN),
        flags: &[],
        environment: &[],
        quiet,
    };
    let built = build.build()?;
    let stale = restored::packages(&built, root);
    if stale.is_empty() {
        return Ok(built.program);
    }
    for package in stale {
        clean(root, package)?;
    }
    build.run()
}
