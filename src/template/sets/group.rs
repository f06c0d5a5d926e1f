//! Once for each group.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::Project;
use crate::project::name::Group as Name;
use crate::template::common::Common;
use crate::template::path::{Spelling, Variables};

pub(super) struct Group;

impl Set for Group {
    fn folder(&self) -> Cow<'static, str> {
        "group".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let groups = GroupData::all(common.project).into_iter();
        let instances = groups.map(|(group, data)| {
            let variables = Variables {
                group: Spelling::new(group.module(), group),
                ..Variables::default()
            };
            Instance::new(variables, &data)
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct GroupData {
    /// The group with its domain.
    api_group: String,
    /// Modules of its versions.
    versions: BTreeSet<String>,
}

impl GroupData {
    fn all(project: &Project) -> BTreeMap<&Name, Self> {
        let mut groups = BTreeMap::new();
        for kind in project.own_kinds() {
            let versions = kind.versions.iter().map(|version| version.name.to_string());
            groups
                .entry(&kind.group)
                .or_insert_with(|| Self {
                    api_group: kind.api_group(),
                    versions: BTreeSet::new(),
                })
                .versions
                .extend(versions);
        }
        groups
    }
}
