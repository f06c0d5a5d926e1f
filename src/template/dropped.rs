//! Templates of former releases that this release does not have, by their paths.

use std::collections::BTreeSet;

use super::common::Common;
use super::path::TemplatePath;
use super::sets;
use crate::error::Result;
use crate::project::Project;

/// Which files `rop update` deletes if nobody edited them. A release that drops a template adds it here.
const DROPPED: [&str; 1] = ["apis/tests/api/support.rs.owned"];

/// The paths of the files that these templates made of a project.
///
/// # Errors
/// A name of the project makes none that Kubernetes accepts.
pub(crate) fn dropped(project: &Project) -> Result<BTreeSet<String>> {
    let common = Common::new(project);
    let mut paths = BTreeSet::new();
    for set in sets::all() {
        let templates = DROPPED.into_iter().filter_map(TemplatePath::parse);
        for template in templates.filter(|template| template.set == set.folder()) {
            let instances = set.instances(&common)?;
            paths.extend(
                instances
                    .iter()
                    .map(|instance| template.expand(&instance.variables)),
            );
        }
    }
    Ok(paths)
}
