//! Each kind whose versions are converted, on a real API server.

use std::borrow::Cow;

use serde::Serialize;

use super::names::{article, sample, version_modules};
use super::{Instance, Set};
use crate::error::Result;
use crate::project::{Project, ProjectKind};
use crate::template::common::Common;
use crate::template::path::Variables;

pub(super) struct Versions;

impl Set for Versions {
    fn folder(&self) -> Cow<'static, str> {
        "versions".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        if !project.own_kinds().any(|kind| kind.controlled().is_some()) {
            return Ok(Vec::new());
        }
        let kinds = project.own_kinds().filter(|kind| kind.is_converted());
        let instances = kinds.map(|kind| {
            let module = common.names.module(kind).join("/");
            let variables = Variables {
                // An underscore follows.
                controller: module.trim_end_matches('_').to_owned(),
                ..Variables::default()
            };
            Instance::new(variables, &VersionsData::new(project, kind))
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct VersionsData {
    kind: String,
    article: &'static str,
    api_crate: String,
    /// The group's module in the API crate.
    group: String,
    namespaced: bool,
    type_name: String,
    hub: String,
    spokes: Vec<SpokeSample>,
    /// The modules of all versions, as rustfmt sorts them.
    versions: Vec<String>,
}

/// A version that is converted.
#[derive(Serialize)]
struct SpokeSample {
    version: String,
    sample: String,
}

impl VersionsData {
    fn new(project: &Project, kind: &ProjectKind) -> Self {
        let spokes = kind.conversions().map(|conversion| SpokeSample {
            version: conversion.spoke.version.name.to_string(),
            sample: sample(conversion.spoke),
        });
        Self {
            kind: kind.name.to_string(),
            article: article(kind.name.as_str()),
            api_crate: project.project_name.api_crate(),
            group: kind.group.module(),
            namespaced: kind.namespaced,
            type_name: kind.type_name(),
            hub: kind.hub.to_string(),
            spokes: spokes.collect(),
            versions: version_modules(kind.versions.iter().map(|version| &version.name)),
        }
    }
}
