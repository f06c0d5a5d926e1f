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
    needs_hash: bool,
}

/// A name in a namespace, if it is in one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) namespace: Option<String>,
    pub(super) name: String,
}

impl Name {
    pub(super) fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }
}

/// Group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gvk {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

/// Kubernetes' own kinds whose fields are known here, and whether kustomize takes them for cluster-scoped.
const KNOWN: [(&str, &str, bool); 25] = [
    ("", "ConfigMap", false),
    ("", "LimitRange", false),
    ("", "Namespace", true),
    ("", "PersistentVolumeClaim", false),
    ("", "ResourceQuota", false),
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
    ("autoscaling", "HorizontalPodAutoscaler", false),
    ("coordination.k8s.io", "Lease", false),
    ("networking.k8s.io", "NetworkPolicy", false),
    ("policy", "PodDisruptionBudget", false),
    ("rbac.authorization.k8s.io", "ClusterRole", true),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", true),
    ("rbac.authorization.k8s.io", "Role", false),
    ("rbac.authorization.k8s.io", "RoleBinding", false),
    ("scheduling.k8s.io", "PriorityClass", true),
];

/// The namespace of what is in none.
const NO_NAMESPACE: &str = "_non_namespaceable_";

/// Kinds that kustomize treats by their name alone, whatever their group is.
const BY_NAME: [&str; 13] = [
    "APIService",
    "CronJob",
    "DaemonSet",
    "Ingress",
    "Job",
    "Node",
    "PersistentVolume",
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
        !matches!(&*self.kind, "Kustomization" | "Namespace")
    }

    /// Whether it only is called as a kind of Kubernetes: kustomize changes some of its fields as those of that kind.
    fn is_namesake(&self) -> bool {
        let mut names = KNOWN.iter().map(|(_, kind, _)| *kind).chain(BY_NAME);
        !is_kubernetes(&self.group) && names.any(|name| name == self.kind)
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
        let is_list = kind.kind.ends_with("List") && value.get("items").is_some();
        (kind.is_known() && is_usual(&value) && !is_list && !has_null_item(&value)).then_some(
            Self {
                value,
                kind,
                earlier: Vec::new(),
                needs_hash: false,
            },
        )
    }

    /// Whether it only is called as a kind of Kubernetes.
    pub(super) fn is_namesake(&self) -> bool {
        self.kind.is_namesake()
    }

    /// Whether its name gets a hash of its content.
    pub(super) fn with_hash(mut self, needs_hash: bool) -> Self {
        self.needs_hash = needs_hash;
        self
    }

    pub(super) fn needs_hash(&self) -> bool {
        self.needs_hash
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
        let name = self.name();
        if self.earlier.last() != Some(&name) {
            self.earlier.push(name);
        }
    }

    /// All that it is or was called.
    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        self.earlier.iter().cloned().chain([self.name()])
    }

    /// One of its names, in the namespace in which an API server would have it.
    pub(super) fn effective(&self, name: &Name) -> Name {
        let namespace = if self.kind.is_cluster_scoped() {
            NO_NAMESPACE
        } else {
            name.namespace.as_deref().unwrap_or("default")
        };
        Name {
            namespace: Some(namespace.to_owned()),
            name: name.name.clone(),
        }
    }

    /// Takes an object that was patched.
    pub(super) fn replace(&mut self, value: Value) -> Option<()> {
        self.change(|object| {
            *object = value;
            Some(())
        })
    }

    /// Changes the object, which keeps its kind and name.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Value) -> Option<()>) -> Option<()> {
        let name = self.name();
        change(&mut self.value)?;
        (self.is_usual() && self.name() == name).then_some(())
    }

    /// Takes an object that was patched, and may have another name.
    pub(super) fn replace_and_rename(&mut self, value: Value) -> Option<()> {
        self.remember();
        self.value = value;
        self.is_usual().then_some(())
    }

    /// Whether it still is of its kind, with nothing that is not known here.
    fn is_usual(&self) -> bool {
        Gvk::of(&self.value).as_ref() == Some(&self.kind) && is_usual(&self.value)
    }
}

/// Whether an object is named, and not treated in a special way.
fn is_usual(value: &Value) -> bool {
    let Some(metadata) = value.get("metadata") else {
        return false;
    };
    let is_text = |field| metadata.get(field).is_none_or(Value::is_string);
    metadata.get("name").is_some_and(Value::is_string)
        && is_text("namespace")
        && !has_own_settings(metadata.get("annotations"))
}

/// Whether a list has an item without a value, which kustomize refuses.
fn has_null_item(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(has_null_item),
        Value::Array(items) => items
            .iter()
            .any(|item| item.is_null() || has_null_item(item)),
        _ => false,
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
    annotations.keys().any(|key| is_setting(key))
}

/// Whether an annotation tells kustomize how to treat an object.
pub(super) fn is_setting(key: &str) -> bool {
    key.contains("kustomize.config.k8s.io/") || key.contains("config.kubernetes.io/")
}

/// Whether two objects are the same one.
pub(super) fn has_duplicates(resources: &[Resource]) -> bool {
    let mut seen = BTreeSet::new();
    let mut ids = resources
        .iter()
        .map(|resource| (resource.kind(), resource.name()));
    ids.any(|id| !seen.insert(id))
}

/// Whether an object is, or was, another one too.
pub(super) fn has(resources: &[Resource], new: &Resource) -> bool {
    let new_name = new.effective(&new.name());
    resources.iter().any(|resource| {
        let mut names = resource.names().map(|name| resource.effective(&name));
        resource.kind == new.kind && names.any(|name| name == new_name)
    })
}
