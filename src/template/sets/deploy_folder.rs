//! The folder `deploy/`, which is rendered by itself.

use serde::Serialize;

use crate::project::Project;
use crate::template::common::ProjectData;

#[derive(Serialize)]
pub(in crate::template) struct DeployFolderData {
    project: ProjectData,
    /// Whether the operator's role is one of the cluster.
    in_cluster: bool,
}

impl DeployFolderData {
    pub(in crate::template) fn new(project: &Project, in_cluster: bool) -> Self {
        Self {
            project: ProjectData::new(project),
            in_cluster,
        }
    }
}
