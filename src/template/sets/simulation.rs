//! Once for a project that has a controller: its simulation.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;

use super::fixture::fixture;
use super::names::types;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::{Controller, Project};
use crate::template::common::{Common, ProjectData};

pub(super) struct Simulation;

impl Set for Simulation {
    fn folder(&self) -> Cow<'static, str> {
        "simulation".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let has_controllers = !common.project.controllers().is_empty();
        Instance::once(has_controllers, || SimulationData::new(common))
    }
}

#[derive(Serialize)]
struct SimulationData {
    project: ProjectData,
    /// What gives the CRDs of kinds of other operators.
    externals: Vec<String>,
    /// The types of kinds whose objects depend on their history.
    historic: Vec<String>,
    /// What the controllers of kinds that are not the project's own start from.
    fixtures: Vec<String>,
}

impl SimulationData {
    fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let controllers = project.controllers();
        let externals = externals(project, &controllers);
        let historic = controllers
            .iter()
            .filter(|controller| controller.is_of_template())
            .filter(|controller| controller.of.version.template.has_history())
            .map(|controller| {
                let module = types(&common.data, controller.of);
                format!("{module}::{}", controller.of.kind.type_name())
            })
            .collect();
        let others = controllers
            .into_iter()
            .filter(|controller| !controller.of.kind.is_own());
        Self {
            project: common.data.clone(),
            externals,
            historic,
            fixtures: others
                .map(|controller| format!("../{}", fixture(&controller)))
                .collect(),
        }
    }
}

/// What gives the CRDs of kinds of other operators: of those whose types rop makes, for the operator may watch them,
/// and of those that have controllers.
fn externals(project: &Project, controllers: &[Controller<'_>]) -> Vec<String> {
    let controlled = controllers
        .iter()
        .map(|controller| controller.of.kind)
        .filter(|kind| kind.is_external());
    let kinds = project.external_types().chain(controlled);
    let types: BTreeSet<String> = kinds
        .map(|kind| format!("{}::{}::crd()", kind.hub().path(), kind.type_name()))
        .collect();
    types.into_iter().collect()
}
