//! What templates are rendered with: one struct for each set.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::error::Result;
use crate::project::layout::POLICIES;
use crate::project::name::{Group, Image, Version, crate_name};
use crate::project::{
    AdmissionKind, CoreKind, PolicySort, Project, Resource, Runtime, WebhookSort,
};

use crate::versions::{VERSIONS, Versions};

/// The set `project`, and `project` in every other set.
#[derive(Clone, Serialize)]
pub(super) struct ProjectData {
    name: String,
    domain: String,
    crate_name: String,
    api_package: String,
    api_crate: String,
    namespaced: bool,
    license: Option<&'static str>,
    has_apis: bool,
    has_webhooks: bool,
    has_policies: bool,
    /// The Lease that its operators elect their leader with.
    lease_name: String,
    runtime: RuntimeData,
    versions: Versions,
}

impl ProjectData {
    pub(super) fn new(project: &Project) -> Self {
        let api_package = project.project_name.api_package();
        Self {
            name: project.project_name.to_string(),
            domain: project.domain.to_string(),
            crate_name: crate_name(project.project_name.as_str()),
            api_crate: crate_name(&api_package),
            api_package,
            namespaced: project.namespaced,
            license: project.license.spdx(),
            has_apis: !project.resources.own.is_empty(),
            has_webhooks: project.has_webhooks(),
            has_policies: project.has_policies(),
            lease_name: project.lease_name(),
            runtime: RuntimeData::new(&project.runtime),
            versions: VERSIONS,
        }
    }
}

/// Where a project has the crate `rop-runtime` from.
#[derive(Clone, Serialize)]
struct RuntimeData {
    vendored: bool,
    /// The folder of the project that has its source.
    folder: Option<String>,
    /// What Cargo.toml says of it.
    dependency: String,
}

impl RuntimeData {
    fn new(runtime: &Runtime) -> Self {
        Self {
            vendored: runtime.is_vendored(),
            folder: runtime.folder().map(str::to_owned),
            dependency: runtime.dependency().to_string(),
        }
    }
}

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
}

/// The set `wiring`.
#[derive(Serialize)]
pub(super) struct WiringData {
    project: ProjectData,
    /// Modules of the API crate.
    groups: BTreeSet<String>,
    /// Paths of the kinds below the API crate.
    kinds: Vec<String>,
    /// Controllers that stand in `src/controller/` itself.
    controllers: Vec<String>,
    /// Controllers that stand in a folder for their group.
    groups_of_controllers: Vec<GroupOfControllers>,
    /// Paths of all controllers below `src/controller/`, in the order in which they are started.
    started: Vec<String>,
    /// Files of the roles for people below `config/rbac/`.
    roles: Vec<String>,
}

/// Controllers of one group.
#[derive(Serialize)]
struct GroupOfControllers {
    group: String,
    controllers: Vec<String>,
}

impl WiringData {
    pub(super) fn new(project: &Project) -> Self {
        let mut data = Self {
            project: ProjectData::new(project),
            groups: BTreeSet::new(),
            kinds: Vec::new(),
            controllers: Vec::new(),
            groups_of_controllers: Vec::new(),
            started: Vec::new(),
            roles: Vec::new(),
        };
        for resource in &project.resources.own {
            let group = resource.group.module();
            let kind = resource.kind.type_name();
            data.kinds
                .push(format!("{group}::{}::{kind}", resource.version));
            data.groups.insert(group);
        }
        for resource in project.resources.own.iter().filter(|r| r.api.is_some()) {
            let stem = project.role_stem(resource).join("_");
            for role in ["admin", "editor", "viewer"] {
                data.roles.push(format!("{stem}_{role}_role.yaml"));
            }
        }
        let mut grouped: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for resource in project.resources.own.iter().filter(|r| r.controller) {
            let module = project.controller_module(resource);
            data.started.push(module.join("::"));
            match &module[..] {
                [group, kind] => grouped.entry(group.clone()).or_default().push(kind.clone()),
                _ => data.controllers.push(module.concat()),
            }
        }
        data.controllers.sort();
        data.groups_of_controllers = grouped
            .into_iter()
            .map(|(group, mut controllers)| {
                controllers.sort();
                GroupOfControllers { group, controllers }
            })
            .collect();
        data
    }
}

/// The set `cluster`.
#[derive(Serialize)]
pub(super) struct ClusterData {
    project: ProjectData,
    /// The modules of the kinds' tests, which are named after the controllers.
    controllers: Vec<String>,
    groups_of_controllers: Vec<GroupOfControllers>,
    has_controllers: bool,
    /// The modules of the policies' tests.
    policies: Vec<AdmissionGroup>,
}

