//! What the data of many templates have in common.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::address::{OWNERSHIP, SIMULATION};
use crate::project::name::crate_name;
use crate::project::{FileNames, Project, ProjectKind, Runtime, Template};
use crate::versions::{VERSIONS, Versions};

/// What is made once for each rendering.
pub(super) struct Common<'a> {
    pub(super) project: &'a Project,
    pub(super) data: ProjectData,
    pub(super) names: FileNames<'a>,
}

impl<'a> Common<'a> {
    pub(super) fn new(project: &'a Project) -> Self {
        Self {
            project,
            data: ProjectData::new(project),
            names: project.file_names(),
        }
    }
}

/// The set `project`, and `project` in every other set.
#[derive(Clone, Serialize)]
pub(crate) struct ProjectData {
    name: String,
    domain: String,
    crate_name: String,
    api_package: String,
    pub(super) api_crate: String,
    namespaced: bool,
    license: Option<&'static str>,
    has_apis: bool,
    has_controllers: bool,
    /// Whether a controller has `resources.rs`.
    has_resources: bool,
    /// Whether a controller has `status.rs`.
    has_status: bool,
    has_webhooks: bool,
    has_policies: bool,
    /// Whether its library registers everything.
    has_register: bool,
    /// The function that makes the state of tests.
    state_for_tests: &'static str,
    /// Crates that have the types of kinds of other operators.
    crates: BTreeMap<String, String>,
    /// The Lease that its operators elect their leader with.
    lease_name: String,
    runtime: RuntimeData,
    versions: Versions,
    book: BookData,
}

impl ProjectData {
    pub(crate) fn new(project: &Project) -> Self {
        let controllers = project.controllers();
        let templates: Vec<Template> = controllers
            .iter()
            .filter(|controller| controller.is_of_template())
            .map(|controller| controller.of.version.template)
            .collect();
        Self {
            name: project.project_name.to_string(),
            domain: project.domain.to_string(),
            crate_name: crate_name(project.project_name.as_str()),
            api_crate: project.project_name.api_crate(),
            api_package: project.project_name.api_package(),
            namespaced: project.namespaced,
            license: project.license.spdx(),
            has_apis: project.own_kinds().next().is_some(),
            has_controllers: !controllers.is_empty(),
            has_resources: templates.iter().any(|template| template.has_resources()),
            has_status: !templates.is_empty(),
            has_webhooks: project.has_webhooks(),
            has_policies: project.has_policies(),
            has_register: project.library.has_register,
            state_for_tests: if project.library.has_state_for_tests {
                "State::for_tests"
            } else {
                "State::default"
            },
            crates: crates(project),
            lease_name: project.lease_name(),
            runtime: RuntimeData::new(&project.runtime),
            versions: VERSIONS,
            book: BookData {
                ownership: OWNERSHIP.markdown(),
                simulation: SIMULATION.markdown(),
            },
        }
    }
}

/// Pages of rop's book, as Markdown names them.
#[derive(Clone, Serialize)]
struct BookData {
    ownership: String,
    simulation: String,
}

/// Crates that have the types of kinds of other operators, with their versions.
fn crates(project: &Project) -> BTreeMap<String, String> {
    let crates = project.kinds.iter().filter_map(ProjectKind::external_crate);
    crates
        .map(|package| (package.name().to_owned(), package.version().to_owned()))
        .collect()
}

/// Where a project has the crate `rop-runtime` from.
#[derive(Clone, Serialize)]
struct RuntimeData {
    vendored: bool,
    /// The folder of the project that has its source.
    folder: Option<String>,
    /// What Cargo.toml says of it.
    dependency: String,
}

impl RuntimeData {
    fn new(runtime: &Runtime) -> Self {
        Self {
            vendored: runtime.is_vendored(),
            folder: runtime.folder().map(str::to_owned),
            dependency: runtime.dependency().to_string(),
        }
    }
}
