//! The rights that the operator has beside those of its markers.

use serde_json::Value;

use super::{NAMESPACE, deploy, kustomize, may, of_kind, project};
use crate::support::control_plane::ControlPlane;

const OPERATOR: &str = "system:serviceaccount:app-operator-system:app-operator-controller-manager";
const PROMETHEUS: &str = "system:serviceaccount:monitoring:prometheus";

/// In the operator's namespace. LEASE is the lease of the project.
const GRANTED: [&str; 6] = [
    "create leases.coordination.k8s.io",
    "get leases.coordination.k8s.io/LEASE",
    "watch leases.coordination.k8s.io/LEASE",
    "update leases.coordination.k8s.io/LEASE",
    "create tokenreviews.authentication.k8s.io",
    "create subjectaccessreviews.authorization.k8s.io",
];

const REFUSED: [&str; 8] = [
    "delete leases.coordination.k8s.io/LEASE",
    "get leases.coordination.k8s.io/another",
    "update leases.coordination.k8s.io/another",
    "list leases.coordination.k8s.io",
    "create leases.coordination.k8s.io --namespace=default",
    "get leases.coordination.k8s.io/LEASE --namespace=default",
    "get secrets",
    "get /metrics",
];

#[test]
fn election_and_metrics() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    // The role of the markers is empty, so these are the others' rights.
    let world = project(true, 0);
    deploy(&plane, &world);
    let objects = kustomize(&world, "config/default").expect("kubectl");
    let roles = of_kind(&objects, "Role");
    let named = |role: &&Value| role["rules"][0]["resourceNames"].is_array();
    let election = roles.into_iter().find(named).expect("a role");
    let lease = &election["rules"][0]["resourceNames"][0];
    let lease = lease.as_str().expect("a name");
    let may_operator = |right: &str| {
        let right = right.replace("LEASE", lease);
        let words: Vec<&str> = ["-n", NAMESPACE]
            .into_iter()
            .chain(right.split(' '))
            .collect();
        may(&plane, OPERATOR, &words)
    };
    for right in GRANTED {
        assert!(may_operator(right), "{right}");
    }
    for right in REFUSED {
        assert!(!may_operator(right), "{right}");
    }

    let readers = "--clusterrole=app-operator-metrics-reader";
    let account = "--serviceaccount=monitoring:prometheus";
    plane.kubectl_ok(&["create", "clusterrolebinding", "scrape", readers, account]);
    assert!(may(&plane, PROMETHEUS, &["get", "/metrics"]));
    assert!(!may(&plane, PROMETHEUS, &["post", "/metrics"]));
    assert!(!may(&plane, PROMETHEUS, &["get", "/version/other"]));
}
