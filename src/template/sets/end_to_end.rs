//! Once for a project that has a controller: its tests in a disposable cluster.

use std::borrow::Cow;

use serde::Serialize;

use super::names::sample;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::{Controller, WebhookSort};
use crate::template::common::{Common, ProjectData};

pub(super) struct EndToEnd;

impl Set for EndToEnd {
    fn folder(&self) -> Cow<'static, str> {
        "end-to-end".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let has_controllers = !common.project.controllers().is_empty();
        Instance::once(has_controllers, || EndToEndData::new(common))
    }
}

#[derive(Serialize)]
struct EndToEndData {
    project: ProjectData,
    /// Samples of kinds whose controllers report a condition.
    samples: Vec<String>,
    /// Samples of kinds with a validating webhook.
    validated: Vec<String>,
}

impl EndToEndData {
    fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let controllers = project.controllers().into_iter();
        let reporting = controllers
            .filter(|controller| controller.of.kind.is_own() && controller.is_of_template());
        let validated = project
            .own_kinds()
            .filter(|kind| kind.webhooks.has(WebhookSort::Validation));
        Self {
            project: common.data.clone(),
            samples: reporting.map(|Controller { of, .. }| sample(of)).collect(),
            validated: validated.map(|kind| sample(kind.hub())).collect(),
        }
    }
}
