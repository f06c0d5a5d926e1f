use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::name::{
    ApiGroup, DeprecationWarning, Domain, Group, Image, Kind, Label, NameError, Plural, Version,
};
use super::webhooks::ConfigurationVersion;
use super::{NamedController, Policies, Webhooks};

/// One API of a project: an entry of `resources` in PROJECT.
///
/// The names of the fields are kubebuilder's (`pkg/model/resource`); `shortNames`, `categories`,
/// `template`, `finalizer`, `image`, `port`, `policies`, `hub`, `served`, `deprecated` and `deprecationWarning` are
/// rop's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// The CRD, where the project defines one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// Whether the project has a controller for the kind.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub controller: bool,
    /// Its controllers beside that one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<NamedController>,
    /// Whether the controller cleans up before an object goes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub finalizer: bool,
    /// The domain behind the group.
    pub domain: Domain,
    /// The group without its domain.
    pub group: Group,
    /// The kind.
    pub kind: Kind,
    /// The resource in URLs.
    pub plural: Plural,
    /// Short names that kubectl knows the kind by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub short_names: Vec<Label>,
    /// Categories such as `all`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Label>,
    /// What the types and the controller started from.
    pub template: Template,
    /// The image in the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
    /// The port in the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The version.
    pub version: Version,
    /// Whether it is the hub of a kind with several versions, where the first one is not: objects are stored in
    /// it, and converted to the others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hub: bool,
    /// Whether the API server serves it.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub served: bool,
    /// Whether clients that use it are warned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// What they are warned with, in place of the API server's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecation_warning: Option<DeprecationWarning>,
    /// Its webhooks.
    #[serde(skip_serializing_if = "Webhooks::is_none")]
    pub webhooks: Webhooks,
    /// Its admission policies.
    #[serde(skip_serializing_if = "Policies::is_none")]
    pub policies: Policies,
}

/// The CRD side of a [`Resource`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Api {
    /// The version of the CRD's own API.
    pub crd_version: ConfigurationVersion,
    /// Whether objects live in a namespace. Left out where they do not, as kubebuilder does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub namespaced: bool,
}

impl Api {
    /// A CRD whose objects live in a namespace or in the cluster.
    pub fn new(namespaced: bool) -> Self {
        Self {
            crd_version: ConfigurationVersion::V1,
            namespaced,
        }
    }
}

/// What the types and the controller of a kind start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Template {
    /// A Deployment and, if there are ports, a Service.
    #[default]
    Workload,
    /// One example field, and a reconcile that reports a status.
    Minimal,
    /// One pod.
    Pod,
    /// A Job that runs once, and is deleted after its time.
    Job,
}

impl Template {
    /// All of them.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Whether objects have `/scale`.
    pub fn has_scale(self) -> bool {
        self == Self::Workload
    }

    /// The image of a sample, where nobody asked for another.
    pub fn default_image(self) -> Option<&'static str> {
        match self {
            Self::Workload => Some("nginx:1.29"),
            Self::Job | Self::Pod => Some("busybox:1.37"),
            Self::Minimal => None,
        }
    }

    /// The port of a sample, where nobody asked for another.
    pub fn default_port(self) -> Option<u16> {
        (self == Self::Workload).then_some(80)
    }
}

/// The name on the command line, in PROJECT, and below `templates/kind/`.
impl fmt::Display for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

impl Resource {
    /// A namespaced API with a controller, and everything else at its default.
    pub fn new(domain: Domain, group: Group, version: Version, kind: Kind) -> Self {
        Self {
            api: Some(Api::new(true)),
            controller: true,
            controllers: Vec::new(),
            finalizer: false,
            domain,
            group,
            plural: Plural::of(&kind),
            kind,
            short_names: Vec::new(),
            categories: Vec::new(),
            template: Template::default(),
            image: None,
            port: None,
            policies: Policies::default(),
            version,
            hub: false,
            served: true,
            deprecated: false,
            deprecation_warning: None,
            webhooks: Webhooks::default(),
        }
    }

    /// Another version of the kind, with types of its own alone.
    #[must_use]
    pub fn in_version(&self, version: Version) -> Self {
        Self {
            controller: false,
            controllers: Vec::new(),
            finalizer: false,
            version,
            hub: false,
            served: true,
            deprecated: false,
            deprecation_warning: None,
            policies: Policies::default(),
            webhooks: Webhooks::default(),
            ..self.clone()
        }
    }

    /// The group with its domain.
    pub fn api_group(&self) -> Result<ApiGroup, NameError> {
        ApiGroup::new(&self.group, &self.domain)
    }

    /// Whether both are one kind in one version.
    pub fn is(&self, other: &Self) -> bool {
        self.is_named(&other.domain, &other.group, &other.version, &other.kind)
    }

    /// Whether both are versions of one kind.
    pub fn is_version_of(&self, other: &Self) -> bool {
        self.domain == other.domain && self.group == other.group && self.kind == other.kind
    }

    /// Whether it has these names.
    pub(super) fn is_named(
        &self,
        domain: &Domain,
        group: &Group,
        version: &Version,
        kind: &Kind,
    ) -> bool {
        self.domain == *domain
            && self.group == *group
            && self.version == *version
            && self.kind == *kind
    }

    /// Whether objects live in a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.api.as_ref().is_none_or(|api| api.namespaced)
    }

    /// The name of the CRD: `appservices.app.example.com`.
    pub fn crd_name(&self) -> String {
        format!("{}.{}.{}", self.plural, self.group, self.domain)
    }

    /// Group, version and kind as a person writes them: `app/v1alpha1 AppService`.
    pub fn gvk(&self) -> String {
        format!("{}/{} {}", self.group, self.version, self.kind)
    }

    /// The Rust types that the kind brings into the module of its version.
    pub fn type_names(&self) -> [String; 3] {
        let name = self.kind.type_name();
        [name.clone(), format!("{name}Spec"), format!("{name}Status")]
    }
}
