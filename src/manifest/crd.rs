use serde_json::Value;

use crate::error::{Error, Result};
use crate::plan::File;
use crate::project::Root;
use crate::yaml;

use super::crdgen;

/// The CRDs of a project's types, by running their derive.
///
/// `quiet` keeps cargo from showing its progress.
///
/// # Errors
/// The types do not compile, or the derive panics; cargo has said why.
pub fn crds(root: &Root, quiet: bool) -> Result<Vec<File>> {
    crdgen::run(&root.path, &root.project, quiet)?
        .iter()
        .map(|crd| Ok(File::owned(path(crd)?, yaml::to_string(crd)?)))
        .collect()
}

/// Where a CRD stands, by controller-gen's rule.
fn path(crd: &Value) -> Result<String> {
    let group = crd["spec"]["group"].as_str();
    let plural = crd["spec"]["names"]["plural"].as_str();
    match (group, plural) {
        (Some(group), Some(plural)) => Ok(format!("config/crd/bases/{group}_{plural}.yaml")),
        _ => Err(Error::new(
            "the project's `crdgen` printed something that is no CRD",
        )),
    }
}
