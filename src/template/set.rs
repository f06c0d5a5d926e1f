//! The template sets: when each is rendered, once per what, and for which data.

use std::borrow::Cow;

use serde::Serialize;

use crate::error::Result;
use crate::project::{Controller, OwnKind, PolicySort, Project, Resource, Template, WebhookSort};

use super::common::{Common, ProjectData};
use super::data::{
    ApisData, ClusterData, ControllerData, ConversionData, ExternalData, FixtureData, GroupData,
    PoliciesData, PolicyData, ResourceData, RolesData, SimulationData, VersionData, VersionsData,
    WebhookData, WebhooksData, WiringData,
};
use super::path::{Spelling, Variables};

/// A folder of `templates/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// Once for each project.
    Project,
    /// Once for each project, regenerated from the list of its kinds.
    Wiring,
    /// Once for a project that has at least one API.
    Apis,
    /// Once for a project that has a controller or policies: its tests on a real API server.
    Cluster,
    /// Once for a project that has at least one controller: its simulation.
    Simulation,
    /// Once for a project that has kinds of other operators whose types are generated.
    External,
    /// Once for each group.
    Group,
    /// Once for each version of a group.
    Version,
    /// Once for each kind that has types: what people may do with its objects.
    Roles,
    /// A part of each kind that started from a template.
    Kind(Template, Part),
    /// Each controller that is not from the template of its kind.
    Controller,
    /// The object that the tests of a controller start from, where there is no sample of the kind.
    Fixture,
    /// Once for a project that has webhooks, regenerated from their list.
    Webhooks,
    /// Each webhook of one sort.
    Webhook(WebhookSort),
    /// Each version that is converted to and from the hub of its kind.
    Conversion,
    /// Each kind whose versions are converted, on a real API server.
    Versions,
    /// Once for a project that has policies.
    Policies,
    /// Each policy of one sort.
    Policy(PolicySort),
}

/// A part of the template of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The types.
    Api,
    /// The controller.
    Controller,
    /// The cleanup of a kind that has a finalizer.
    Finalizer,
}

/// What a set is rendered for, once.
pub(super) struct Instance {
    pub(super) variables: Variables,
    pub(super) data: Data,
}

/// The data struct of each set.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Data {
    Project { project: ProjectData },
    Wiring(WiringData),
    Apis(ApisData),
    Cluster(ClusterData),
    Simulation(SimulationData),
    External(ExternalData),
    Group(GroupData),
    Version(VersionData),
    Roles(Box<RolesData>),
    Resource(Box<ResourceData>),
    Controller(Box<ControllerData>),
    Fixture(FixtureData),
    Webhooks(WebhooksData),
    Webhook(Box<WebhookData>),
    Conversion(ConversionData),
    Versions(Box<VersionsData>),
    Policies(PoliciesData),
    Policy(Box<PolicyData>),
}

