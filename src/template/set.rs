//! The template sets: when each is rendered, once per what, and for which data.

use serde::Serialize;

use crate::error::Result;
use crate::project::{Project, Resource, Template};

use super::data::{
    ApisData, ClusterData, GroupData, ProjectData, ResourceData, RolesData, VersionData, WiringData,
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
    /// Once for a project that has at least one controller.
    Cluster,
    /// Once for each group.
    Group,
    /// Once for each version of a group.
    Version,
    /// The types of a kind.
    Api(Template),
    /// Once for each kind that has types: what people may do with its objects.
    Roles,
    /// The controller of a kind.
    Controller(Template),
    /// The cleanup of a kind that has a finalizer.
    Finalizer(Template),
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
    Group(GroupData),
    Version(VersionData),
    Roles(Box<RolesData>),
    Resource(Box<ResourceData>),
}

impl Set {
    pub(super) const ALL: [Self; 16] = [
        Self::Project,
        Self::Wiring,
        Self::Apis,
        Self::Cluster,
        Self::Group,
        Self::Version,
        Self::Api(Template::Workload),
        Self::Api(Template::Minimal),
        Self::Api(Template::Pod),
        Self::Roles,
        Self::Controller(Template::Workload),
        Self::Controller(Template::Minimal),
        Self::Controller(Template::Pod),
        Self::Finalizer(Template::Workload),
        Self::Finalizer(Template::Minimal),
        Self::Finalizer(Template::Pod),
    ];

    /// The folder below `templates/`.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Wiring => "wiring",
            Self::Apis => "apis",
            Self::Cluster => "cluster",
            Self::Group => "group",
            Self::Version => "version",
            Self::Api(Template::Workload) => "api-workload",
            Self::Api(Template::Minimal) => "api-minimal",
            Self::Api(Template::Pod) => "api-pod",
            Self::Roles => "roles",
            Self::Controller(Template::Workload) => "controller-workload",
            Self::Controller(Template::Minimal) => "controller-minimal",
            Self::Controller(Template::Pod) => "controller-pod",
            Self::Finalizer(Template::Workload) => "finalizer-workload",
            Self::Finalizer(Template::Minimal) => "finalizer-minimal",
            Self::Finalizer(Template::Pod) => "finalizer-pod",
        }
    }

    /// What the set is rendered for in `project`.
    pub(super) fn instances(self, project: &Project) -> Result<Vec<Instance>> {
        Ok(match self {
            Self::Project => vec![once(Data::Project {
                project: ProjectData::new(project),
            })],
            Self::Wiring => vec![once(Data::Wiring(WiringData::new(project)))],
            Self::Apis if project.resources.is_empty() => Vec::new(),
            Self::Apis => vec![once(Data::Apis(ApisData::new(project)))],
            Self::Cluster if !project.resources.iter().any(|r| r.controller) => Vec::new(),
            Self::Cluster => vec![once(Data::Cluster(ClusterData::new(project)))],
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
                let kinds = project.resources.iter().filter(|r| r.api.is_some());
                let instances = kinds.map(|resource| {
                    Ok(Instance {
                        variables: Variables {
                            role: project.role_stem(resource).join("_"),
                            ..Variables::default()
                        },
                        data: Data::Roles(Box::new(RolesData::new(project, resource)?)),
                    })
                });
                instances.collect::<Result<_>>()?
            }
            Self::Api(template) => {
                per_resource(project, |r| r.api.is_some() && r.template == template)?
            }
            Self::Controller(template) => {
                per_resource(project, |r| r.controller && r.template == template)?
            }
            Self::Finalizer(template) => {
                per_resource(project, |r| r.finalizer && r.template == template)?
            }
        })
    }
}

fn once(data: Data) -> Instance {
    Instance {
        variables: Variables::default(),
        data,
    }
}

fn per_resource(project: &Project, wanted: impl Fn(&Resource) -> bool) -> Result<Vec<Instance>> {
    project
        .resources
        .iter()
        .filter(|resource| wanted(resource))
        .map(|resource| {
            let data = ResourceData::new(project, resource)?;
            Ok(Instance {
                variables: Variables {
                    group: spelling(resource.group.module(), &resource.group),
                    api_group: data.api_group.clone(),
                    version: resource.version.to_string(),
                    kind: spelling(resource.kind.module(), resource.kind.lower()),
                    plural: resource.plural.to_string(),
                    controller: project.controller_module(resource).join("/"),
                    ..Variables::default()
                },
                data: Data::Resource(Box::new(data)),
            })
        })
        .collect()
}

fn spelling(rust: String, kubernetes: impl ToString) -> Spelling {
    Spelling {
        rust,
        kubernetes: kubernetes.to_string(),
    }
}
