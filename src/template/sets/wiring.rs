//! Once for each project, regenerated from the list of its kinds.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;

use super::{Instance, Set};
use crate::error::Result;
use crate::project::name::joined;
use crate::project::{ProjectKind, Versioned};
use crate::template::common::{Common, ProjectData};

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
    /// What gives the CRD of each version.
    versions: Vec<String>,
    hub: String,
}

impl MergedCrd {
    fn new(kind: &ProjectKind) -> Self {
        Self {
            kind: kind.name.to_string(),
            function: joined(&kind.group.module(), &kind.name.module()),
            versions: kind.versions().map(crd_of).collect(),
            hub: kind.hub.to_string(),
        }
    }
}

/// The expression that gives the CRD of one version.
fn crd_of(versioned: Versioned<'_>) -> String {
    let Versioned { kind, version } = versioned;
    let (group, type_name) = (kind.group.module(), kind.type_name());
    let mut crd = format!("{group}::{}::{type_name}::crd()", version.name);
    if version.deprecated {
        let warning = match &version.deprecation_warning {
            Some(warning) => format!("Some({:?})", warning.as_str()),
            None => "None".to_owned(),
        };
        crd = format!("deprecated({crd}, {warning})");
    }
    if !version.served {
        crd = format!("unserved({crd})");
    }
    crd
}

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
        for Versioned { kind, version } in project.own_versions() {
            data.groups.insert(kind.group.module());
            data.has_unserved |= !version.served;
            data.has_deprecated |= version.deprecated;
        }
        if project.external_types().next().is_some() {
            data.groups.insert("external".to_owned());
        }
        for kind in project.own_kinds() {
            data.crds.push(match kind.spokes().next() {
                Some(_) => {
                    let merged = MergedCrd::new(kind);
                    let call = format!("{}()", merged.function);
                    data.merged.push(merged);
                    call
                }
                None => crd_of(kind.hub()),
            });
        }
        let kinds = project.own_kinds();
        for kind in kinds.filter(|kind| kind.hub().version.api) {
            let stem = common.names.stem(kind).join("_");
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
        let place = groups
            .binary_search_by(|module| module.group.cmp(group))
            .unwrap_or_else(|place| {
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
