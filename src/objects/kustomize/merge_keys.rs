//! By which field the items of a list are known, so that a patch changes one of them.

/// The fields, or none if a patch takes the place of the list.
#[derive(Clone, Copy)]
pub(super) enum Keys {
    /// An item is known by these fields.
    Fields(&'static [&'static str]),
    /// The list is replaced.
    None,
    /// It takes kustomize to say.
    Unknown,
}

/// The keys of the list at a path in a kind: `spec/template/spec/containers`.
pub(super) fn keys(kind: &str, path: &str) -> Keys {
    let metadata = path.strip_prefix("spec/template/").unwrap_or(path);
    if matches!(metadata, "metadata/finalizers" | "metadata/ownerReferences") {
        return Keys::Unknown;
    }
    match kind {
        "Deployment" => path
            .strip_prefix("spec/template/spec/")
            .map_or(Keys::None, of_pod),
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" if path == "webhooks" => {
            Keys::Fields(&["name"])
        }
        "Service" if path == "spec/ports" => Keys::Fields(&["port", "protocol"]),
        "ServiceAccount" => match path {
            "secrets" | "imagePullSecrets" => Keys::Fields(&["name"]),
            _ => Keys::None,
        },
        _ => Keys::None,
    }
}

/// The keys of a list in a pod.
fn of_pod(path: &str) -> Keys {
    let container = ["containers", "initContainers"]
        .into_iter()
        .find_map(|list| path.strip_prefix(list)?.strip_prefix('/'));
    match (path, container) {
        ("containers" | "initContainers" | "volumes" | "imagePullSecrets", _)
        | (_, Some("env")) => Keys::Fields(&["name"]),
        (_, Some("ports")) => Keys::Fields(&["containerPort", "protocol"]),
        (_, Some("volumeMounts")) => Keys::Fields(&["mountPath"]),
        ("hostAliases", _) => Keys::Fields(&["ip"]),
        (_, Some("volumeDevices")) => Keys::Fields(&["devicePath"]),
        ("tolerations", _) | (_, Some("args" | "command" | "envFrom")) => Keys::None,
        (_, Some(path)) if path.starts_with("securityContext/capabilities/") => Keys::None,
        _ if path.starts_with("affinity/") => Keys::None,
        _ => Keys::Unknown,
    }
}
