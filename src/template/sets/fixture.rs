//! The object that the tests of a controller start from, where there is no sample of the kind.

use std::borrow::Cow;

use serde::Serialize;

use super::{Instance, Set, per_controller};
use crate::error::Result;
use crate::project::{Controller, Project};
use crate::template::common::Common;
use crate::template::fixtures;

pub(super) struct Fixture;

impl Set for Fixture {
    fn folder(&self) -> Cow<'static, str> {
        "fixture".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        per_controller(project, |controller| {
            Ok(FixtureData::new(project, controller))
        })
    }
}

#[derive(Serialize)]
struct FixtureData {
    fixture: String,
}

impl FixtureData {
    /// None for a kind of the project's own, which has a sample.
    fn new(project: &Project, controller: &Controller<'_>) -> Option<Self> {
        let kind = controller.of.kind;
        (!kind.is_own()).then(|| Self {
            fixture: fixtures::object(kind, &controller.runtime_name(), &label(project)),
        })
    }
}

/// The object that the tests of a controller start from.
pub(super) fn fixture(controller: &Controller<'_>) -> String {
    format!("{}/fixture.yaml", controller.source())
}

/// The label of the objects of others that the project's controllers reconcile.
pub(super) fn label(project: &Project) -> String {
    format!("{}/{}", project.domain, project.project_name)
}
