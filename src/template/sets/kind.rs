//! A part of each kind that started from a template.

use std::borrow::Cow;

use serde::Serialize;

use super::names::{KindNames, samples_from};
use super::{Instance, Set};
use crate::error::Result;
use crate::project::name::Image;
use crate::project::{Resource, Template};
use crate::template::common::{Common, ProjectData};
use crate::template::path::{Spelling, Variables};

/// A part of the template of a kind.
pub(super) struct Kind(pub(super) Template, pub(super) Part);

#[derive(Clone, Copy)]
pub(super) enum Part {
    /// The types.
    Api,
    /// The controller.
    Controller,
    /// The cleanup of a kind that has a finalizer.
    Finalizer,
}

impl Set for Kind {
    fn folder(&self) -> Cow<'static, str> {
        let Self(template, part) = self;
        let part = match part {
            Part::Api => "api",
            Part::Controller => "controller",
            Part::Finalizer => "finalizer",
        };
        format!("kind/{template}/{part}").into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let Self(template, part) = self;
        let is_its = |resource: &&Resource| {
            let has_part = match part {
                Part::Api => resource.api.is_some(),
                Part::Controller => resource.controller,
                Part::Finalizer => resource.finalizer,
            };
            has_part && resource.template == *template
        };
        let resources = common.project.resources.own.iter().filter(is_its);
        let instances = resources.map(|resource| {
            let data = ResourceData::new(common, resource)?;
            let variables = Variables {
                group: Spelling::new(resource.group.module(), &resource.group),
                api_group: data.api_group.clone(),
                version: resource.version.to_string(),
                kind: Spelling::new(resource.kind.module(), resource.kind.lower()),
                plural: resource.plural.to_string(),
                controller: common.names.controller_module(resource).join("/"),
                ..Variables::default()
            };
            Instance::new(variables, &data)
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct ResourceData {
    project: ProjectData,
    group: String,
    api_group: String,
    version: String,
    #[serde(flatten)]
    names: KindNames,
    singular: String,
    short_names: Vec<String>,
    categories: Vec<String>,
    namespaced: bool,
    /// Whether the Rust type is not called as the kind is.
    renamed: bool,
    /// The name of the object in the sample.
    sample_name: String,
    /// The way to the samples from the controller's folder.
    samples: String,
    image: String,
    port: Option<u16>,
    finalizer: bool,
}

impl ResourceData {
    fn new(common: &Common<'_>, resource: &Resource) -> Result<Self> {
        let project = common.project;
        let data = common.data.clone();
        let image = resource.image.as_ref().map(Image::as_str);
        Ok(Self {
            group: resource.group.to_string(),
            api_group: resource.api_group()?.to_string(),
            version: resource.version.to_string(),
            names: KindNames::own(&data, resource),
            singular: resource.kind.lower(),
            short_names: resource
                .short_names
                .iter()
                .map(ToString::to_string)
                .collect(),
            categories: resource
                .categories
                .iter()
                .map(ToString::to_string)
                .collect(),
            namespaced: resource.is_namespaced(),
            renamed: resource.kind.type_name() != resource.kind.as_str(),
            sample_name: project.sample_name(resource),
            samples: samples_from(&common.names.controller_module(resource)),
            image: image
                .or(resource.template.default_image())
                .unwrap_or_default()
                .to_owned(),
            port: resource.port.or(resource.template.default_port()),
            finalizer: resource.finalizer,
            project: data,
        })
    }
}
