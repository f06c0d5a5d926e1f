//! A part of each kind that started from a template.

use std::borrow::Cow;

use serde::Serialize;

use super::names::{KindNames, samples_from};
use super::{Instance, Set};
use crate::error::Result;
use crate::project::name::Image;
use crate::project::{Template, Versioned};
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
        let is_its = |entry: &Versioned<'_>| {
            let is_controlled = entry.kind.controlled_in(&entry.version.name);
            let has_part = match part {
                Part::Api => entry.version.api,
                Part::Controller => is_controlled,
                Part::Finalizer => is_controlled && entry.kind.finalizer,
            };
            has_part && entry.version.template == *template
        };
        let versions = common.project.own_versions().filter(is_its);
        let instances = versions.map(|versioned| {
            let data = KindVersionData::new(common, versioned);
            let Versioned { kind, version } = versioned;
            let variables = Variables {
                group: Spelling::new(kind.group.module(), &kind.group),
                api_group: data.api_group.clone(),
                version: version.name.to_string(),
                kind: Spelling::new(kind.name.module(), kind.name.lower()),
                plural: kind.plural.to_string(),
                controller: common.names.module(kind).join("/"),
                ..Variables::default()
            };
            Instance::new(variables, &data)
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct KindVersionData {
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

impl KindVersionData {
    fn new(common: &Common<'_>, versioned: Versioned<'_>) -> Self {
        let Versioned { kind, version } = versioned;
        let data = common.data.clone();
        let image = version.image.as_ref().map(Image::as_str);
        let [short_names, categories] = kind
            .aliases()
            .map(|names| names.iter().map(ToString::to_string).collect());
        Self {
            group: kind.group.to_string(),
            api_group: kind.api_group(),
            version: version.name.to_string(),
            names: KindNames::new(&data, versioned),
            singular: kind.name.lower(),
            short_names,
            categories,
            namespaced: kind.namespaced,
            renamed: kind.type_name() != kind.name.as_str(),
            sample_name: versioned.sample_name(),
            samples: samples_from(&common.names.module(kind)),
            image: image
                .or(version.template.default_image())
                .unwrap_or_default()
                .to_owned(),
            port: version.port.or(version.template.default_port()),
            finalizer: kind.finalizer && kind.controlled_in(&version.name),
            project: data,
        }
    }
}
