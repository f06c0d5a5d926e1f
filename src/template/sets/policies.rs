//! Once for a project that has policies.

use std::borrow::Cow;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::Project;
use crate::project::layout::POLICIES;
use crate::template::common::Common;

pub(super) struct Policies;

impl Set for Policies {
    fn folder(&self) -> Cow<'static, str> {
        "policy/config".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        Instance::once(project.has_policies(), || PoliciesData::new(project))
    }
}

#[derive(Serialize)]
struct PoliciesData {
    /// Files of the policies below `config/policy/`.
    files: Vec<String>,
}

impl PoliciesData {
    fn new(project: &Project) -> Self {
        let kinds = project.policy_kinds();
        let files = kinds.iter().flat_map(|kind| {
            let sorts = kind.kind.policies.sorts();
            sorts.map(|sort| kind.policy(sort).replace(&format!("{POLICIES}/"), ""))
        });
        Self {
            files: files.collect(),
        }
    }
}