impl ClusterData {
    pub(super) fn new(project: &Project) -> Self {
        let wiring = WiringData::new(project);
        Self {
            project: wiring.project,
            controllers: wiring.controllers,
            groups_of_controllers: wiring.groups_of_controllers,
            has_controllers: project.has_controllers(),
            policies: AdmissionGroup::all(&project.policy_kinds(), |kind| {
                kind.policies.sorts().map(PolicySort::name).collect()
            }),
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
    /// Modules of its kinds.
    kinds: BTreeSet<String>,
}

impl ApisData {
    pub(super) fn new(project: &Project) -> Self {
        let mut groups: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for resource in project.resources.own.iter().filter(|r| r.api.is_some()) {
            let versions = groups.entry(resource.group.module()).or_default();
            let kinds = versions.entry(resource.version.to_string()).or_default();
            kinds.insert(resource.kind.module());
        }
        let version = |(module, kinds)| VersionModule { module, kinds };
        let group = |(module, versions): (_, BTreeMap<_, _>)| GroupModule {
            module,
            versions: versions.into_iter().map(version).collect(),
        };
        let crds = project
            .resources
            .own
            .iter()
            .map(|r| format!("bases/{}.{}_{}.yaml", r.group, r.domain, r.plural));
        let samples = project.resources.own.iter().map(sample);
        Self {
            project: ProjectData::new(project),
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
            versions
                .entry((&resource.group, &resource.version))
                .or_insert_with(|| Self {
                    api_version: format!(
                        "{}.{}/{}",
                        resource.group, resource.domain, resource.version
                    ),
                    kinds: Vec::new(),
                })
                .kinds
                .push(VersionKind {
                    module: resource.kind.module(),
                    types: resource.type_names(),
                });
        }
        versions
            .into_iter()
            .map(|((group, version), mut data)| {
                data.kinds.sort_by(|a, b| a.module.cmp(&b.module));
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
    pub(super) fn new(project: &Project, resource: &Resource) -> Result<Self> {
        Ok(Self {
            project: ProjectData::new(project),
            role: project.role_stem(resource).join("-"),
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
    pub(super) fn new(project: &Project, resource: &Resource) -> Result<Self> {
        let type_name = resource.kind.type_name();
        let data = ProjectData::new(project);
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
            sample_name: sample_name(resource),
            sample: sample(resource),
            samples: samples_from(&project.controller_module(resource)),
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

/// The set `webhook/wiring`.
#[derive(Serialize)]
pub(super) struct WebhooksData {
    groups: Vec<AdmissionGroup>,
    /// What is registered.
    defaulting: Vec<Registered>,
    validation: Vec<Registered>,
}

#[derive(Serialize)]
struct Registered {
    path: String,
    module: String,
}

impl WebhooksData {
    pub(super) fn new(project: &Project) -> Self {
        let kinds = project.webhook_kinds();
        let registered = |sort| {
            let kinds = kinds.iter().filter(|kind| kind.webhooks.has(sort));
            let registered = kinds.map(|kind| Registered {
                path: kind.path(sort),
                module: kind.module.join("::"),
            });
            registered.collect()
        };
        Self {
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
}

impl WebhookData {
    pub(super) fn new(project: &Project, kind: &AdmissionKind<'_>, sort: WebhookSort) -> Self {
        let data = ProjectData::new(project);
        let own = kind.own;
        Self {
            own: own.is_some(),
            kind: kind.kind.to_string(),
            article: article(kind.kind.as_str()),
            types: types_of(&data, kind),
            type_name: type_name_of(kind),
            path: kind.path(sort),
            name: kind.name(sort),
            groups: match &*kind.api_group {
                "" => "\"\"".to_owned(),
                group => group.to_owned(),
            },
            plural: kind.plural.to_string(),
            version: kind.version.to_string(),
            sample: own.map(sample).unwrap_or_default(),
            samples: samples_from(&kind.module),
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
}

impl PolicyData {
    pub(super) fn new(project: &Project, kind: &AdmissionKind<'_>, sort: PolicySort) -> Self {
        let data = ProjectData::new(project);
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
        None => kind.kind.to_string(),
    }
}

/// The path of the module that has the types of a kind.
fn types(project: &ProjectData, resource: &Resource) -> String {
    let (group, version) = (resource.group.module(), &resource.version);
    format!("{}::{group}::{version}", project.api_crate)
}

/// The name of a sample. It is a label too, which has 63 characters at the most.
fn sample_name(resource: &Resource) -> String {
    let name = format!("{}-sample", resource.kind.lower());
    match name.len() {
        ..=63 => name,
        _ => "sample".to_owned(),
    }
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
    match word.starts_with(['A', 'E', 'I', 'O']) {
        true => "an",
        false => "a",
    }
}
