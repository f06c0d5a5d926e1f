//! Once for a project that has an API.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::names::sample;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::Versioned;
use crate::template::common::{Common, ProjectData};

pub(super) struct Apis;

impl Set for Apis {
    fn folder(&self) -> Cow<'static, str> {
        "apis".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let has_apis = common.project.own_kinds().next().is_some();
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

#[derive(Serialize)]
struct GroupModule {
    module: String,
    versions: Vec<VersionModule>,
}

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
        for Versioned { kind, version } in project.own_versions().filter(|entry| entry.version.api)
        {
            let versions = groups.entry(kind.group.module()).or_default();
            let kinds = versions.entry(version.name.to_string()).or_default();
            kinds.insert(kind.name.module());
        }
        for conversion in project.conversions() {
            let [_, newer] = conversion.versions();
            let versions = groups.entry(newer.kind.group.module()).or_default();
            let kinds = versions.entry(newer.version.name.to_string()).or_default();
            kinds.insert(conversion.module());
        }
        let version = |(module, kinds)| VersionModule { module, kinds };
        let group = |(module, versions): (_, BTreeMap<_, _>)| GroupModule {
            module,
            versions: versions.into_iter().map(version).collect(),
        };
        let crds = project
            .own_kinds()
            .map(|kind| format!("bases/{}_{}.yaml", kind.api_group(), kind.plural));
        let samples = project.own_versions().map(sample);
        Self {
            project: common.data.clone(),
            groups: groups.into_iter().map(group).collect(),
            crds: crds.collect(),
            samples: samples.collect(),
        }
    }
}
