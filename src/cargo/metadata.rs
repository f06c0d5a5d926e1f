use std::path::Path;

use serde_json::Value;

use crate::error::{Code, Context, Result};

use super::{ask, cargo};

/// What cargo says of a project.
///
/// # Errors
/// Cargo does not understand it, and says why.
pub(crate) fn metadata(root: &Path, arguments: &[&str]) -> Result<Value> {
    let cargo = cargo();
    let arguments = [&["metadata", "--format-version=1"], arguments].concat();
    let answer = ask(&cargo, &arguments, root)?;
    serde_json::from_slice(&answer).context(
        Code::CargoFailed,
        || "failed to read the output of `cargo metadata`",
    )
}
