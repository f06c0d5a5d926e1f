//! Once for a project that has an API.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::names::sample;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::OwnKind;
use crate::template::common::{Common, ProjectData};

pub(super) struct Apis;

impl Set for Apis {
    fn folder(&self) -> Cow<'static, str> {
        "apis".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let has_apis = !common.project.resources.own.is_empty();
        Instance::once(has_apis, || ApisData::new(common))
    }
}

#[derive(Serialize)]
struct ApisData {
    project: ProjectData,
    /// Modules of the API crate, down to the kinds.
    groups: Vec<GroupModule>,
    /// Files of the CRDs below `config/crd/`.
    crds: Vec<String>,
    /// Files of the samples below `config/samples/`.
    samples: Vec<String>,
}

/// The module of a group.
#[derive(Serialize)]
struct GroupModule {
    module: String,
    versions: Vec<VersionModule>,
}

/// The module of a version.
#[derive(Serialize)]
struct VersionModule {
    module: String,
    /// Modules of its kinds, and of their conversions.
    kinds: BTreeSet<String>,
}

impl ApisData {
    fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let mut groups: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for resource in project.resources.own.iter().filter(|r| r.api.is_some()) {
            let versions = groups.entry(resource.group.module()).or_default();
            let kinds = versions.entry(resource.version.to_string()).or_default();
            kinds.insert(resource.kind.module());
        }
        for conversion in project.conversions() {
            let [_, newer] = conversion.versions();
            let versions = groups.entry(newer.group.module()).or_default();
            let kinds = versions.entry(newer.version.to_string()).or_default();
            kinds.insert(conversion.module());
        }
        let version = |(module, kinds)| VersionModule { module, kinds };
        let group = |(module, versions): (_, BTreeMap<_, _>)| GroupModule {
            module,
            versions: versions.into_iter().map(version).collect(),
        };
        let kinds = project.own_kinds();
        let crds = kinds
            .iter()
            .map(OwnKind::hub)
            .map(|r| format!("bases/{}.{}_{}.yaml", r.group, r.domain, r.plural));
        let samples = project.resources.own.iter().map(sample);
        Self {
            project: common.data.clone(),
            groups: groups.into_iter().map(group).collect(),
            crds: crds.collect(),
            samples: samples.collect(),
        }
    }
}
