//! Each version that is converted to and from the hub of its kind.

use std::borrow::Cow;

use serde::Serialize;

use super::names::version_modules;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::{self, Project};
use crate::template::common::Common;
use crate::template::path::{Spelling, Variables};

pub(super) struct Conversion;

impl Set for Conversion {
    fn folder(&self) -> Cow<'static, str> {
        "conversion".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        let instances = project.conversions().map(|conversion| {
            let [_, newer] = conversion.versions();
            let variables = Variables {
                group: Spelling::new(newer.kind.group.module(), &newer.kind.group),
                version: newer.version.name.to_string(),
                conversion: conversion.module(),
                ..Variables::default()
            };
            Instance::new(variables, &ConversionData::new(project, conversion))
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct ConversionData {
    kind: String,
    /// The group's module in the API crate, and that crate.
    group: String,
    api_crate: String,
    type_name: String,
    hub: String,
    spoke: String,
    /// The modules of both, as rustfmt sorts them.
    versions: Vec<String>,
}

impl ConversionData {
    fn new(project: &Project, conversion: project::Conversion<'_>) -> Self {
        let project::Conversion { hub, spoke } = conversion;
        Self {
            kind: spoke.kind.name.to_string(),
            group: spoke.kind.group.module(),
            api_crate: project.project_name.api_crate(),
            type_name: spoke.kind.type_name(),
            hub: hub.version.name.to_string(),
            spoke: spoke.version.name.to_string(),
            versions: version_modules([&hub.version.name, &spoke.version.name].into_iter()),
        }
    }
}
