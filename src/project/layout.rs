//! Where the files of a project are: every path that rop looks for. What it makes, and where, the names of the
//! templates say.

use std::collections::BTreeMap;

use crate::error::{Code, Error, Result};

use super::name::{Group, WebhookPath};
use super::{Project, ProjectKind, Versioned, taken};

/// The build of the image.
pub const DOCKERFILE: &str = "Dockerfile";
/// The root of the API crate.
pub const API: &str = "api/src/lib.rs";

/// The sources of the types.
pub(crate) const API_SOURCES: &str = "api/src";
/// The manifest of the API crate.
pub const API_MANIFEST: &str = "api/Cargo.toml";
/// The folder of the operator's sources.
pub const SOURCES: &str = "src";
/// The folder of controllers.
pub const CONTROLLERS: &str = "src/controller";
/// The folder of webhooks.
pub const WEBHOOK_SOURCES: &str = "src/webhook";
/// The folder of tests on a real API server.
pub const CLUSTER_TESTS: &str = "tests/cluster";
/// The folder of manifests.
pub const CONFIG: &str = "config";
/// The kustomization that `rop install` applies.
pub const CRD: &str = "config/crd";
/// The list of the CRDs.
pub const CRD_KUSTOMIZATION: &str = "config/crd/kustomization.yaml";
/// The folder of CRDs.
pub const CRD_BASES: &str = "config/crd/bases";
/// The folder of CRDs of other operators, which are not deployed.
pub const EXTERNAL_CRDS: &str = "config/external";
/// The folder of the types of their kinds.
pub const EXTERNAL_TYPES: &str = "api/src/external";
/// The kustomization that `rop deploy` applies.
pub const DEFAULT: &str = "config/default";
/// Sets the namespace and the name prefix.
pub const DEFAULT_KUSTOMIZATION: &str = "config/default/kustomization.yaml";
/// Sets the image.
pub const MANAGER: &str = "config/manager/kustomization.yaml";
/// The operator's role.
pub const ROLE: &str = "config/rbac/role.yaml";
/// The folder of its parts in other namespaces.
pub const ROLE_NAMESPACES: &str = "config/rbac/namespaces";
/// The transformers that keep these namespaces.
pub const ROLE_TRANSFORMERS: &str = "config/rbac/namespaces/transformers.yaml";
/// The webhook configurations.
pub const WEBHOOKS: &str = "config/webhook/manifests.yaml";
/// The folder of admission policies.
pub const POLICIES: &str = "config/policy";
/// The folder of their tests on a real API server.
pub const POLICY_TESTS: &str = "tests/cluster/policies";
/// The folder of samples.
pub const SAMPLES: &str = "config/samples";

/// The hint for two kinds with one name.
const MULTIGROUP_HINT: &str =
    "use a directory for each group: `--multigroup` with `rop init` or `rop edit`";

impl ProjectKind {
    /// Its CRD. Those of other operators are not deployed.
    pub fn crd(&self) -> String {
        let (group, plural) = (self.api_group(), &self.plural);
        if self.is_external() {
            format!("{EXTERNAL_CRDS}/{group}_{plural}.yaml")
        } else {
            crd(&group, plural.as_str())
        }
    }
}

impl Versioned<'_> {
    /// The module of its types, without `.rs`.
    pub(crate) fn types(&self) -> String {
        let (group, kind) = (self.kind.group.module(), self.kind.name.module());
        if self.kind.is_external() {
            format!("{EXTERNAL_TYPES}/{}", self.kind.modules().join("/"))
        } else {
            format!("api/src/{group}/{}/{kind}", self.version.name)
        }
    }

    /// The file of its types, unless they are a folder.
    pub(crate) fn types_file(&self) -> String {
        format!("{}.rs", self.types())
    }

    /// The file of its types, if they are a folder.
    pub(crate) fn types_in_folder(&self) -> String {
        format!("{}/mod.rs", self.types())
    }

    /// Its tests without a server.
    pub(crate) fn api_test(&self) -> String {
        let (group, kind) = (self.kind.group.module(), self.kind.name.module());
        format!("tests/api/{group}/{}/{kind}.rs", self.version.name)
    }

    /// Its sample in `config/samples`.
    pub(crate) fn sample(&self) -> String {
        let (group, kind) = (&self.kind.group, self.kind.name.lower());
        format!("{SAMPLES}/{group}_{}_{kind}.yaml", self.version.name)
    }
}

/// The CRD of a kind, by controller-gen's rule.
pub(crate) fn crd(group: &str, plural: &str) -> String {
    format!("{CRD_BASES}/{group}_{plural}.yaml")
}

