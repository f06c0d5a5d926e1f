//! Policies among the manifests: names and namespaces are those of `config/default`.

use serde_json::json;

use super::{DEFAULT_KUSTOMIZATION, PLACES, placed, the};
use crate::support::World;

#[test]
fn names_and_namespaces_follow() {
    let world = World::with_api();
    for kind in [
        "app --kind AppService --validating",
        "core --kind Pod --mutating",
    ] {
        world.rop(&format!("create policy --group {kind}")).ok();
    }
    let plain = world.read(DEFAULT_KUSTOMIZATION);
    for (namespace, prefix) in PLACES {
        let Some(objects) = placed(&world, &plain, (namespace, prefix)) else {
            return;
        };
        for (sort, policy) in [
            ("Validating", "appservice-validating-policy"),
            ("Mutating", "pod-mutating-policy"),
        ] {
            let name = json!(format!("{prefix}{policy}"));
            let found = the(&objects, &format!("{sort}AdmissionPolicy"));
            assert_eq!(found["metadata"]["name"], name);
            let binding = the(&objects, &format!("{sort}AdmissionPolicyBinding"));
            assert_eq!(binding["spec"]["policyName"], name);
        }
        let binding = the(&objects, "MutatingAdmissionPolicyBinding");
        let selector = &binding["spec"]["matchResources"]["namespaceSelector"];
        let left_out = &selector["matchExpressions"][0]["values"];
        assert_eq!(*left_out, json!(["kube-system", namespace]));
    }
}
