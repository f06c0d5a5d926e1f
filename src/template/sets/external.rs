//! Once for a project that has types of kinds of other operators.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::Project;
use crate::template::common::Common;

pub(super) struct External;

impl Set for External {
    fn folder(&self) -> Cow<'static, str> {
        "external".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        let has_types = project.external_types().next().is_some();
        Instance::once(has_types, || ExternalData::new(project))
    }
}

#[derive(Serialize)]
struct ExternalData {
    groups: Vec<ExternalGroup>,
}

/// The kinds of a group of another operator.
#[derive(Serialize)]
struct ExternalGroup {
    module: String,
    versions: Vec<ExternalVersion>,
}

#[derive(Serialize)]
struct ExternalVersion {
    module: String,
    kinds: Vec<ExternalModule>,
}

#[derive(Serialize)]
struct ExternalModule {
    module: String,
    type_name: String,
}

impl ExternalData {
    fn new(project: &Project) -> Self {
        let mut groups: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>> =
            BTreeMap::new();
        for kind in project.external_types() {
            let [group, version, module] = kind.modules();
            let versions = groups.entry(group).or_default();
            let kinds = versions.entry(version).or_default();
            kinds.insert(module, kind.type_name());
        }
        let kinds = |kinds: BTreeMap<String, String>| {
            let kinds = kinds.into_iter();
            kinds.map(|(module, type_name)| ExternalModule { module, type_name })
        };
        let versions = |versions: BTreeMap<String, BTreeMap<String, String>>| {
            let versions = versions.into_iter().map(|(module, of)| ExternalVersion {
                module,
                kinds: kinds(of).collect(),
            });
            versions.collect()
        };
        let groups = groups.into_iter().map(|(module, of)| ExternalGroup {
            module,
            versions: versions(of),
        });
        Self {
            groups: groups.collect(),
        }
    }
}
