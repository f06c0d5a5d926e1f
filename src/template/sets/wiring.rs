//! Once for each project, regenerated from the list of its kinds.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::name::joined;
use crate::project::{OwnKind, Resource};
use crate::template::common::{Common, ProjectData};
use crate::template::filter::list;

pub(super) struct Wiring;

impl Set for Wiring {
    fn folder(&self) -> Cow<'static, str> {
        "wiring".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        Instance::once(true, || WiringData::new(common))
    }
}

#[derive(Serialize)]
pub(super) struct WiringData {
    pub(super) project: ProjectData,
    /// Modules of the API crate.
    groups: BTreeSet<String>,
    /// What gives the CRD of each kind in the API crate.
    crds: Vec<String>,
    /// The kinds with several versions.
    merged: Vec<MergedCrd>,
    /// Whether a version is no longer served, or is deprecated.
    has_unserved: bool,
    has_deprecated: bool,
    /// Controllers that stand in `src/controller/` itself.
    pub(super) controllers: Vec<String>,
    /// Controllers that stand in a folder for their group.
    pub(super) groups_of_controllers: Vec<GroupOfControllers>,
    /// Paths of all controllers below `src/controller/`, in the order in which they are started.
    started: Vec<String>,
    /// Files of the roles for people below `config/rbac/`.
    roles: Vec<String>,
}

/// A function that gives the CRD of a kind with several versions.
#[derive(Serialize)]
struct MergedCrd {
    kind: String,
    function: String,
    /// The statement that lists the CRD of each version.
    versions: String,
    hub: String,
}

impl MergedCrd {
    fn new(kind: &OwnKind<'_>) -> Self {
        let hub = kind.hub();
        let crds: Vec<_> = kind.versions().map(|one| crd_of(one, 8)).collect();
        Self {
            kind: hub.kind.to_string(),
            function: joined(&hub.group.module(), &hub.kind.module()),
            versions: list(&crds, "let versions = vec![", "];", 4, true),
            hub: hub.version.to_string(),
        }
    }
}

/// The expression that gives the CRD of one version, as rustfmt breaks it `indent` columns in.
fn crd_of(resource: &Resource, indent: usize) -> String {
    let (group, type_name) = (resource.group.module(), resource.kind.type_name());
    let mut crd = format!("{group}::{}::{type_name}::crd()", resource.version);
    if resource.deprecated {
        let warning = match &resource.deprecation_warning {
            Some(warning) => format!("Some({:?})", warning.as_str()),
            None => "None".to_owned(),
        };
        crd = list(&[crd, warning], "deprecated(", ")", indent, true);
    }
    if !resource.served {
        crd = list(&[crd], "unserved(", ")", indent, false);
    }
    crd
}

/// Controllers of one group.
#[derive(Serialize)]
pub(super) struct GroupOfControllers {
    group: String,
    controllers: Vec<String>,
}

impl WiringData {
    pub(super) fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let mut data = Self {
            project: common.data.clone(),
            groups: BTreeSet::new(),
            crds: Vec::new(),
            merged: Vec::new(),
            has_unserved: false,
            has_deprecated: false,
            controllers: Vec::new(),
            groups_of_controllers: Vec::new(),
            started: Vec::new(),
            roles: Vec::new(),
        };
        for resource in &project.resources.own {
            data.groups.insert(resource.group.module());
            data.has_unserved |= !resource.served;
            data.has_deprecated |= resource.deprecated;
        }
        if project.external_types().next().is_some() {
            data.groups.insert("external".to_owned());
        }
        let kinds = project.own_kinds();
        for kind in &kinds {
            data.crds.push(match kind.spokes().next() {
                Some(_) => {
                    let merged = MergedCrd::new(kind);
                    let call = format!("{}()", merged.function);
                    data.merged.push(merged);
                    call
                }
                None => crd_of(kind.hub(), 8),
            });
        }
        let with_api = kinds.iter().map(OwnKind::hub);
        for resource in with_api.filter(|r| r.api.is_some()) {
            let stem = common.names.role_stem(resource).join("_");
            for role in ["admin", "editor", "viewer"] {
                data.roles.push(format!("{stem}_{role}_role.yaml"));
            }
        }
        for controller in project.controllers() {
            let module = controller.module;
            data.started.push(module.join("::"));
            data.add(&module, "");
        }
        data
    }

    /// Adds a module that is called as a controller's, with `suffix` if that is not empty.
    pub(super) fn add(&mut self, module: &[String], suffix: &str) {
        let Some((name, group)) = module.split_last() else {
            return;
        };
        let name = match suffix {
            "" => name.clone(),
            suffix => joined(name, suffix),
        };
        let Some(group) = group.first() else {
            self.controllers.push(name);
            return self.controllers.sort();
        };
        let groups = &mut self.groups_of_controllers;
        let place = groups.binary_search_by(|one| one.group.cmp(group));
        let place = place.unwrap_or_else(|place| {
            let controllers = Vec::new();
            let group = group.clone();
            groups.insert(place, GroupOfControllers { group, controllers });
            place
        });
        let controllers = &mut groups[place].controllers;
        controllers.push(name);
        controllers.sort();
    }
}
