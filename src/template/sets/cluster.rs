//! Once for a project that has a controller or policies: its tests on a real API server.

use std::borrow::Cow;

use serde::Serialize;

use super::admission::AdmissionGroup;
use super::wiring::{GroupOfControllers, WiringData};
use super::{Instance, Set};
use crate::error::Result;
use crate::project::PolicySort;
use crate::template::common::{Common, ProjectData};

pub(super) struct Cluster;

impl Set for Cluster {
    fn folder(&self) -> Cow<'static, str> {
        "cluster".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        let has_tests = !project.controllers().is_empty() || project.has_policies();
        Instance::once(has_tests, || ClusterData::new(common))
    }
}

#[derive(Serialize)]
struct ClusterData {
    project: ProjectData,
    /// The modules of the kinds' tests, which are named after the controllers.
    controllers: Vec<String>,
    groups_of_controllers: Vec<GroupOfControllers>,
    has_controllers: bool,
    /// The modules of the policies' tests.
    policies: Vec<AdmissionGroup>,
}

impl ClusterData {
    fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let mut wiring = WiringData::new(common);
        for kind in project.own_kinds().filter(|kind| kind.is_converted()) {
            wiring.add(&common.names.module(kind), "versions");
        }
        Self {
            project: wiring.project,
            controllers: wiring.controllers,
            groups_of_controllers: wiring.groups_of_controllers,
            has_controllers: !project.controllers().is_empty(),
            policies: AdmissionGroup::all(&project.policy_kinds(), |kind| {
                kind.kind.policies.sorts().map(PolicySort::name).collect()
            }),
        }
    }
}
