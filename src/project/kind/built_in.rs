//! The kinds of Kubernetes that a project can have controllers, webhooks and policies for.

use super::{Origin, ProjectKind, no_version};
use crate::error::Result;
use crate::project::name::{Group, Kind, Version};
use crate::suggest::nearest;

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
const SAMPLES: &str = include_str!("built_in_samples.yaml");

impl ProjectKind {
    /// All kinds of Kubernetes. Of a kind with several versions, the preferred one is first.
    pub fn all_built_in() -> impl Iterator<Item = Self> {
        built_in(|_| true)
    }

    /// The kind of Kubernetes in that group whose name is nearly the given one.
    pub(crate) fn nearest_built_in(group: &Group, name: &Kind) -> Option<Self> {
        let in_group = || Self::all_built_in().filter(|kind| kind.group == *group);
        let names: Vec<_> = in_group().map(|kind| kind.name).collect();
        let nearest = nearest(name.as_str(), names.iter().map(Kind::as_str))?;
        in_group().find(|kind| kind.name.as_str() == nearest)
    }

    /// The kind of Kubernetes of that name. Its group may be written with its domain or without it.
    ///
    /// # Errors
    /// There is such a kind, in another version. Nothing where there is no such kind at all.
    pub fn built_in(group: &Group, version: Option<&Version>, name: &Kind) -> Result<Option<Self>> {
        let found: Vec<Self> = built_in(|candidate| candidate == name.as_str())
            .filter(|candidate| candidate.is_named(group, name))
            .collect();
        let right = |candidate: &&Self| version.is_none_or(|version| candidate.hub == *version);
        match (found.iter().find(right), version) {
            (None, Some(version)) if !found.is_empty() => {
                let versions = found.iter().map(|candidate| &candidate.hub);
                Err(no_version(group, version, name, versions))
            }
            (found, _) => Ok(found.cloned()),
        }
    }

    /// The manifest of a small valid object of a kind of Kubernetes, which is in no namespace.
    #[expect(clippy::missing_panics_doc, reason = "a test finds one of each kind")]
    pub fn built_in_sample(&self) -> Option<&'static str> {
        let Origin::BuiltIn(_) = self.origin else {
            return None;
        };
        let version = self.hub().api_version();
        let start = format!("apiVersion: {version}\nkind: {}\n", self.name);
        let mut samples = SAMPLES.split("---\n");
        let sample = samples.find(|sample| sample.starts_with(&start));
        Some(sample.expect("each kind has a sample"))
    }
}

/// The kinds of Kubernetes that have a name which is wanted.
fn built_in(is_wanted: impl Fn(&str) -> bool + Copy) -> impl Iterator<Item = ProjectKind> {
    let scopes = KINDS
        .iter()
        .flat_map(|(group, domain, version, namespaced, cluster)| {
            [(namespaced, true), (cluster, false)]
                .map(|(kinds, namespaced)| (*group, *domain, *version, *kinds, namespaced))
        });
    scopes.flat_map(move |(group, domain, version, kinds, namespaced)| {
        let names = kinds.split_whitespace().filter(move |name| is_wanted(name));
        names.map(move |name| ProjectKind {
            namespaced,
            ..ProjectKind::new(
                group.parse().expect("a group"),
                version.parse().expect("a version"),
                name.parse().expect("a kind"),
                None,
                Origin::BuiltIn(domain),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(group: &str, version: Option<&str>, kind: &str) -> Result<Option<ProjectKind>> {
        let version = version.map(|version| version.parse().expect("a version"));
        let (group, kind) = (
            group.parse().expect("a group"),
            kind.parse().expect("a kind"),
        );
        ProjectKind::built_in(&group, version.as_ref(), &kind)
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
            assert_eq!(
                (&*found.api_group(), &*found.hub().path()),
                (api_group, path)
            );
        }
        assert_eq!(find("app", None, "Pod").expect("no error"), None);
        assert_eq!(find("core", None, "Pods").expect("no error"), None);
    }

    #[test]
    fn each_kind_has_a_sample() {
        for kind in ProjectKind::all_built_in() {
            let sample = kind.built_in_sample().expect("one of Kubernetes");
            let metadata = sample.lines().nth(2);
            assert_eq!(metadata, Some("metadata:"), "{sample}");
        }
        assert_eq!(
            SAMPLES.split("---\n").count(),
            ProjectKind::all_built_in().count()
        );
    }

    #[test]
    fn a_version_that_does_not_exist_is_refused() {
        let error = find("autoscaling", Some("v2beta2"), "HorizontalPodAutoscaler")
            .expect_err("removed long ago");
        assert_eq!(error.hints(), ["use one of its versions: v2, v1"]);
    }
}
