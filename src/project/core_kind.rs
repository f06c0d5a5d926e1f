//! Kinds of Kubernetes itself and of other operators, as the project has controllers, webhooks and policies for them.

use serde::Serialize;

use crate::error::{Error, Result};

use super::name::{Group, Kind, Plural, Version};
use super::{ExternalCrate, NamedController, Policies, Webhooks};

/// The stable kinds whose objects webhooks and policies are asked about: the group without its domain and the domain,
/// as kubebuilder has them (`pkg/plugin/util` and `pkg/plugins/golang`), the version, the kinds that live in a namespace and
/// those that do not. The API server asks nobody about webhook configurations and admission policies.
const KINDS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "core",
        "",
        "v1",
        "ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController \
         ResourceQuota Secret Service ServiceAccount",
        "Namespace Node PersistentVolume",
    ),
    (
        "apps",
        "",
        "v1",
        "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
        "",
    ),
    ("autoscaling", "", "v2", "HorizontalPodAutoscaler", ""),
    ("autoscaling", "", "v1", "HorizontalPodAutoscaler", ""),
    ("batch", "", "v1", "CronJob Job", ""),
    (
        "certificates",
        "k8s.io",
        "v1",
        "",
        "CertificateSigningRequest",
    ),
    ("coordination", "k8s.io", "v1", "Lease", ""),
    ("discovery", "k8s.io", "v1", "EndpointSlice", ""),
    ("events", "k8s.io", "v1", "Event", ""),
    (
        "networking",
        "k8s.io",
        "v1",
        "Ingress NetworkPolicy",
        "IPAddress IngressClass ServiceCIDR",
    ),
    ("node", "k8s.io", "v1", "", "RuntimeClass"),
    ("policy", "", "v1", "PodDisruptionBudget", ""),
    (
        "rbac.authorization",
        "k8s.io",
        "v1",
        "Role RoleBinding",
        "ClusterRole ClusterRoleBinding",
    ),
    (
        "resource",
        "k8s.io",
        "v1",
        "ResourceClaim ResourceClaimTemplate",
        "DeviceClass ResourceSlice",
    ),
    ("scheduling", "k8s.io", "v1", "", "PriorityClass"),
    (
        "storage",
        "k8s.io",
        "v1",
        "CSIStorageCapacity",
        "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    ),
];

/// A small valid object of each of them.
const SAMPLES: &str = include_str!("core_samples.yaml");

/// A kind that is not the project's own: an entry of `resources` in PROJECT with `core: true` for one of Kubernetes
/// itself, and with `external: true` for one of another operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoreKind {
    /// Whether it is one of Kubernetes itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub core: bool,
    /// Whether the project has a controller for the kind.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub controller: bool,
    /// Its controllers beside that one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<NamedController>,
    /// The domain behind the group, where it has one: `k8s.io`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Whether it is one of another operator.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// The group without its domain. That of the oldest kinds is called `core`.
    pub group: Group,
    /// The kind.
    pub kind: Kind,
    /// The crate that has its type, and the version of that, unless it is one of the project: `name@1.2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<ExternalCrate>,
    /// Whether objects live in a namespace. PROJECT says it of a kind of another operator that is cluster-scoped.
    #[serde(skip)]
    pub namespaced: bool,
    /// Whether they do not, of a kind of another operator.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cluster_scoped: bool,
    /// The Rust module that has its type.
    pub path: String,
    /// The resource in URLs, of a kind of another operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plural: Option<Plural>,
    /// The version.
    pub version: Version,
    /// Its webhooks.
    #[serde(skip_serializing_if = "Webhooks::is_none")]
    pub webhooks: Webhooks,
    /// Its admission policies.
    #[serde(skip_serializing_if = "Policies::is_none")]
    pub policies: Policies,
}

