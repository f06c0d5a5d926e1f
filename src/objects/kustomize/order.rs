//! The order of objects: what others need comes first.

use super::resource::{Gvk, Resource};

/// Kinds that come first, in this order.
const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// Kinds that come last, in this order.
const LAST: [&str; 2] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Sorts objects in kustomize's default order.
pub(super) fn sort(resources: &mut [Resource]) {
    resources.sort_by_cached_key(|resource| {
        let Gvk {
            group,
            version,
            kind,
        } = resource.kind();
        let or = |text: &str, other: &str| {
            if text.is_empty() {
                other.to_owned()
            } else {
                text.to_owned()
            }
        };
        let name = resource.name();
        let namespace = name.namespace.unwrap_or_default();
        (
            place(kind),
            format!("{}_{version}_{kind}", or(group, "~G")),
            format!("{}|{}", or(&namespace, "~X"), name.name),
        )
    });
}

fn place(kind: &str) -> (usize, usize) {
    let position = |kinds: &[&str]| kinds.iter().position(|other| *other == kind);
    match (position(&FIRST), position(&LAST)) {
        (Some(position), _) => (0, position),
        (None, None) => (1, 0),
        (None, Some(position)) => (2, position),
    }
}
