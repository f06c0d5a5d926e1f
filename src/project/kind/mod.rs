//! A kind in PROJECT: of the project itself, of Kubernetes or of another operator.

mod built_in;
mod controller;
mod conversion;
mod entries;
mod external;
mod external_crate;
mod find;
mod own;
mod policies;
mod template;
mod version;
mod versions;
mod webhooks;

pub use controller::KindController;
pub use conversion::Conversion;
use entries::Entry;
pub(super) use entries::{joined, renumber, write};
pub use external::External;
#[cfg(test)]
pub(crate) use external_crate::DEPENDENCIES;
pub use external_crate::ExternalCrate;
pub use own::Own;
pub(super) use own::{check_finalizer, check_same, not_of_hub};
pub use policies::{Policies, PolicySort};
pub use template::Template;
pub use version::{KindVersion, Versioned};
pub(super) use versions::no_version;
pub use webhooks::{WebhookSort, Webhooks};

use serde::Deserialize;

use super::name::{Group, Kind, Plural, Version};

/// A kind in PROJECT.
///
/// PROJECT has an entry for each of its versions. One entry is read as a kind in one version.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Entry")]
pub struct ProjectKind {
    /// The group without its domain. That of the oldest kinds of Kubernetes is called `core`.
    pub group: Group,
    /// The name, in `PascalCase`.
    pub name: Kind,
    /// The resource in URLs.
    pub plural: Plural,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// Its versions, in the order of their creation. A kind that the project does not own has one.
    pub versions: Vec<KindVersion>,
    /// The storage version, which webhooks and policies receive.
    pub hub: Version,
    /// Its controllers, each with the version that it works with.
    pub controllers: Vec<KindController>,
    /// Whether the first controller cleans up before an object is deleted.
    pub finalizer: bool,
    /// Its admission and conversion webhooks.
    pub webhooks: Webhooks,
    /// Its admission policies.
    pub policies: Policies,
    /// Who defines it.
    pub origin: Origin,
}

/// Who defines a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The project.
    Own(Own),
    /// Kubernetes. The domain behind the group is empty or `k8s.io`.
    BuiltIn(&'static str),
    /// Another operator.
    External(External),
}

impl ProjectKind {
    /// A namespaced kind in one version, with nothing made for it. Its plural is the English one if none is given.
    fn new(
        group: Group,
        version: Version,
        name: Kind,
        plural: Option<Plural>,
        origin: Origin,
    ) -> Self {
        Self {
            group,
            plural: plural.unwrap_or_else(|| Plural::of(&name)),
            name,
            namespaced: true,
            hub: version.clone(),
            versions: vec![KindVersion::new(version)],
            controllers: Vec::new(),
            finalizer: false,
            webhooks: Webhooks::default(),
            policies: Policies::default(),
            origin,
        }
    }

    /// Whether it is one of the project's own.
    pub fn is_own(&self) -> bool {
        matches!(self.origin, Origin::Own(_))
    }

    /// Whether it is one of another operator.
    pub fn is_external(&self) -> bool {
        matches!(self.origin, Origin::External(_))
    }

    /// The group with its domain, as the API server knows it: empty for `core`.
    pub fn api_group(&self) -> String {
        let domain = match &self.origin {
            Origin::Own(own) => own.domain.as_str(),
            Origin::BuiltIn(domain) => domain,
            Origin::External(external) => external.domain.as_str(),
        };
        match (self.group.as_str(), domain) {
            ("core", "") => String::new(),
            (group, "") => group.to_owned(),
            (group, domain) => format!("{group}.{domain}"),
        }
    }

    /// The name of the CRD: `appservices.app.example.com`.
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.plural, self.api_group())
    }

    /// The Rust type.
    pub fn type_name(&self) -> String {
        match self.origin {
            Origin::Own(_) => self.name.type_name(),
            _ if self.has_generated_types() => self.name.external_type_name(),
            _ => self.name.rust_name(),
        }
    }

    /// The Rust types that one of the project's own brings into the module of a version.
    pub fn type_names(&self) -> [String; 3] {
        let name = self.name.type_name();
        [name.clone(), format!("{name}Spec"), format!("{name}Status")]
    }

    /// Whether both are the same kind.
    pub fn is_same(&self, other: &Self) -> bool {
        // Entries of the project's own kinds may part their groups at another dot: they are checked against each other.
        self.name == other.name
            && self.is_own() == other.is_own()
            && (self.group == other.group || !self.is_own())
            && self.api_group() == other.api_group()
    }

    /// Whether it has this name. The group may be written with its domain or without it.
    pub(super) fn is_named(&self, group: &Group, name: &Kind) -> bool {
        self.name == *name && (self.group == *group || self.api_group() == group.as_str())
    }
}
