//! Where a Kubernetes name meets Rust's: keywords, and names that the generated code already uses.

use crate::reserved;

use super::ranked;

/// Words that cannot name a module, beside keywords: crates that the generated code refers to, which a module of the
/// same name would hide, and files and folders beside theirs or within.
const TAKEN_MODULES: &[&str] = &[
    "alloc",
    "bin",
    "controller",
    "core",
    "crd",
    "default",
    "k8s_openapi",
    "kube",
    "lib",
    "main",
    "mutating",
    "policies",
    "proc_macro",
    "rop_runtime",
    "schemars",
    "serde",
    "serde_json",
    "std",
    "support",
    "test",
    "tests",
    "validate",
    "validating",
    "webhook",
];

/// Type names that the generated code imports or takes from the prelude. A kind of such a name
/// keeps it in Kubernetes and gets another Rust type.
///
/// `tests/templates.rs` compares the list with what the templates use.
const TAKEN_TYPES: &[&str] = &[
    "Action",
    "Api",
    "Arc",
    "BTreeMap",
    "Box",
    "Capabilities",
    "Cleanup",
    "Clone",
    "Condition",
    "Conditions",
    "Container",
    "ContainerPort",
    "Context",
    "Controller",
    "CustomResource",
    "CustomResourceDefinition",
    "CustomResourceExt",
    "Debug",
    "Default",
    "DeleteParams",
    "Deployment",
    "DeploymentCondition",
    "DeploymentSpec",
    "Deserialize",
    "DeserializeOwned",
    "Duration",
    "EnvVar",
    "Eq",
    "Err",
    "Error",
    "EventType",
    "FakeApi",
    "Fn",
    "IntOrString",
    "Iterator",
    "Job",
    "JobCondition",
    "JobSpec",
    "JsonSchema",
    "KubeSchema",
    "LabelSelector",
    "ListMerge",
    "Manager",
    "None",
    "ObjectMeta",
    "ObjectReference",
    "Ok",
    "Option",
    "PartialEq",
    "Patch",
    "PatchParams",
    "Phase",
    "Pod",
    "PodSecurityContext",
    "PodSpec",
    "PodTemplate",
    "PodTemplateSpec",
    "PostParams",
    "Resource",
    "ResourceExt",
    "ResourceRequirements",
    "Result",
    "Rollout",
    "Rule",
    "Schema",
    "SchemaGenerator",
    "Scope",
    "SeccompProfile",
    "SecurityContext",
    "Self",
    "Send",
    "Serialize",
    "Service",
    "ServicePort",
    "ServiceSpec",
    "SignedDuration",
    "Some",
    "State",
    "String",
    "Sync",
    "Time",
    "Timestamp",
    "ToString",
    "Value",
    "Vec",
];

/// `name` as a module: as it is, or with an underscore where Rust does not take it.
pub(in crate::project) fn module(name: &str) -> String {
    // A module of a version has the version's name, and must hold none of the same.
    let is_taken = reserved::is_keyword(name) || TAKEN_MODULES.contains(&name);
    if is_taken || ranked::is_plain(name) || is_device(name) {
        format!("{name}_")
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name.to_owned()
    }
}

/// Two modules as one name. The underscore that the first has of its own would make two.
pub(crate) fn joined(first: &str, second: &str) -> String {
    format!("{}_{second}", first.trim_end_matches('_'))
}

/// Whether a file of that name is a device on Windows, whatever its ending.
fn is_device(name: &str) -> bool {
    let number = ["com", "lpt"]
        .iter()
        .find_map(|port| name.strip_prefix(port));
    ["aux", "con", "nul", "prn"].contains(&name)
        || number.is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']))
}

/// Whether a kind's type, or the `Spec` and `Status` beside it, would hide a name in use.
pub(super) fn type_is_taken(kind: &str) -> bool {
    ["", "Spec", "Status"]
        .iter()
        .any(|suffix| TAKEN_TYPES.contains(&&*format!("{kind}{suffix}")))
}

/// Whether the type of a kind of another operator would hide a name in use.
pub(super) fn external_type_is_taken(name: &str) -> bool {
    type_is_taken(name) || reserved::of_external_types().any(|taken| taken == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(TAKEN_MODULES.is_sorted());
        assert!(TAKEN_TYPES.is_sorted());
    }
}
