//! Once for each project.

use std::borrow::Cow;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::template::common::{Common, ProjectData};

pub(super) struct Project;

#[derive(Serialize)]
struct Data {
    project: ProjectData,
}

impl Set for Project {
    fn folder(&self) -> Cow<'static, str> {
        "project".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.data.clone();
        Instance::once(true, || Data { project })
    }
}