impl Set {
    /// All sets.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let parts = [Part::Api, Part::Controller, Part::Finalizer];
        let kinds = Template::all().iter();
        let of_kinds = kinds.flat_map(move |kind| parts.map(|part| Self::Kind(*kind, part)));
        let others = [
            Self::Project,
            Self::Wiring,
            Self::Apis,
            Self::Cluster,
            Self::Simulation,
            Self::External,
            Self::Group,
            Self::Version,
            Self::Roles,
            Self::Controller,
            Self::Fixture,
            Self::Webhooks,
            Self::Conversion,
            Self::Versions,
            Self::Policies,
        ];
        let webhooks = WebhookSort::ALL.map(Self::Webhook);
        let policies = PolicySort::ALL.map(Self::Policy);
        let others = others.into_iter().chain(of_kinds);
        others.chain(webhooks).chain(policies)
    }

    /// The folder below `templates/`.
    pub(super) fn folder(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Project => "project",
            Self::Wiring => "wiring",
            Self::Apis => "apis",
            Self::Cluster => "cluster",
            Self::Simulation => "simulation",
            Self::External => "external",
            Self::Group => "group",
            Self::Version => "version",
            Self::Roles => "roles",
            Self::Controller => "controller",
            Self::Fixture => "fixture",
            Self::Webhooks => "webhook/wiring",
            Self::Conversion => "conversion",
            Self::Versions => "versions",
            Self::Webhook(WebhookSort::Defaulting) => "webhook/defaulting",
            Self::Webhook(WebhookSort::Validation) => "webhook/validation",
            Self::Policies => "policy/config",
            Self::Policy(PolicySort::Mutating) => "policy/mutating",
            Self::Policy(PolicySort::Validating) => "policy/validating",
            Self::Kind(template, part) => {
                let part = match part {
                    Part::Api => "api",
                    Part::Controller => "controller",
                    Part::Finalizer => "finalizer",
                };
                return Cow::Owned(format!("kind/{template}/{part}"));
            }
        })
    }

    /// What the set is rendered for in `project`.
    pub(super) fn instances(self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let project = common.project;
        Ok(match self {
            Self::Project => vec![once(Data::Project {
                project: common.data.clone(),
            })],
            Self::Wiring => vec![once(Data::Wiring(WiringData::new(common)))],
            Self::Apis if project.resources.own.is_empty() => Vec::new(),
            Self::Apis => vec![once(Data::Apis(ApisData::new(common)))],
            Self::Cluster if project.controllers().is_empty() && !project.has_policies() => {
                Vec::new()
            }
            Self::Simulation if project.controllers().is_empty() => Vec::new(),
            Self::Simulation => vec![once(Data::Simulation(SimulationData::new(common)))],
            Self::Cluster => vec![once(Data::Cluster(ClusterData::new(common)))],
            Self::External if project.external_types().next().is_none() => Vec::new(),
            Self::External => vec![once(Data::External(ExternalData::new(project)))],
            Self::Group => GroupData::all(project)
                .into_iter()
                .map(|(group, data)| Instance {
                    variables: Variables {
                        group: spelling(group.module(), group),
                        ..Variables::default()
                    },
                    data: Data::Group(data),
                })
                .collect(),
            Self::Version => VersionData::all(project)
                .into_iter()
                .map(|(group, version, data)| Instance {
                    variables: Variables {
                        group: spelling(group.module(), group),
                        version: version.to_string(),
                        ..Variables::default()
                    },
                    data: Data::Version(data),
                })
                .collect(),
            Self::Roles => {
                let kinds = project.own_kinds();
                let kinds = kinds.iter().map(OwnKind::hub);
                let instances = kinds.filter(|r| r.api.is_some()).map(|resource| {
                    Ok(Instance {
                        variables: Variables {
                            role: common.names.role_stem(resource).join("_"),
                            ..Variables::default()
                        },
                        data: Data::Roles(Box::new(RolesData::new(common, resource)?)),
                    })
                });
                instances.collect::<Result<_>>()?
            }
            Self::Kind(template, part) => per_resource(common, |resource| {
                let has_part = match part {
                    Part::Api => resource.api.is_some(),
                    Part::Controller => resource.controller,
                    Part::Finalizer => resource.finalizer,
                };
                has_part && resource.template == template
            })?,
            Self::Conversion => conversions(project),
            Self::Versions if !project.resources.own.iter().any(|r| r.controller) => Vec::new(),
            Self::Versions => versions(common),
            Self::Controller => per_controller(project, |controller| {
                let data = ControllerData::new(common, controller)?;
                Ok((!controller.is_of_template()).then(|| Data::Controller(Box::new(data))))
            })?,
            Self::Fixture => per_controller(project, |controller| {
                let data = FixtureData::new(project, controller);
                Ok(data.map(Data::Fixture))
            })?,
            Self::Webhooks if !project.has_webhooks() => Vec::new(),
            Self::Webhooks => vec![once(Data::Webhooks(WebhooksData::new(common)))],
            Self::Webhook(sort) => webhooks(common, sort),
            Self::Policies if !project.has_policies() => Vec::new(),
            Self::Policies => vec![once(Data::Policies(PoliciesData::new(project)))],
            Self::Policy(sort) => per_policy(common, sort),
        })
    }
}

