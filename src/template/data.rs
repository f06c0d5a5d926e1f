//! What templates are rendered with: one struct for each set.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::error::Result;
use crate::project::layout::POLICIES;
use crate::project::name::{Group, Image, Plural, Version, joined};
use crate::project::{
    AdmissionKind, ControlledKind, Controller, Conversion, CoreKind, ManagerContainer, OwnKind,
    PolicySort, Project, Resource, WebhookSort,
};

use super::common::{Common, ProjectData};
use super::filter::list;
use super::fixtures;

/// The set `deploy-folder`.
#[derive(Serialize)]
pub(super) struct DeployFolderData {
    project: ProjectData,
    /// Whether the operator's role is one of the cluster.
    in_cluster: bool,
}

impl DeployFolderData {
    pub(super) fn new(project: &Project, in_cluster: bool) -> Self {
        Self {
            project: ProjectData::new(project),
            in_cluster,
        }
    }
}

/// The set `webhook/config`.
#[derive(Serialize)]
pub(super) struct WebhookConfigData {
    /// `mutating` and `validating`, as far as there are such webhooks.
    pub(super) kinds: Vec<&'static str>,
    /// The kinds whose objects are converted.
    pub(super) converted: Vec<MigratedKind>,
    /// The container that is the operator.
    pub(super) container: ManagerContainer,
}

/// A kind whose objects are converted, and rewritten where the hub moves.
#[derive(Serialize)]
pub(super) struct MigratedKind {
    plural: Plural,
    /// With the domain.
    group: String,
}

impl MigratedKind {
    pub(super) fn of(hub: &Resource) -> Self {
        Self {
            plural: hub.plural.clone(),
            group: format!("{}.{}", hub.group, hub.domain),
        }
    }
}

