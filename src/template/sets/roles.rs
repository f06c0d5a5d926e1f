//! Once for each kind that has types: what people may do with its objects.

use std::borrow::Cow;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::ProjectKind;
use crate::template::common::{Common, ProjectData};
use crate::template::path::Variables;

pub(super) struct Roles;

impl Set for Roles {
    fn folder(&self) -> Cow<'static, str> {
        "roles".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let kinds = common.project.own_kinds();
        let instances = kinds.filter(|kind| kind.hub().version.api).map(|kind| {
            let variables = Variables {
                role: common.names.stem(kind).join("_"),
                ..Variables::default()
            };
            Instance::new(variables, &RolesData::new(common, kind))
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct RolesData {
    project: ProjectData,
    /// What the names of its roles start with.
    role: String,
    api_group: String,
    kind: String,
    plural: String,
    /// Whether objects have the subresource `scale`.
    scale: bool,
}

impl RolesData {
    fn new(common: &Common<'_>, kind: &ProjectKind) -> Self {
        Self {
            project: common.data.clone(),
            role: common.names.stem(kind).join("-"),
            api_group: kind.api_group(),
            kind: kind.name.to_string(),
            plural: kind.plural.to_string(),
            scale: kind.hub().version.template.has_scale(),
        }
    }
}