impl CoreKind {
    /// All that there are. Of a kind with several versions, the preferred one is first.
    #[expect(
        clippy::missing_panics_doc,
        reason = "the names in the table are valid"
    )]
    pub fn all() -> impl Iterator<Item = Self> {
        let scopes = KINDS
            .iter()
            .flat_map(|(group, domain, version, namespaced, cluster)| {
                [(namespaced, true), (cluster, false)]
                    .map(|(kinds, namespaced)| (*group, *domain, *version, *kinds, namespaced))
            });
        scopes.flat_map(|(group, domain, version, kinds, namespaced)| {
            let module = group.split('.').next().unwrap_or_default();
            kinds.split_whitespace().map(move |kind| Self {
                controller: false,
                controllers: Vec::new(),
                core: true,
                domain: (!domain.is_empty()).then(|| (*domain).to_owned()),
                external: false,
                group: group.parse().expect("a group"),
                kind: kind.parse().expect("a kind"),
                module: None,
                namespaced,
                cluster_scoped: false,
                plural: None,
                path: format!("k8s_openapi::api::{module}::{version}"),
                policies: Policies::default(),
                version: version.parse().expect("a version"),
                webhooks: Webhooks::default(),
            })
        })
    }

    /// The kind of that name. Its group may be written with its domain or without it.
    ///
    /// # Errors
    /// There is such a kind, in another version. Nothing where there is no such kind at all.
    pub fn find(group: &Group, version: Option<&Version>, kind: &Kind) -> Result<Option<Self>> {
        let is_it = |one: &Self| {
            one.kind == *kind && (one.group == *group || one.api_group() == group.as_str())
        };
        let found: Vec<Self> = Self::all().filter(is_it).collect();
        let Some(first) = found.first() else {
            return Ok(None);
        };
        let Some(version) = version else {
            return Ok(Some(first.clone()));
        };
        let right = found.iter().find(|one| one.version == *version);
        right
            .cloned()
            .map(Some)
            .ok_or_else(|| no_version(group, version, kind, found.iter().map(|one| &one.version)))
    }

    /// The group as the API server knows it: empty for `core`.
    pub fn api_group(&self) -> String {
        match (self.group.as_str(), &self.domain) {
            ("core", None) => String::new(),
            (group, Some(domain)) => format!("{group}.{domain}"),
            (group, None) => group.to_owned(),
        }
    }

    /// The resource in URLs.
    pub fn plural(&self) -> Plural {
        self.plural
            .clone()
            .unwrap_or_else(|| Plural::of(&self.kind))
    }

    /// Whether objects live in a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// Group and version as a manifest has them.
    pub fn api_version(&self) -> String {
        match &*self.api_group() {
            "" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The manifest of a small valid object, which is in no namespace.
    #[expect(clippy::missing_panics_doc, reason = "a test finds one of each kind")]
    pub fn sample(&self) -> &'static str {
        if self.external {
            return "";
        }
        let start = format!("apiVersion: {}\nkind: {}\n", self.api_version(), self.kind);
        let mut samples = SAMPLES.split("---\n");
        samples
            .find(|sample| sample.starts_with(&start))
            .expect("each kind has a sample")
    }

    /// Group, version and kind as a person writes them: `apps/v1 Deployment`.
    pub fn gvk(&self) -> String {
        let group = match self.external {
            true => self.api_group(),
            false => self.group.to_string(),
        };
        format!("{group}/{} {}", self.version, self.kind)
    }

    /// Whether both are one kind in one version.
    pub fn is(&self, other: &Self) -> bool {
        self.is_version_of(other) && self.version == other.version
    }

    /// Whether both are versions of one kind.
    pub(crate) fn is_version_of(&self, other: &Self) -> bool {
        self.kind == other.kind && self.api_group() == other.api_group()
    }

    /// The Rust type.
    pub fn type_name(&self) -> String {
        match self.has_types() {
            true => self.kind.external_type_name(),
            false => self.kind.rust_name(),
        }
    }
}

/// A kind that has other versions.
pub(super) fn no_version<'a>(
    group: &Group,
    version: &Version,
    kind: &Kind,
    versions: impl Iterator<Item = &'a Version>,
) -> Error {
    let versions: Vec<_> = versions.map(Version::as_str).collect();
    Error::usage(format!("{group} {kind} has no version `{version}`"))
        .hint(format!("it has {}", versions.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(group: &str, version: Option<&str>, kind: &str) -> Result<Option<CoreKind>> {
        let version = version.map(|version| version.parse().expect("a version"));
        let (group, kind) = (
            group.parse().expect("a group"),
            kind.parse().expect("a kind"),
        );
        CoreKind::find(&group, version.as_ref(), &kind)
    }

    #[test]
    fn a_kind_is_found_by_its_group_in_either_spelling() {
        for (group, kind, api_group, path) in [
            ("core", "Pod", "", "k8s_openapi::api::core::v1"),
            ("apps", "Deployment", "apps", "k8s_openapi::api::apps::v1"),
            (
                "networking",
                "Ingress",
                "networking.k8s.io",
                "k8s_openapi::api::networking::v1",
            ),
            (
                "networking.k8s.io",
                "Ingress",
                "networking.k8s.io",
                "k8s_openapi::api::networking::v1",
            ),
            (
                "rbac.authorization.k8s.io",
                "Role",
                "rbac.authorization.k8s.io",
                "k8s_openapi::api::rbac::v1",
            ),
            (
                "autoscaling",
                "HorizontalPodAutoscaler",
                "autoscaling",
                "k8s_openapi::api::autoscaling::v2",
            ),
        ] {
            let found = find(group, None, kind).expect("no error").expect(kind);
            assert_eq!((&*found.api_group(), &*found.path), (api_group, path));
        }
        assert_eq!(find("app", None, "Pod").expect("no error"), None);
        assert_eq!(find("core", None, "Pods").expect("no error"), None);
    }

    #[test]
    fn each_kind_has_a_sample() {
        for kind in CoreKind::all() {
            let sample = kind.sample();
            let metadata = sample.lines().nth(2);
            assert_eq!(metadata, Some("metadata:"), "{sample}");
        }
        assert_eq!(SAMPLES.split("---\n").count(), CoreKind::all().count());
    }

    #[test]
    fn a_version_that_does_not_exist_is_refused() {
        let error = find("autoscaling", Some("v2beta2"), "HorizontalPodAutoscaler");
        let error = error.expect_err("removed long ago");
        assert_eq!(error.hints(), ["it has v2, v1"]);
    }
}
