//! An object on its way through a kustomization.

use std::collections::BTreeSet;

use serde_json::Value;

/// An object, and what it was called before.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) value: Value,
    kind: Gvk,
    /// What it was called before each change of its name or namespace.
    earlier: Vec<Name>,
}

/// A name in a namespace, if it is in one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
}

/// Group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gvk {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

/// Kubernetes' own kinds whose fields are known here, and whether kustomize takes them for cluster-scoped.
const KNOWN: [(&str, &str, bool); 20] = [
    ("", "ConfigMap", false),
    ("", "Namespace", true),
    ("", "Secret", false),
    ("", "Service", false),
    ("", "ServiceAccount", false),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicy",
        false,
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicyBinding",
        false,
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        true,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        false,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        false,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        true,
    ),
    ("apiextensions.k8s.io", "CustomResourceDefinition", true),
    ("apps", "Deployment", false),
    ("coordination.k8s.io", "Lease", false),
    ("networking.k8s.io", "NetworkPolicy", false),
    ("policy", "PodDisruptionBudget", false),
    ("rbac.authorization.k8s.io", "ClusterRole", true),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", true),
    ("rbac.authorization.k8s.io", "Role", false),
    ("rbac.authorization.k8s.io", "RoleBinding", false),
];

/// Kinds that kustomize treats by their name alone, whatever their group is.
const BY_NAME: [&str; 17] = [
    "APIService",
    "CronJob",
    "DaemonSet",
    "HorizontalPodAutoscaler",
    "Ingress",
    "Job",
    "Kustomization",
    "List",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
    "StorageClass",
];

impl Gvk {
    fn of(value: &Value) -> Option<Self> {
        let version = value.get("apiVersion")?.as_str()?;
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        Some(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: value.get("kind")?.as_str()?.to_owned(),
        })
    }

    /// Whether kustomize does with it what is done here.
    fn is_known(&self) -> bool {
        if is_kubernetes(&self.group) {
            let mut known = KNOWN.iter();
            return known.any(|(group, kind, _)| *group == self.group && *kind == self.kind);
        }
        let is_special = |name: &str| name == self.kind;
        let mut names = KNOWN.iter().map(|(_, kind, _)| *kind).chain(BY_NAME);
        !names.any(is_special) && !self.kind.ends_with("List")
    }

    pub(super) fn is_cluster_scoped(&self) -> bool {
        let mut known = KNOWN.iter();
        known.any(|(group, kind, is_cluster_scoped)| {
            *is_cluster_scoped && *group == self.group && *kind == self.kind
        })
    }
}

fn is_kubernetes(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

impl Resource {
    /// An object as a file has it, if all of it is known here.
    pub(super) fn new(value: Value) -> Option<Self> {
        let kind = Gvk::of(&value)?;
        let metadata = value.get("metadata")?;
        let is_text = |field| metadata.get(field).is_none_or(Value::is_string);
        let is_usual = metadata.get("name")?.is_string()
            && is_text("namespace")
            && !has_own_settings(metadata.get("annotations"));
        (kind.is_known() && is_usual).then_some(Self {
            value,
            kind,
            earlier: Vec::new(),
        })
    }

    pub(super) fn kind(&self) -> &Gvk {
        &self.kind
    }

    pub(super) fn name(&self) -> Name {
        let text = |field: &str| self.value["metadata"][field].as_str().map(str::to_owned);
        Name {
            namespace: text("namespace").filter(|namespace| !namespace.is_empty()),
            name: text("name").unwrap_or_default(),
        }
    }

    /// What it was called before.
    pub(super) fn earlier(&self) -> &[Name] {
        &self.earlier
    }

    /// Notes its name before that changes: others may still refer to it.
    pub(super) fn remember(&mut self) {
        self.earlier.push(self.name());
    }

    /// All that it is or was called.
    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        self.earlier.iter().cloned().chain([self.name()])
    }

    /// Takes an object that was patched.
    pub(super) fn replace(&mut self, value: Value) -> Option<()> {
        let new = Self::new(value)?;
        if new.kind != self.kind || new.name() != self.name() {
            return None;
        }
        self.value = new.value;
        Some(())
    }
}

/// Whether annotations tell kustomize how to treat an object.
fn has_own_settings(annotations: Option<&Value>) -> bool {
    let Some(annotations) = annotations else {
        return false;
    };
    let Some(annotations) = annotations.as_object() else {
        return true;
    };
    let mut keys = annotations.keys();
    keys.any(|key| {
        key.contains("kustomize.config.k8s.io/") || key.contains("config.kubernetes.io/")
    })
}

/// Whether two objects are the same one.
pub(super) fn has_duplicates(resources: &[Resource]) -> bool {
    let mut seen = BTreeSet::new();
    let mut ids = resources
        .iter()
        .map(|resource| (resource.kind(), resource.name()));
    ids.any(|id| !seen.insert(id))
}
