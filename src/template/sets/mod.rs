//! The sets of templates, a file each: the folder below `templates/`, what it is rendered for, and with which data.

mod admission;
mod apis;
mod cluster;
mod controller;
mod conversion;
mod end_to_end;
mod external;
mod fixture;
mod group;
mod kind;
mod names;
mod policies;
mod policy;
mod project;
mod roles;
mod simulation;
mod version;
mod versions;
mod webhook;
mod webhook_config;
mod webhooks;
mod wiring;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::common::Common;
use super::path::Variables;
use crate::error::{Code, Context, Result};
use crate::project::{Controller, PolicySort, Project, Template, WebhookSort};
use kind::Part;
pub(super) use webhook_config::{MigratedKind, WebhookConfigData};

/// A folder of templates, and what it is rendered for.
pub(super) trait Set {
    /// The folder below `templates/`.
    fn folder(&self) -> Cow<'static, str>;

    /// What the set is rendered for in a project.
    ///
    /// # Errors
    /// A name of the project makes none that Kubernetes accepts.
    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>>;
}

/// What a set is rendered for, once.
pub(super) struct Instance {
    /// What stands in the paths.
    pub(super) variables: Variables,
    /// What stands in the templates.
    pub(super) data: Value,
}

impl Instance {
    fn new(variables: Variables, data: &impl Serialize) -> Result<Self> {
        let data = serde_json::to_value(data).context(
            Code::GenerationFailed,
            || "failed to read what templates need",
        )?;
        Ok(Self { variables, data })
    }

    /// Of what is in a project once, if it is.
    fn once<T: Serialize>(is_there: bool, data: impl FnOnce() -> T) -> Result<Vec<Self>> {
        let once = is_there.then(|| Self::new(Variables::default(), &data()));
        once.into_iter().collect()
    }
}

/// All sets, but for those that are rendered by themselves.
pub(super) fn all() -> Vec<Box<dyn Set>> {
    let mut all: Vec<Box<dyn Set>> = vec![
        Box::new(project::Project),
        Box::new(wiring::Wiring),
        Box::new(apis::Apis),
        Box::new(cluster::Cluster),
        Box::new(simulation::Simulation),
        Box::new(end_to_end::EndToEnd),
        Box::new(external::External),
        Box::new(group::Group),
        Box::new(version::Version),
        Box::new(roles::Roles),
        Box::new(controller::Controller),
        Box::new(fixture::Fixture),
        Box::new(webhooks::Webhooks),
        Box::new(conversion::Conversion),
        Box::new(versions::Versions),
        Box::new(policies::Policies),
    ];
    for template in Template::all() {
        for part in [Part::Api, Part::Controller, Part::Finalizer] {
            all.push(Box::new(kind::Kind(*template, part)));
        }
    }
    for sort in WebhookSort::ALL {
        all.push(Box::new(webhook::Webhook(sort)));
    }
    for sort in PolicySort::ALL {
        all.push(Box::new(policy::Policy(sort)));
    }
    all
}

/// What is rendered for each controller that `data` gives anything for.
fn per_controller<T: Serialize>(
    project: &Project,
    data: impl Fn(&Controller<'_>) -> Result<Option<T>>,
) -> Result<Vec<Instance>> {
    let mut instances = Vec::new();
    for controller in project.controllers() {
        if let Some(data) = data(&controller)? {
            let variables = Variables {
                controller: controller.module.join("/"),
                ..Variables::default()
            };
            instances.push(Instance::new(variables, &data)?);
        }
    }
    Ok(instances)
}