/// What to do where two kinds have one place: folders of groups do not keep versions of one kind apart.
fn apart(left: &str, right: &str) -> &'static str {
    let name = |gvk: &str| {
        let (group, kind) = gvk.split_once('/')?;
        let (_, kind) = kind.split_once(' ')?;
        Some((group.to_owned(), kind.to_owned()))
    };
    if name(left).is_some_and(|it| name(right) == Some(it)) {
        "a kind has them in one version: select it with `--version`"
    } else {
        MULTIGROUP_HINT
    }
}

impl Project {
    /// Checks that no file, module or role is of two resources.
    ///
    /// What a resource has by its group and kind is unique if those are. What is called after the
    /// kind alone gets the group before it if an earlier kind has the name, and may then be called as
    /// a third one is.
    pub(super) fn check_places(&self) -> Result<()> {
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        let names = self.file_names();
        for kind in self.own_kinds() {
            let controller = names.module(kind).join("/");
            let roles = names.stem(kind).join("_");
            for place in [
                format!("{CONTROLLERS}/{controller}/"),
                format!("config/rbac/{roles}_*_role.yaml"),
            ] {
                if let Some(other) = taken.insert(place.clone(), kind.hub().gvk()) {
                    let (kind, files) = (kind.hub().gvk(), format!("the files `{place}`"));
                    return Err(taken::conflict(Code::PathTaken, kind, other, files).hint(
                        format!("choose another kind or group, or {MULTIGROUP_HINT}"),
                    ));
                }
            }
        }
        let controllers = self.controllers();
        for controller in controllers
            .iter()
            .filter(|controller| !controller.is_of_template())
        {
            let place = format!("{}/", controller.source());
            if let Some(other) = taken.insert(place.clone(), controller.label()) {
                let files = format!("the files `{place}`");
                let error = taken::conflict(Code::PathTaken, controller.label(), &other, files);
                return Err(error.hint(match &controller.name {
                    Some(_) => "choose another name with `--controller-name`",
                    None => apart(&other, &controller.label()),
                }));
            }
        }
        self.check_webhooks()?;
        self.check_policies()
    }

    /// Checks that no file is of the policies of two kinds.
    fn check_policies(&self) -> Result<()> {
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        for kind in self.policy_kinds() {
            for place in [
                format!("{POLICIES}/{}_*_policy.yaml", kind.stem.join("_")),
                format!("{}/", kind.policy_test_folder()),
            ] {
                if let Some(other) = taken.insert(place.clone(), kind.gvk()) {
                    let error = taken::conflict(
                        Code::PathTaken,
                        format!("the policies of {other}"),
                        format!("of {}", kind.gvk()),
                        format!("the files `{place}`"),
                    );
                    return Err(error.hint(apart(&other, &kind.gvk())));
                }
            }
        }
        Ok(())
    }

    /// Checks that no module and no path is of the webhooks of two kinds.
    fn check_webhooks(&self) -> Result<()> {
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        for kind in self.webhook_kinds() {
            let folder = format!("{WEBHOOK_SOURCES}/{}/", kind.module.join("/"));
            if let Some(other) = taken.insert(folder.clone(), kind.gvk()) {
                let error = taken::conflict(
                    Code::PathTaken,
                    format!("the webhooks of {other}"),
                    format!("of {}", kind.gvk()),
                    format!("the files `{folder}`"),
                );
                return Err(error.hint(apart(&other, &kind.gvk())));
            }
            for sort in kind.sorts() {
                let path = kind.path(sort);
                let hint = format!("set another path with `--{}-path`", sort.flag());
                if path.parse::<WebhookPath>().is_err() {
                    let message = format!("the path `{path}` is too long for a webhook");
                    return Err(Error::new(Code::InvalidName, message).hint(hint));
                }
                if let Some(other) = taken.insert(path.clone(), kind.gvk()) {
                    let gvk = kind.gvk();
                    let error = if other == gvk {
                        Error::new(
                            Code::PathTaken,
                            format!("both webhooks of {gvk} would have the path `{path}`"),
                        )
                    } else {
                        taken::conflict(
                            Code::PathTaken,
                            format!("webhooks of {other}"),
                            format!("of {gvk}"),
                            format!("the path `{path}`"),
                        )
                    };
                    return Err(error.hint(hint));
                }
            }
        }
        Ok(())
    }

    /// A module in the folder of its group, where the project is multigroup.
    pub(super) fn in_group(&self, group: &Group, module: String) -> Vec<String> {
        match (self.multigroup, group.module()) {
            // A module must not be called as the one that it is in.
            (true, group) if group == module => vec![group, format!("{module}_")],
            (true, group) => vec![group, module],
            (false, _) => vec![module],
        }
    }
}
