//! What a project's own cargo and rustc are asked for, and what they are told.

mod build;
mod flags;
mod format;
mod metadata;
mod settings;
mod toolchain;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::error::{Code, Error, Result};
use crate::on_path::command;

pub(crate) use build::{Build, Built, Target};
pub(crate) use flags::Flags;
pub(crate) use format::formatted;
pub(crate) use metadata::metadata;
pub(crate) use settings::Settings;
pub(crate) use toolchain::Toolchain;

/// The tables of a Cargo.toml that list what a package depends on.
pub(crate) const DEPENDENCIES: [&str; 3] =
    ["dependencies", "dev-dependencies", "build-dependencies"];

/// The cargo that runs rop, where one does, so that its toolchain is the project's.
fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// What a tool of Rust's prints when it is asked something in a directory.
///
/// # Errors
/// It is not there, or it fails: it says why.
fn ask(tool: &OsStr, arguments: &[&str], root: &Path) -> Result<Vec<u8>> {
    let name = Path::new(tool).display();
    let output = command(tool)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| missing(tool, &error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = match String::from_utf8_lossy(&output.stderr).trim() {
        "" => format!("it printed nothing and exited with {}", output.status),
        said => said.to_owned(),
    };
    let words = arguments.join(" ");
    Err(Error::new(Code::CargoFailed, message).context(format!("`{name} {words}` failed")))
}

/// The error of a tool of Rust's that cannot be started.
fn missing(tool: &OsStr, error: &io::Error) -> Error {
    let name = Path::new(tool).display();
    Error::new(Code::CargoMissing, error)
        .context(format!("failed to run `{name}`"))
        .hint("install Rust (https://rustup.rs) and put it on PATH")
}

/// Removes what was built of a package, so that the next build compiles it.
///
/// # Errors
/// There is no cargo, or it fails: it says why.
pub(crate) fn clean(root: &Path, package: &str) -> Result<()> {
    let arguments = ["clean", "--quiet", "--package", package];
    ask(&cargo(), &arguments, root).map(drop)
}

/// The directory of cargo's own files.
fn home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").filter(|path| !path.is_empty());
    named
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// The variable that says something of a target.
fn variable_of(triple: &str, what: &str) -> String {
    let triple = triple.to_uppercase().replace(['-', '.'], "_");
    format!("CARGO_TARGET_{triple}_{what}")
}
