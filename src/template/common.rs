use crate::project::{OwnNames, Project};

use super::data::ProjectData;

/// What the data of many templates have in common, made once for each rendering.
pub(super) struct Common<'a> {
    pub(super) project: &'a Project,
    pub(super) data: ProjectData,
    pub(super) names: OwnNames<'a>,
}

impl<'a> Common<'a> {
    pub(super) fn new(project: &'a Project) -> Self {
        Self {
            project,
            data: ProjectData::new(project),
            names: project.own_names(),
        }
    }
}
