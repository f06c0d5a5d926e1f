//! What rop knows of a project: the PROJECT file and the rules that hold between its parts.

mod add;
mod admission;
mod cargo;
mod controllers;
mod deployed;
mod file;
mod file_names;
mod kind;
pub mod layout;
mod lease;
mod library;
mod license;
mod locate;
pub mod name;
mod present;
mod remove;
mod rules;
mod runtime;
mod settings;
mod taken;
mod unknown;

pub(crate) use add::finalizer_of_others;
pub use admission::Admission;
pub use controllers::Controller;
pub use deployed::deployed_image;
pub(crate) use deployed::{ManagerContainer, manager_container};
pub use file::FILE_NAME;
pub(crate) use file_names::FileNames;
#[cfg(test)]
pub(crate) use kind::DEPENDENCIES;
pub use kind::{
    Conversion, External, ExternalCrate, KindController, KindVersion, Origin, Own, Policies,
    PolicySort, ProjectKind, Template, Versioned, WebhookSort, Webhooks,
};
pub use library::Library;
pub use license::License;
pub use locate::{ProjectDir, Root, check_owner, find};
pub use runtime::Runtime;

use name::{Domain, Owner, ProjectName};
use serde::{Deserialize, Serialize};

/// The contents of PROJECT, in kubebuilder's format 3.
///
/// `license`, `owner` and `runtime` are rop's, which kubebuilder forgets. Fields that rop does not know stay
/// in the file, since it is edited and never rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// The newest release of rop that changed the project: older ones refuse to.
    pub cli_version: semver::Version,
    /// The domain of the API groups.
    pub domain: Domain,
    /// The kind of project: [`Project::LAYOUT`].
    pub layout: Vec<String>,
    /// What its library has, which PROJECT does not say.
    #[serde(skip)]
    pub library: Library,
    /// Whether controllers stand in a folder for each group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multigroup: bool,
    /// Whether the operator watches its own namespace, with a Role, in place of the cluster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
    /// The license of the sources.
    #[serde(default, skip_serializing_if = "License::is_none")]
    pub license: License,
    /// Who holds the copyright.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// The name of the operator's package, and the prefix of its objects.
    pub project_name: ProjectName,
    /// The kinds that it is about: its own, then those of others.
    #[serde(
        default,
        rename = "resources",
        serialize_with = "kind::write",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub kinds: Vec<ProjectKind>,
    /// Where the crate `rop-runtime` comes from.
    #[serde(default, skip_serializing_if = "Runtime::is_vendored")]
    pub runtime: Runtime,
    /// The version of the format: `3`.
    pub version: String,
}

impl Project {
    /// What `layout` holds: the plugin that a Go tool would look for.
    pub const LAYOUT: &str = "rust.rop/v1";
    /// The version of PROJECT's format.
    pub const FORMAT: &str = "3";

    /// A project without APIs, written by this release.
    pub fn new(project_name: ProjectName, domain: Domain) -> Self {
        Self {
            cli_version: release(),
            domain,
            layout: vec![Self::LAYOUT.to_owned()],
            library: Library::default(),
            multigroup: false,
            namespaced: false,
            license: License::None,
            owner: None,
            project_name,
            kinds: Vec::new(),
            runtime: Runtime::Vendored,
            version: Self::FORMAT.to_owned(),
        }
    }
}

/// The release of rop that runs.
#[expect(clippy::missing_panics_doc, reason = "cargo has read the version too")]
pub fn release() -> semver::Version {
    semver::Version::parse(env!("CARGO_PKG_VERSION")).expect("a version")
}

/// The sum of the templates and of the runtime in this build: builds of one version can differ.
pub(crate) fn templates() -> &'static str {
    env!("ROP_TEMPLATES")
}
