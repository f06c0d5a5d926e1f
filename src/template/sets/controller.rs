//! Each controller that is not from the template of its kind.

use std::borrow::Cow;

use serde::Serialize;

use super::fixture::{fixture, label};
use super::names::{KindNames, marker_group, samples_from};
use super::{Instance, Set, per_controller};
use crate::error::Result;
use crate::project;
use crate::template::common::{Common, ProjectData};

pub(super) struct Controller;

impl Set for Controller {
    fn folder(&self) -> Cow<'static, str> {
        "controller".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        per_controller(common.project, |controller| {
            let is_of_template = controller.is_of_template();
            Ok((!is_of_template).then(|| ControllerData::new(common, controller)))
        })
    }
}

#[derive(Serialize)]
struct ControllerData {
    project: ProjectData,
    /// Whether the kind is the project's own.
    own: bool,
    /// Whether an API server has to be told of the kind.
    custom: bool,
    #[serde(flatten)]
    names: KindNames,
    /// The group, as a marker writes it.
    groups: String,
    namespaced: bool,
    /// Its name at run time, if it is not the first of its kind.
    name: String,
    /// The annotation that it keeps, and the path to it as a JSON pointer.
    annotation: String,
    pointer: String,
    /// The label of the objects that are reconciled, if the kind is not the project's own.
    label: String,
    /// The way to the samples from the controller's folder.
    samples: String,
    /// The object of another kind that tests on a real API server start from.
    fixture: String,
}

impl ControllerData {
    fn new(common: &Common<'_>, controller: &project::Controller<'_>) -> Self {
        let project = common.project;
        let data = common.data.clone();
        let annotation = format!("{}/{}", project.domain, controller.runtime_name());
        let kind = controller.of.kind;
        Self {
            own: kind.is_own(),
            custom: kind.is_own() || kind.is_external(),
            names: KindNames::new(&data, controller.of),
            groups: marker_group(&kind.api_group()),
            namespaced: kind.namespaced,
            name: controller.name.clone().unwrap_or_default(),
            pointer: format!("/metadata/annotations/{}", annotation.replace('/', "~1")),
            annotation,
            label: label(project),
            samples: samples_from(&controller.module),
            fixture: format!(
                "{}{}",
                "../".repeat(1 + controller.module.len()),
                fixture(controller)
            ),
            project: data,
        }
    }
}
