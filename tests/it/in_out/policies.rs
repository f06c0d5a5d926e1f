//! Admission policies, which are in no namespace: kustomize does not know that.

use serde_json::{Value, json};

use super::rop;
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::while_pods_run;

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const NAME: &str = "app-operator-pod-validating-policy";

#[test]
fn policies_go_in_and_out() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::with_api();
    let policy = "create policy --group core --kind Pod --validating";
    world.rop(policy).ok();
    let deploy = "deploy --namespace ops --timeout 60s";
    while_pods_run(&plane, "ops", || rop(&world, &plane, deploy))
        .ok()
        .says(&format!("create ValidatingAdmissionPolicy {NAME}"));
    let binding = plane.api().get(&format!("{BINDINGS}/{NAME}-binding"));
    assert_eq!(binding["spec"]["policyName"], NAME);
    let selector = &binding["spec"]["matchResources"]["namespaceSelector"];
    let left_out = &selector["matchExpressions"][0]["values"];
    assert_eq!(*left_out, json!(["kube-system", "ops"]));

    // What is there is found there.
    let again = rop(&world, &plane, deploy).ok();
    assert!(!again.stderr.contains("create"), "{again}");

    // They go before all that they could keep from going.
    let gone = rop(&world, &plane, "undeploy --namespace ops --timeout 60s").ok();
    let at = |what: &str| {
        gone.stderr
            .find(what)
            .unwrap_or_else(|| panic!("{what}: {gone}"))
    };
    let crd = at("delete CustomResourceDefinition");
    assert!(
        at("delete ValidatingAdmissionPolicyBinding") < crd,
        "{gone}"
    );
    assert!(at("delete ValidatingAdmissionPolicy ") < crd, "{gone}");
    let left = plane.api().get(&format!("{POLICIES}/{NAME}"));
    assert_eq!(left, Value::Null);
}
