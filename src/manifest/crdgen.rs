//! Runs the `crdgen` binary of a project's API crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cargo::{Build, Target};
use crate::error::{Context, Error, Result};
use crate::project::Project;
use crate::project::layout::{API, API_MANIFEST};

/// The name of the binary.
const CRDGEN: &str = "crdgen";

/// Builds and runs it, and gives the CRDs that it printed.
pub(super) fn run(root: &Path, project: &Project, quiet: bool) -> Result<Vec<Value>> {
    let program = match built_before(root) {
        Some(program) => program,
        None => build(root, project, quiet)?,
    };
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
            "the project's `{CRDGEN}` did not print a list of CRDs"
        ))),
    }
}

/// The program of the last build, where nothing that it was built from has changed since.
///
/// Cargo would find the same, by the same times, in a tenth of a second: this takes a hundredth of
/// it. What it was built from stands in the dep-info file beside it.
fn built_before(root: &Path) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let program = root
        .join(target)
        .join("debug")
        .join(format!("{CRDGEN}{}", std::env::consts::EXE_SUFFIX));
    let time = |path: &Path| {
        path.metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let built = time(&program)?;
    let is_older = |path: &Path| time(path).is_some_and(|time| time < built);
    let manifests = ["Cargo.toml", "Cargo.lock", API_MANIFEST];
    let sources = sources(&fs::read_to_string(program.with_extension("d")).ok()?);
    // Another project may have built into the same directory.
    let is_ours = sources.contains(&root.join(API));
    let is_fresh = manifests.iter().all(|path| is_older(&root.join(path)))
        && sources.iter().all(|path| is_older(path));
    (is_ours && is_fresh).then_some(program)
}

/// The files behind the colon of a dep-info file, in which a blank is escaped.
fn sources(dep_info: &str) -> Vec<PathBuf> {
    let line = dep_info.lines().next().unwrap_or_default();
    let (_, files) = line.split_once(": ").unwrap_or_default();
    files
        .replace("\\ ", "\0")
        .split_whitespace()
        .map(|file| file.replace('\0', " ").into())
        .collect()
}

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
    build.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_files_of_a_dep_info_file() {
        let text = "/t/debug/crdgen: /a/api/src/lib.rs /a\\ b/api/src/lib.rs\n";
        let expected = ["/a/api/src/lib.rs", "/a b/api/src/lib.rs"].map(PathBuf::from);
        assert_eq!(sources(text), expected);
    }
}
