//! APIs that releases of Kubernetes removed.

use crate::olm::read::{Document, Node};
use crate::olm::validate::input::{CRD, Input, name};

/// The release that removed a kind of a group and version.
const REMOVED: &[(u64, &str, &[&str])] = &[
    (22, "apiextensions.k8s.io/v1beta1", &[CRD]),
    (
        22,
        "rbac.authorization.k8s.io/v1beta1",
        &["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"],
    ),
    (22, "scheduling.k8s.io/v1beta1", &["PriorityClass"]),
    (22, "apiregistration.k8s.io/v1beta1", &["APIService"]),
    (22, "authentication.k8s.io/v1beta1", &["TokenReview"]),
    (
        22,
        "authorization.k8s.io/v1beta1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SubjectAccessReview",
        ],
    ),
    (
        22,
        "admissionregistration.k8s.io/v1beta1",
        &[
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
        ],
    ),
    (22, "coordination.k8s.io/v1beta1", &["Lease"]),
    (22, "extensions/v1beta1", &["Ingress"]),
    (
        22,
        "networking.k8s.io/v1beta1",
        &["Ingress", "IngressClass"],
    ),
    (
        22,
        "storage.k8s.io/v1beta1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
    ),
    (
        22,
        "certificates.k8s.io/v1beta1",
        &["CertificateSigningRequest"],
    ),
    (25, "batch/v1beta1", &["CronJob"]),
    (25, "discovery.k8s.io/v1beta1", &["EndpointSlice"]),
    (25, "events.k8s.io/v1beta1", &["Event"]),
    (25, "autoscaling/v2beta1", &["HorizontalPodAutoscaler"]),
    (
        25,
        "policy/v1beta1",
        &["PodDisruptionBudget", "PodSecurityPolicy"],
    ),
    (25, "node.k8s.io/v1beta1", &["RuntimeClass"]),
    (26, "autoscaling/v2beta2", &["HorizontalPodAutoscaler"]),
];

/// Resources of which a version was removed, and 1.25 did it.
pub(super) const RESOURCES: [(&str, &str); 7] = [
    ("batch", "cronjobs"),
    ("discovery.k8s.io", "endpointslices"),
    ("events.k8s.io", "events"),
    ("autoscaling", "horizontalpodautoscalers"),
    ("policy", "poddisruptionbudgets"),
    ("policy", "podsecuritypolicies"),
    ("node.k8s.io", "runtimeclasses"),
];

/// Something of a removed API.
pub(super) struct Removed<'a> {
    /// The minor release of Kubernetes 1 that removed it.
    pub(super) minor: u64,
    pub(super) node: Node<'a>,
    pub(super) message: String,
}

/// What the objects of a bundle use of removed APIs, and the resources that the CSV lists.
pub(super) fn removed<'a>(input: &Input<'a>) -> Vec<Removed<'a>> {
    let objects = input
        .bundle
        .objects()
        .map(Document::root)
        .filter_map(|object| {
            let (version, kind) = (object.get("apiVersion"), object.get("kind").text());
            let minor = release(version.text(), kind)?;
            let message = format!(
                "Kubernetes 1.{minor} removed {kind} of `{}`, which `{}` uses",
                version.text(),
                name(&object)
            );
            Some(Removed {
                minor,
                node: version,
                message,
            })
        });
    let resources = input.described().flat_map(|it| it.get("resources").items());
    let resources = resources.filter_map(|resource| {
        let (version, kind) = (resource.get("version"), resource.get("kind").text());
        // The tools look only for those.
        let minor = release(version.text(), kind).filter(|minor| *minor == 25)?;
        let message = format!(
            "Kubernetes 1.{minor} removed {kind} of `{}`",
            version.text()
        );
        Some(Removed {
            minor,
            node: version,
            message,
        })
    });
    objects.chain(resources).collect()
}

fn release(version: &str, kind: &str) -> Option<u64> {
    let mut removed = REMOVED.iter();
    let found = removed.find(|(_, of, kinds)| *of == version && kinds.contains(&kind));
    found.map(|(minor, _, _)| *minor)
}