/// Each pair of versions between which objects are converted.
fn conversions(project: &Project) -> Vec<Instance> {
    let conversions = project.conversions().map(|conversion| {
        let [_, newer] = conversion.versions();
        Instance {
            variables: Variables {
                group: spelling(newer.group.module(), &newer.group),
                version: newer.version.to_string(),
                conversion: conversion.module(),
                ..Variables::default()
            },
            data: Data::Conversion(ConversionData::new(project, conversion)),
        }
    });
    conversions.collect()
}

/// Each kind whose versions are converted.
fn versions(common: &Common<'_>) -> Vec<Instance> {
    let kinds = common.project.own_kinds();
    let kinds = kinds.iter().filter(|kind| kind.is_converted());
    let instances = kinds.map(|kind| Instance {
        variables: Variables {
            // An underscore follows.
            controller: common
                .names
                .controller_module(kind.hub())
                .join("/")
                .trim_end_matches('_')
                .to_owned(),
            ..Variables::default()
        },
        data: Data::Versions(Box::new(VersionsData::new(common.project, kind))),
    });
    instances.collect()
}

/// Each webhook of one sort.
fn webhooks(common: &Common<'_>, sort: WebhookSort) -> Vec<Instance> {
    let kinds = common.project.webhook_kinds().into_iter();
    let instances = kinds
        .filter(|kind| kind.webhooks.has(sort))
        .map(|kind| Instance {
            variables: Variables {
                webhook: kind.module.join("/"),
                ..Variables::default()
            },
            data: Data::Webhook(Box::new(WebhookData::new(common, &kind, sort))),
        });
    instances.collect()
}

fn once(data: Data) -> Instance {
    Instance {
        variables: Variables::default(),
        data,
    }
}

fn per_policy(common: &Common<'_>, sort: PolicySort) -> Vec<Instance> {
    let kinds = common.project.policy_kinds().into_iter();
    let instances = kinds
        .filter(|kind| kind.policies.has(sort))
        .map(|kind| Instance {
            variables: Variables {
                policy: spelling(kind.module.join("/"), kind.stem.join("_")),
                ..Variables::default()
            },
            data: Data::Policy(Box::new(PolicyData::new(common, &kind, sort))),
        });
    instances.collect()
}

fn per_resource(common: &Common<'_>, wanted: impl Fn(&Resource) -> bool) -> Result<Vec<Instance>> {
    common
        .project
        .resources
        .own
        .iter()
        .filter(|resource| wanted(resource))
        .map(|resource| {
            let data = ResourceData::new(common, resource)?;
            Ok(Instance {
                variables: Variables {
                    group: spelling(resource.group.module(), &resource.group),
                    api_group: data.api_group.clone(),
                    version: resource.version.to_string(),
                    kind: spelling(resource.kind.module(), resource.kind.lower()),
                    plural: resource.plural.to_string(),
                    controller: common.names.controller_module(resource).join("/"),
                    ..Variables::default()
                },
                data: Data::Resource(Box::new(data)),
            })
        })
        .collect()
}

fn per_controller(
    project: &Project,
    data: impl Fn(&Controller<'_>) -> Result<Option<Data>>,
) -> Result<Vec<Instance>> {
    let mut instances = Vec::new();
    for controller in project.controllers() {
        if let Some(data) = data(&controller)? {
            instances.push(Instance {
                variables: Variables {
                    controller: controller.module.join("/"),
                    ..Variables::default()
                },
                data,
            });
        }
    }
    Ok(instances)
}

fn spelling(rust: String, kubernetes: impl ToString) -> Spelling {
    Spelling {
        rust,
        kubernetes: kubernetes.to_string(),
    }
}
