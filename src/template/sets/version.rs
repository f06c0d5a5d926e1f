//! Once for each version of a group.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::name::{Group, Version as Name};
use crate::project::{Project, Versioned};
use crate::rustfmt;
use crate::template::common::Common;
use crate::template::path::{Spelling, Variables};

pub(super) struct Version;

impl Set for Version {
    fn folder(&self) -> Cow<'static, str> {
        "version".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let versions = VersionData::all(common.project).into_iter();
        let instances = versions.map(|(group, version, data)| {
            let variables = Variables {
                group: Spelling::new(group.module(), group),
                version: version.to_string(),
                ..Variables::default()
            };
            Instance::new(variables, &data)
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct VersionData {
    /// Group and version as a manifest has them.
    api_version: String,
    /// The modules, in the order of their names, as `mod` items.
    modules: Vec<String>,
    /// The kinds, in the order of the imports of their modules.
    kinds: Vec<VersionKind>,
}

#[derive(Serialize)]
struct VersionKind {
    module: String,
    types: [String; 3],
}

impl VersionData {
    fn all(project: &Project) -> Vec<(&Group, &Name, Self)> {
        let mut versions: BTreeMap<(&Group, &Name), Self> = BTreeMap::new();
        for versioned in project.own_versions() {
            let Versioned { kind, version } = versioned;
            let data = versions
                .entry((&kind.group, &version.name))
                .or_insert_with(|| Self {
                    api_version: versioned.api_version(),
                    modules: Vec::new(),
                    kinds: Vec::new(),
                });
            let module = kind.name.module();
            data.modules.push(format!("pub mod {module}"));
            data.kinds.push(VersionKind {
                module,
                types: kind.type_names(),
            });
        }
        for conversion in project.conversions() {
            let [_, newer] = conversion.versions();
            let data = versions
                .get_mut(&(&newer.kind.group, &newer.version.name))
                .expect("a version with kinds");
            data.modules.push(format!("mod {}", conversion.module()));
        }
        versions
            .into_iter()
            .map(|((group, version), mut data)| {
                data.kinds
                    .sort_by(|a, b| rustfmt::order(&a.module, &b.module));
                let name = |item: &String| item.trim_start_matches("pub ").to_owned();
                data.modules.sort_by_key(name);
                (group, version, data)
            })
            .collect()
    }
}
