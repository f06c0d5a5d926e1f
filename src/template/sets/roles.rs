//! Once for each kind that has types: what people may do with its objects.

use std::borrow::Cow;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::{OwnKind, Resource};
use crate::template::common::{Common, ProjectData};
use crate::template::path::Variables;

pub(super) struct Roles;

impl Set for Roles {
    fn folder(&self) -> Cow<'static, str> {
        "roles".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let kinds = common.project.own_kinds();
        let hubs = kinds.iter().map(OwnKind::hub);
        let instances = hubs.filter(|hub| hub.api.is_some()).map(|hub| {
            let variables = Variables {
                role: common.names.role_stem(hub).join("_"),
                ..Variables::default()
            };
            Instance::new(variables, &RolesData::new(common, hub)?)
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
    fn new(common: &Common<'_>, resource: &Resource) -> Result<Self> {
        Ok(Self {
            project: common.data.clone(),
            role: common.names.role_stem(resource).join("-"),
            api_group: resource.api_group()?.to_string(),
            kind: resource.kind.to_string(),
            plural: resource.plural.to_string(),
            scale: resource.template.has_scale(),
        })
    }
}
