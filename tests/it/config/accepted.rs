//! What a real API server takes.

use serde_json::{Value, json};

use super::{
    COMPONENTS, NAMESPACE, deploy, kustomize, project, projects, set_components, text, the,
};
use crate::support::World;
use crate::support::control_plane::ControlPlane;

/// As much of the Prometheus Operator's kind as its API server part needs.
const SERVICE_MONITORS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  names: {kind: ServiceMonitor, plural: servicemonitors}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
";

/// Pod Security would warn when the Deployment is applied.
#[test]
fn each_project_with_and_without_components() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    assert!(plane.apply(SERVICE_MONITORS).status.success());
    plane.wait_for_crds();
    for world in projects() {
        deploy(&plane, &world);
        set_components(&world, &COMPONENTS.map(|(line, _)| line));
        deploy(&plane, &world);
    }
    the_namespace_is_restricted(&plane);
}

/// The namespace takes the pod as the Deployment has it, and none with a right more.
fn the_namespace_is_restricted(plane: &ControlPlane) {
    let world = project(false, 0);
    let objects = kustomize(&world, "config/default").expect("kubectl");
    let template = &the(&objects, "Deployment")["spec"]["template"];
    let taken = |spec: &Value| {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "manager", "namespace": NAMESPACE}, "spec": spec,
        });
        let output = plane.apply(&pod.to_string());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() || stderr.contains("PodSecurity"),
            "{stderr}"
        );
        output.status.success()
    };
    let spec = &template["spec"];
    for (pointer, key) in [
        ("/securityContext", "runAsNonRoot"),
        ("/securityContext", "seccompProfile"),
        ("/containers/0/securityContext", "allowPrivilegeEscalation"),
        ("/containers/0/securityContext", "capabilities"),
    ] {
        let mut lax = spec.clone();
        let context = lax.pointer_mut(pointer).and_then(Value::as_object_mut);
        let removed = context.and_then(|context| context.remove(key));
        assert!(removed.is_some(), "{key}");
        assert!(!taken(&lax), "{key}");
    }
    assert!(taken(spec));
}

/// The longest names that rop takes leave room for what is named after them.
#[test]
fn the_longest_names() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let labels = ["a"; 4].map(|letter| letter.repeat(60)).join(".");
    let (name, domain) = ("n".repeat(44), format!("{labels}a"));
    let world = World::new();
    world
        .rop(&format!(
            "init --domain {domain} --project-name {name} --api a/B"
        ))
        .ok();
    deploy(&plane, &world);
    let (namespace, account) = (
        format!("{name}-system"),
        format!("{name}-controller-manager"),
    );
    let kubeconfig = plane.kubeconfig_for(&namespace, &account);
    let role = &kustomize(&world, "config/rbac").expect("kubectl");
    let role = role
        .iter()
        .find(|o| o["metadata"]["name"] == "leader-election-role")
        .expect("a role");
    let lease = role["rules"][0]["resourceNames"][0]
        .as_str()
        .expect("a name");
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": lease, "namespace": namespace}, "spec": {},
    });
    world.write("lease.json", &lease.to_string());
    let file = text(&world.path().join("lease.json"));
    plane.kubectl_ok(&["--kubeconfig", &text(&kubeconfig), "create", "-f", &file]);
}
