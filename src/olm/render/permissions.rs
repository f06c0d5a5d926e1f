//! Service accounts, roles and bindings.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::hex::hex;

use super::Place;

const GROUP: &str = "rbac.authorization.k8s.io";

/// What the operator reads of namespaces if it watches all.
fn namespaces() -> Value {
    json!({ "apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list", "watch"] })
}

/// What `permissions` and `clusterPermissions` grant.
pub(super) fn objects(install: &Value, name: &str, place: &Place) -> Vec<Value> {
    let granted = |field: &str| install[field].as_array().cloned().unwrap_or_default();
    let (cluster, own) = (granted("clusterPermissions"), granted("permissions"));
    let accounts: BTreeSet<&str> = cluster.iter().chain(&own).map(account).collect();
    let mut objects: Vec<Value> = accounts
        .into_iter()
        .filter(|account| *account != "default")
        .map(|account| {
            json!({
                "apiVersion": "v1", "kind": "ServiceAccount",
                "metadata": { "name": account, "namespace": place.namespace },
            })
        })
        .collect();
    for permission in &cluster {
        objects.extend(grant(permission, name, place, None));
    }
    for permission in &own {
        let mut permission = permission.clone();
        let watched = place.watched.as_deref();
        if watched.is_none()
            && let Some(rules) = permission["rules"].as_array_mut()
        {
            rules.push(namespaces());
        }
        objects.extend(grant(&permission, name, place, watched));
    }
    objects
}

fn account(permission: &Value) -> &str {
    permission["serviceAccountName"]
        .as_str()
        .unwrap_or("default")
}

/// A role and its binding, in a namespace or in the cluster.
fn grant(permission: &Value, name: &str, place: &Place, namespace: Option<&str>) -> [Value; 2] {
    let (role, binding) = match namespace {
        Some(_) => ("Role", "RoleBinding"),
        None => ("ClusterRole", "ClusterRoleBinding"),
    };
    let account = account(permission);
    let digest = Sha256::digest(format!("{role}\n{account}\n{permission}"));
    let mut metadata = json!({ "name": format!("{name}-{}", &hex(&digest)[..10]) });
    if let Some(namespace) = namespace {
        metadata["namespace"] = namespace.into();
    }
    [
        json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": role,
            "metadata": metadata, "rules": permission["rules"],
        }),
        json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": binding, "metadata": metadata,
            "roleRef": { "apiGroup": GROUP, "kind": role, "name": metadata["name"] },
            "subjects": [{ "kind": "ServiceAccount", "name": account, "namespace": place.namespace }],
        }),
    ]
}