/// The set `wiring`.
#[derive(Serialize)]
pub(super) struct WiringData {
    project: ProjectData,
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
    controllers: Vec<String>,
    /// Controllers that stand in a folder for their group.
    groups_of_controllers: Vec<GroupOfControllers>,
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
struct GroupOfControllers {
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
    fn add(&mut self, module: &[String], suffix: &str) {
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

/// The set `cluster`.
#[derive(Serialize)]
pub(super) struct ClusterData {
    project: ProjectData,
    /// The modules of the kinds' tests, which are named after the controllers.
    controllers: Vec<String>,
    groups_of_controllers: Vec<GroupOfControllers>,
    /// Whether any is of a kind of the project's own, and whether any of them is from a template.
    of_own: bool,
    of_templates: bool,
    has_controllers: bool,
    /// The modules of the policies' tests.
    policies: Vec<AdmissionGroup>,
}

impl ClusterData {
    pub(super) fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let mut wiring = WiringData::new(common);
        for kind in project
            .own_kinds()
            .iter()
            .filter(|kind| kind.is_converted())
        {
            let module = common.names.controller_module(kind.hub());
            wiring.add(&module, "versions");
        }
        let controllers = project.controllers();
        let is_own = |one: &Controller<'_>| matches!(one.kind, ControlledKind::Own(_));
        Self {
            of_own: controllers.iter().any(is_own),
            of_templates: controllers.iter().any(Controller::is_of_template),
            project: wiring.project,
            controllers: wiring.controllers,
            groups_of_controllers: wiring.groups_of_controllers,
            has_controllers: !controllers.is_empty(),
            policies: AdmissionGroup::all(&project.policy_kinds(), |kind| {
                kind.policies.sorts().map(PolicySort::name).collect()
            }),
        }
    }
}

/// What gives the CRDs of kinds of other operators: of those whose types rop makes, for the operator may watch them,
/// and of those that have controllers.
fn externals(project: &Project, controllers: &[Controller<'_>]) -> Vec<String> {
    let controlled = controllers.iter().filter_map(|one| match one.kind {
        ControlledKind::Core(core) if core.external => Some(core),
        _ => None,
    });
    let kinds = project.external_types().chain(controlled);
    let types: BTreeSet<String> = kinds
        .map(|core| format!("{}::{}::crd()", core.path, core.type_name()))
        .collect();
    types.into_iter().collect()
}

/// The set `simulation`.
#[derive(Serialize)]
pub(super) struct SimulationData {
    project: ProjectData,
    /// What gives the CRDs of kinds of other operators.
    externals: Vec<String>,
    /// What the controllers of kinds that are not the project's own start from.
    fixtures: Vec<String>,
}

impl SimulationData {
    pub(super) fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let controllers = project.controllers();
        let externals = externals(project, &controllers);
        let others = controllers.into_iter();
        let others = others.filter(|one| !matches!(one.kind, ControlledKind::Own(_)));
        Self {
            project: common.data.clone(),
            externals,
            fixtures: others.map(|one| format!("../{}", fixture(&one))).collect(),
        }
    }
}

/// The set `external`.
#[derive(Serialize)]
pub(super) struct ExternalData {
    groups: Vec<ExternalGroup>,
}

/// The kinds of a group of another operator.
#[derive(Serialize)]
struct ExternalGroup {
    module: String,
    versions: Vec<ExternalVersion>,
}

#[derive(Serialize)]
struct ExternalVersion {
    module: String,
    kinds: Vec<ExternalModule>,
}

#[derive(Serialize)]
struct ExternalModule {
    module: String,
    type_name: String,
}

impl ExternalData {
    pub(super) fn new(project: &Project) -> Self {
        let mut groups: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>> =
            BTreeMap::new();
        for one in project.external_types() {
            let [group, version, module] = one.modules();
            let versions = groups.entry(group).or_default();
            let kinds = versions.entry(version).or_default();
            kinds.insert(module, one.type_name());
        }
        let kinds = |kinds: BTreeMap<String, String>| {
            let kinds = kinds.into_iter();
            kinds.map(|(module, type_name)| ExternalModule { module, type_name })
        };
        let versions = |versions: BTreeMap<String, BTreeMap<String, String>>| {
            let versions = versions.into_iter().map(|(module, of)| ExternalVersion {
                module,
                kinds: kinds(of).collect(),
            });
            versions.collect()
        };
        let groups = groups.into_iter().map(|(module, of)| ExternalGroup {
            module,
            versions: versions(of),
        });
        Self {
            groups: groups.collect(),
        }
    }
}

/// The set `apis`.
#[derive(Serialize)]
pub(super) struct ApisData {
    project: ProjectData,
    /// Modules of the API crate, down to the kinds.
    groups: Vec<GroupModule>,
    /// Files of the CRDs below `config/crd/`.
    crds: Vec<String>,
    /// Files of the samples below `config/samples/`.
    samples: Vec<String>,
}

/// The module of a group.
#[derive(Serialize)]
struct GroupModule {
    module: String,
    versions: Vec<VersionModule>,
}

/// The module of a version.
#[derive(Serialize)]
struct VersionModule {
    module: String,
    /// Modules of its kinds, and of their conversions.
    kinds: BTreeSet<String>,
}

impl ApisData {
    pub(super) fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let mut groups: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for resource in project.resources.own.iter().filter(|r| r.api.is_some()) {
            let versions = groups.entry(resource.group.module()).or_default();
            let kinds = versions.entry(resource.version.to_string()).or_default();
            kinds.insert(resource.kind.module());
        }
        for conversion in project.conversions() {
            let [_, newer] = conversion.versions();
            let versions = groups.entry(newer.group.module()).or_default();
            let kinds = versions.entry(newer.version.to_string()).or_default();
            kinds.insert(conversion.module());
        }
        let version = |(module, kinds)| VersionModule { module, kinds };
        let group = |(module, versions): (_, BTreeMap<_, _>)| GroupModule {
            module,
            versions: versions.into_iter().map(version).collect(),
        };
        let kinds = project.own_kinds();
        let crds = kinds
            .iter()
            .map(OwnKind::hub)
            .map(|r| format!("bases/{}.{}_{}.yaml", r.group, r.domain, r.plural));
        let samples = project.resources.own.iter().map(sample);
        Self {
            project: common.data.clone(),
            groups: groups.into_iter().map(group).collect(),
            crds: crds.collect(),
            samples: samples.collect(),
        }
    }
}

/// The set `group`.
#[derive(Serialize)]
pub(super) struct GroupData {
    /// The group with its domain.
    api_group: String,
    /// Modules of its versions.
    versions: BTreeSet<String>,
}

impl GroupData {
    pub(super) fn all(project: &Project) -> BTreeMap<&Group, Self> {
        let mut groups = BTreeMap::new();
        for resource in &project.resources.own {
            groups
                .entry(&resource.group)
                .or_insert_with(|| Self {
                    api_group: format!("{}.{}", resource.group, resource.domain),
                    versions: BTreeSet::new(),
                })
                .versions
                .insert(resource.version.to_string());
        }
        groups
    }
}

/// The set `version`.
#[derive(Serialize)]
pub(super) struct VersionData {
    /// Group and version as a manifest has them.
    api_version: String,
    /// The modules, in the order of their names, as `mod` items.
    modules: Vec<String>,
    /// The kinds, by module.
    kinds: Vec<VersionKind>,
}

#[derive(Serialize)]
struct VersionKind {
    module: String,
    types: [String; 3],
}

impl VersionData {
    pub(super) fn all(project: &Project) -> Vec<(&Group, &Version, Self)> {
        let mut versions: BTreeMap<(&Group, &Version), Self> = BTreeMap::new();
        for resource in &project.resources.own {
            let data = versions
                .entry((&resource.group, &resource.version))
                .or_insert_with(|| Self {
                    api_version: format!(
                        "{}.{}/{}",
                        resource.group, resource.domain, resource.version
                    ),
                    modules: Vec::new(),
                    kinds: Vec::new(),
                });
            let module = resource.kind.module();
            data.modules.push(format!("pub mod {module}"));
            data.kinds.push(VersionKind {
                module: resource.kind.module(),
                types: resource.type_names(),
            });
        }
        for conversion in project.conversions() {
            let [_, newer] = conversion.versions();
            let data = versions.get_mut(&(&newer.group, &newer.version));
            let data = data.expect("a version with kinds");
            data.modules.push(format!("mod {}", conversion.module()));
        }
        versions
            .into_iter()
            .map(|((group, version), mut data)| {
                data.kinds.sort_by(|a, b| a.module.cmp(&b.module));
                let name = |item: &String| item.trim_start_matches("pub ").to_owned();
                data.modules.sort_by_key(name);
                (group, version, data)
            })
            .collect()
    }
}

/// The set `roles`.
#[derive(Serialize)]
pub(super) struct RolesData {
    project: ProjectData,
    /// What the names of its roles start with.
    role: String,
    api_group: String,
    kind: String,
    plural: String,
    /// Whether objects have the subresource `scale`.
    scale: bool,
}

impl RolesData {
    pub(super) fn new(common: &Common<'_>, resource: &Resource) -> Result<Self> {
        Ok(Self {
            project: common.data.clone(),
            role: common.names.role_stem(resource).join("-"),
            api_group: resource.api_group()?.to_string(),
            kind: resource.kind.to_string(),
            plural: resource.plural.to_string(),
            scale: resource.template.has_scale(),
        })
    }
}

/// The sets of kinds.
#[derive(Serialize)]
pub(super) struct ResourceData {
    project: ProjectData,
    group: String,
    pub(super) api_group: String,
    version: String,
    kind: String,
    /// `a` or `an`, as the kind needs it.
    article: &'static str,
    singular: String,
    plural: String,
    short_names: Vec<String>,
    categories: Vec<String>,
    namespaced: bool,
    /// The Rust type, and whether it is not called as the kind is.
    type_name: String,
    renamed: bool,
    /// The path of the module that has the types.
    types: String,
    /// The name of the object in the sample.
    sample_name: String,
    /// The sample below `config/samples/`, and the way there from the controller's folder.
    sample: String,
    samples: String,
    image: String,
    port: Option<u16>,
    finalizer: bool,
}

impl ResourceData {
    pub(super) fn new(common: &Common<'_>, resource: &Resource) -> Result<Self> {
        let project = common.project;
        let type_name = resource.kind.type_name();
        let data = common.data.clone();
        let image = resource.image.as_ref().map(Image::as_str);
        Ok(Self {
            group: resource.group.to_string(),
            api_group: resource.api_group()?.to_string(),
            version: resource.version.to_string(),
            kind: resource.kind.to_string(),
            article: article(resource.kind.as_str()),
            singular: resource.kind.lower(),
            plural: resource.plural.to_string(),
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
            renamed: type_name != resource.kind.as_str(),
            type_name,
            types: types(&data, resource),
            sample_name: project.sample_name(resource),
            sample: sample(resource),
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

/// The set `versions`.
#[derive(Serialize)]
pub(super) struct VersionsData {
    kind: String,
    article: &'static str,
    api_crate: String,
    /// The group's module in the API crate.
    group: String,
    namespaced: bool,
    type_name: String,
    hub: String,
    spokes: Vec<Spoke>,
    /// The modules of all versions, as rustfmt sorts them.
    versions: Vec<String>,
}

/// A version that is converted.
#[derive(Serialize)]
struct Spoke {
    version: String,
    sample: String,
}

impl VersionsData {
    pub(super) fn new(project: &Project, kind: &OwnKind<'_>) -> Self {
        let hub = kind.hub();
        let spokes = kind.conversions().map(|conversion| Spoke {
            version: conversion.spoke.version.to_string(),
            sample: sample(conversion.spoke),
        });
        Self {
            kind: hub.kind.to_string(),
            article: article(hub.kind.as_str()),
            api_crate: project.project_name.api_crate(),
            group: hub.group.module(),
            namespaced: hub.is_namespaced(),
            type_name: hub.kind.type_name(),
            hub: hub.version.to_string(),
            spokes: spokes.collect(),
            versions: modules(kind.versions().map(|one| &one.version)),
        }
    }
}

/// The modules of versions, as rustfmt sorts them: by the numbers in their names.
fn modules<'a>(versions: impl Iterator<Item = &'a Version>) -> Vec<String> {
    let mut modules: Vec<_> = versions.map(ToString::to_string).collect();
    modules.sort_by_key(|module| {
        let is_digit = |c: char| c.is_ascii_digit();
        let words = module.split(is_digit).filter(|word| !word.is_empty());
        let numbers = module
            .split(|c| !is_digit(c))
            .filter_map(|one| one.parse::<u64>().ok());
        let parts = words.map(str::to_owned).zip(numbers);
        parts.collect::<Vec<_>>()
    });
    modules
}

/// The set `conversion`.
#[derive(Serialize)]
pub(super) struct ConversionData {
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
    pub(super) fn new(project: &Project, conversion: Conversion<'_>) -> Self {
        let Conversion { hub, spoke } = conversion;
        Self {
            kind: spoke.kind.to_string(),
            group: spoke.group.module(),
            api_crate: project.project_name.api_crate(),
            type_name: spoke.kind.type_name(),
            hub: hub.version.to_string(),
            spoke: spoke.version.to_string(),
            versions: modules([&hub.version, &spoke.version].into_iter()),
        }
    }
}

/// The set `controller`.
#[derive(Serialize)]
pub(super) struct ControllerData {
    project: ProjectData,
    /// Whether the kind is the project's own.
    own: bool,
    /// Whether an API server has to be told of the kind.
    custom: bool,
    kind: String,
    article: &'static str,
    /// The path of the module that has the type, and the type.
    types: String,
    type_name: String,
    /// What the marker says of it.
    groups: String,
    plural: String,
    namespaced: bool,
    /// Its name at run time, if it is not the first of its kind.
    name: String,
    /// The annotation that it keeps, and the path to it as a JSON pointer.
    annotation: String,
    pointer: String,
    /// The label of the objects that are reconciled, if the kind is not the project's own.
    label: String,
    /// The sample of a kind of the project's own below `config/samples/`, and the way there.
    sample: String,
    samples: String,
    /// The object of another kind that tests on a real API server start from.
    fixture: String,
}

impl ControllerData {
    pub(super) fn new(common: &Common<'_>, controller: &Controller<'_>) -> Result<Self> {
        let project = common.project;
        let (data, kind) = (common.data.clone(), controller.kind.kind());
        let annotation = format!("{}/{}", project.domain, controller.runtime_name());
        let (own, core) = match controller.kind {
            ControlledKind::Own(own) => (Some(own), None),
            ControlledKind::Core(core) => (None, Some(core)),
        };
        let group = match own {
            Some(own) => own.api_group()?.to_string(),
            None => core.map(CoreKind::api_group).unwrap_or_default(),
        };
        Ok(Self {
            own: own.is_some(),
            custom: core.is_none_or(|core| core.external),
            kind: kind.to_string(),
            article: article(kind.as_str()),
            types: match own {
                Some(own) => types(&data, own),
                None => core.map(|core| core.path.clone()).unwrap_or_default(),
            },
            type_name: match own {
                Some(own) => own.kind.type_name(),
                None => core.map(CoreKind::type_name).unwrap_or_default(),
            },
            groups: marker_group(&group),
            plural: match own {
                Some(own) => own.plural.to_string(),
                None => core
                    .map_or_else(|| Plural::of(kind), CoreKind::plural)
                    .to_string(),
            },
            namespaced: own.is_none_or(Resource::is_namespaced)
                && core.is_none_or(CoreKind::is_namespaced),
            name: controller.name.clone().unwrap_or_default(),
            pointer: format!("/metadata/annotations/{}", annotation.replace('/', "~1")),
            annotation,
            label: label(project),
            sample: own.map(sample).unwrap_or_default(),
            samples: samples_from(&controller.module),
            fixture: format!(
                "{}{}",
                "../".repeat(1 + controller.module.len()),
                fixture(controller)
            ),
            project: data,
        })
    }
}

/// The set `fixture`.
#[derive(Serialize)]
pub(super) struct FixtureData {
    fixture: String,
}

impl FixtureData {
    /// None for a kind of the project's own, which has a sample.
    pub(super) fn new(project: &Project, controller: &Controller<'_>) -> Option<Self> {
        match controller.kind {
            ControlledKind::Own(_) => None,
            ControlledKind::Core(core) => Some(Self {
                fixture: fixtures::object(core, &controller.runtime_name(), &label(project)),
            }),
        }
    }
}

/// The object that the tests of a controller start from.
fn fixture(controller: &Controller<'_>) -> String {
    format!("{}/fixture.yaml", controller.source())
}

/// The label of the objects of others that the project's controllers reconcile.
fn label(project: &Project) -> String {
    format!("{}/{}", project.domain, project.project_name)
}

/// A group as markers write it.
fn marker_group(group: &str) -> String {
    match group {
        "" => "\"\"".to_owned(),
        group => group.to_owned(),
    }
}

/// The set `webhook/wiring`.
#[derive(Serialize)]
pub(super) struct WebhooksData {
    groups: Vec<AdmissionGroup>,
    /// What is registered.
    defaulting: Vec<Registered>,
    validation: Vec<Registered>,
    conversions: Vec<Converted>,
}

/// A kind whose versions are converted.
#[derive(Serialize)]
struct Converted {
    kind: String,
    /// The function that registers the conversions.
    function: String,
    /// The statements in it.
    statements: Vec<String>,
}

impl Converted {
    fn new(project: &ProjectData, kind: &OwnKind<'_>) -> Self {
        let hub = kind.hub();
        let alias = |name: &str, resource: &Resource| {
            let module = types(project, resource);
            let path = format!("{module}::{};", resource.kind.type_name());
            match name.len() + path.len() + 12 <= 100 {
                true => format!("type {name} = {path}"),
                false => format!("type {name} =\n        {path}"),
            }
        };
        let mut statements = vec![alias("Hub", hub)];
        let mut calls = Vec::new();
        for Conversion { spoke, .. } in kind.conversions() {
            let name = spoke.version.to_string().replacen('v', "V", 1);
            statements.push(alias(&name, spoke));
            calls.push(format!(".spoke::<{name}>()"));
        }
        let new = "Conversion::<Hub>::new()";
        let one_line = format!("{new}{}", calls.concat());
        let statement = if calls.len() == 1 || one_line.len() <= 60 {
            format!("manager.conversion({one_line});")
        } else {
            let calls = calls.join("\n            ");
            format!("manager.conversion(\n        {new}\n            {calls},\n    );")
        };
        statements.push(statement);
        Self {
            kind: hub.kind.to_string(),
            function: joined(
                hub.group.module().trim_start_matches('_'),
                &hub.kind.module(),
            ),
            statements,
        }
    }
}

#[derive(Serialize)]
struct Registered {
    path: String,
    module: String,
}

impl WebhooksData {
    pub(super) fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let kinds = project.webhook_kinds();
        let registered = |sort| {
            let kinds = kinds.iter().filter(|kind| kind.webhooks.has(sort));
            let registered = kinds.map(|kind| Registered {
                path: kind.path(sort),
                module: kind.module.join("::"),
            });
            registered.collect()
        };
        let data = common.data.clone();
        let own_kinds = project.own_kinds();
        let converted = own_kinds.iter().filter(|kind| kind.is_converted());
        Self {
            conversions: converted.map(|kind| Converted::new(&data, kind)).collect(),
            defaulting: registered(WebhookSort::Defaulting),
            validation: registered(WebhookSort::Validation),
            groups: AdmissionGroup::all(&kinds, |kind| {
                kind.sorts().map(WebhookSort::file).collect()
            }),
        }
    }
}

/// The modules of kinds: those in one group are in a module of its own if the project is multigroup.
#[derive(Serialize)]
struct AdmissionGroup {
    name: Option<String>,
    kinds: Vec<AdmissionModule>,
}

#[derive(Serialize)]
struct AdmissionModule {
    module: String,
    kind: String,
    parts: Vec<&'static str>,
}

impl AdmissionGroup {
    fn all(
        kinds: &[AdmissionKind<'_>],
        parts: impl Fn(&AdmissionKind<'_>) -> Vec<&'static str>,
    ) -> Vec<Self> {
        let mut groups: BTreeMap<Option<String>, Vec<AdmissionModule>> = BTreeMap::new();
        for kind in kinds {
            let (module, group) = kind.module.split_last().expect("a module");
            let modules = groups.entry(group.first().cloned()).or_default();
            modules.push(AdmissionModule {
                module: module.clone(),
                kind: kind.kind.to_string(),
                parts: parts(kind),
            });
        }
        let groups = groups.into_iter().map(|(name, mut kinds)| {
            kinds.sort_by(|a, b| a.module.cmp(&b.module));
            Self { name, kinds }
        });
        groups.collect()
    }
}

/// The sets `webhook/defaulting` and `webhook/validation`.
#[derive(Serialize)]
pub(super) struct WebhookData {
    project: ProjectData,
    /// Whether the kind is the project's own.
    own: bool,
    kind: String,
    article: &'static str,
    /// The path of the module that has the type, and the type.
    types: String,
    type_name: String,
    /// What the marker says of it.
    path: String,
    name: String,
    groups: String,
    plural: String,
    version: String,
    /// The sample of a kind of the project's own below `config/samples/`, and the way there.
    sample: String,
    samples: String,
    /// Whether the kind is one of another operator, whose object is in a file.
    external: bool,
}

impl WebhookData {
    pub(super) fn new(common: &Common<'_>, kind: &AdmissionKind<'_>, sort: WebhookSort) -> Self {
        let data = common.data.clone();
        let own = kind.own;
        Self {
            own: own.is_some(),
            kind: kind.kind.to_string(),
            article: article(kind.kind.as_str()),
            types: types_of(&data, kind),
            type_name: type_name_of(kind),
            path: kind.path(sort),
            name: kind.name(sort),
            groups: marker_group(&kind.api_group),
            plural: kind.plural.to_string(),
            version: kind.version.to_string(),
            sample: own.map(sample).unwrap_or_default(),
            samples: samples_from(&kind.module),
            external: kind.is_external(),
            project: data,
        }
    }
}

/// The set `policy/config`.
#[derive(Serialize)]
pub(super) struct PoliciesData {
    /// Files of the policies below `config/policy/`.
    files: Vec<String>,
}

impl PoliciesData {
    pub(super) fn new(project: &Project) -> Self {
        let kinds = project.policy_kinds();
        let files = kinds.iter().flat_map(|kind| {
            let sorts = kind.policies.sorts();
            sorts.map(|sort| kind.policy(sort).replace(&format!("{POLICIES}/"), ""))
        });
        Self {
            files: files.collect(),
        }
    }
}

/// The sets `policy/mutating` and `policy/validating`.
#[derive(Serialize)]
pub(super) struct PolicyData {
    project: ProjectData,
    /// Whether the kind is the project's own.
    own: bool,
    kind: String,
    article: &'static str,
    /// What the policy is called.
    name: String,
    api_group: String,
    version: String,
    plural: String,
    /// Whether objects live in a namespace.
    namespaced: bool,
    /// Whether namespaces that must go on are left out.
    exempt: bool,
    /// Whether requests for an equivalent kind are left alone.
    exact: bool,
    /// The path of the module that has the type, and the type.
    types: String,
    type_name: String,
    /// The sample of a kind of the project's own below `config/samples/`.
    sample: String,
    /// An object of a kind of Kubernetes itself.
    object: &'static str,
    /// Whether the kind is one of another operator, whose object is in a file.
    external: bool,
}

impl PolicyData {
    pub(super) fn new(common: &Common<'_>, kind: &AdmissionKind<'_>, sort: PolicySort) -> Self {
        let data = common.data.clone();
        let is_namespaced = match (kind.own, kind.core) {
            (Some(own), _) => own.is_namespaced(),
            (None, core) => core.is_some_and(|core| core.namespaced),
        };
        Self {
            own: kind.own.is_some(),
            kind: kind.kind.to_string(),
            article: article(kind.kind.as_str()),
            name: format!("{}-{}-policy", kind.stem.join("-"), sort.name()),
            api_group: kind.api_group.clone(),
            version: kind.version.to_string(),
            plural: kind.plural.to_string(),
            namespaced: is_namespaced,
            // A selector of namespaces selects these by their own labels, and no others that are in none.
            exempt: kind.core.is_some() && (is_namespaced || kind.kind.as_str() == "Namespace"),
            // Those of the groups `` and `events.k8s.io` are the same, and no code converts one to the other.
            exact: kind.core.is_some() && kind.kind.as_str() == "Event",
            types: types_of(&data, kind),
            type_name: type_name_of(kind),
            sample: kind.own.map(sample).unwrap_or_default(),
            object: kind.core.map(CoreKind::sample).unwrap_or_default(),
            external: kind.is_external(),
            project: data,
        }
    }
}

/// The path of the module that has the types of a kind of the project or of Kubernetes.
fn types_of(project: &ProjectData, kind: &AdmissionKind<'_>) -> String {
    match (kind.own, kind.core) {
        (Some(own), _) => types(project, own),
        (None, core) => core.map(|core| core.path.clone()).unwrap_or_default(),
    }
}

/// The Rust type of a kind of the project or of Kubernetes.
fn type_name_of(kind: &AdmissionKind<'_>) -> String {
    match kind.own {
        Some(_) => kind.kind.type_name(),
        None => kind.core.map(CoreKind::type_name).unwrap_or_default(),
    }
}

/// The path of the module that has the types of a kind.
fn types(project: &ProjectData, resource: &Resource) -> String {
    let (group, version) = (resource.group.module(), &resource.version);
    format!("{}::{group}::{version}", project.api_crate)
}

/// The file of a kind's sample.
fn sample(resource: &Resource) -> String {
    let kind = resource.kind.lower();
    format!("{}_{}_{kind}.yaml", resource.group, resource.version)
}

/// The relative path from a controller below `src/controller/` to the samples.
fn samples_from(controller: &[String]) -> String {
    format!("{}config/samples/", "../".repeat(2 + controller.len()))
}

fn article(word: &str) -> &'static str {
    match word.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) {
        true => "an",
        false => "a",
    }
}
