//! What `rop create webhook` makes, as an API server has it.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::control_plane::ControlPlane;

const NAMESPACE: &str = "app-operator-system";

#[test]
fn the_folder_of_webhooks_is_whole() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    for kind in [
        "--group app --kind AppService --defaulting",
        "--group core --kind Pod --validation",
    ] {
        world.rop(&format!("create webhook {kind}")).ok();
    }
    let kustomization = "config/default/kustomization.yaml";
    let components = "components: [../network-policy, ../webhook]";
    world.replace(kustomization, "components: [../webhook]", components);
    plane.install(&world.path().join("config/default"));
    is_called(&plane);
    knows_the_names(&plane);
    may_do_what_it_must(&plane);
}

/// Nobody answers, and only where the operator must not be needed is nobody asked.
fn is_called(plane: &ControlPlane) {
    let pod = |namespace: &str| {
        let pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", "namespace": namespace},
            "spec": {"containers": [{"name": "web", "image": "web", "securityContext": {
                "allowPrivilegeEscalation": false,
                "capabilities": {"drop": ["ALL"]},
                "runAsNonRoot": true,
                "seccompProfile": {"type": "RuntimeDefault"},
            }}]},
        });
        plane.apply(&pod.to_string())
    };
    let refused = pod("default");
    let said = String::from_utf8_lossy(&refused.stderr);
    let called = "failed calling webhook \"vpod-v1.kb.io\": failed to call webhook: \
        Post \"https://app-operator-webhook-service.app-operator-system.svc:443/validate--v1-pod?timeout=5s\"";
    assert!(said.contains(called), "{said}");
    for namespace in [NAMESPACE, "kube-system"] {
        let made = pod(namespace);
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{namespace}: {said}");
    }
}

/// The operator is told what its Secret, its Service and its configurations are called here.
fn knows_the_names(plane: &ControlPlane) {
    let deployments = format!("/apis/apps/v1/namespaces/{NAMESPACE}/deployments");
    let deployment = plane
        .api()
        .get(&format!("{deployments}/app-operator-controller-manager"));
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let environment = container["env"].as_array().expect("variables");
    let values: Vec<(&Value, &Value)> = environment
        .iter()
        .map(|variable| (&variable["name"], &variable["value"]))
        .collect();
    let (secret, service) = (
        json!("app-operator-webhook-server-cert"),
        json!("app-operator-webhook-service"),
    );
    let (mutating, validating) = (
        json!("app-operator-mutating-webhook-configuration"),
        json!("app-operator-validating-webhook-configuration"),
    );
    assert_eq!(
        values,
        [
            (&json!("MALLOC_ARENA_MAX"), &json!("1")),
            (&json!("WEBHOOK_SECRET_NAME"), &secret),
            (&json!("WEBHOOK_SERVICE_NAME"), &service),
            (&json!("MUTATING_WEBHOOK_CONFIGURATION_NAME"), &mutating),
            (&json!("VALIDATING_WEBHOOK_CONFIGURATION_NAME"), &validating),
        ]
    );
    let policies = format!("/apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies");
    let policy = plane
        .api()
        .get(&format!("{policies}/app-operator-allow-metrics-traffic"));
    let open = json!({"ports": [{"protocol": "TCP", "port": 9443}]});
    assert_eq!(policy["spec"]["ingress"][1], open);
}

/// It reads and writes these objects, and none beside them.
fn may_do_what_it_must(plane: &ControlPlane) {
    let operator =
        format!("--as=system:serviceaccount:{NAMESPACE}:app-operator-controller-manager");
    let may = |verb: &str, object: &str| {
        let answer = plane.kubectl(&["auth", "can-i", verb, object, "-n", NAMESPACE, &operator]);
        answer.status.success()
    };
    for object in [
        "secrets/app-operator-webhook-server-cert",
        "mutatingwebhookconfigurations/app-operator-mutating-webhook-configuration",
        "validatingwebhookconfigurations/app-operator-validating-webhook-configuration",
    ] {
        let (resource, _) = object.split_once('/').expect("a name");
        for verb in ["get", "list", "watch", "patch"] {
            assert!(may(verb, object), "{verb} {object}");
            assert!(!may(verb, resource), "{verb} any of {resource}");
        }
        assert!(!may("delete", object), "delete {object}");
    }
}
