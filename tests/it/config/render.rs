//! What kustomize makes of the tree.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{COMPONENTS, NAMESPACE, kustomize, of_kind, project, projects, set_components, the};
use crate::support::World;

/// Every set of components.
fn combinations() -> impl Iterator<Item = Vec<(&'static str, &'static str)>> {
    (0..1 << COMPONENTS.len()).map(|set| {
        let components = COMPONENTS.iter().enumerate();
        components
            .filter(|(i, _)| set & (1 << i) != 0)
            .map(|(_, component)| *component)
            .collect()
    })
}

#[test]
fn each_combination_renders() {
    for world in projects() {
        let plain = world.read("config/default/kustomization.yaml");
        let Some(base) = kustomize(&world, "config/default") else {
            return;
        };
        for components in combinations() {
            world.write("config/default/kustomization.yaml", &plain);
            let lines: Vec<&str> = components.iter().map(|(line, _)| *line).collect();
            set_components(&world, &lines);
            let objects = kustomize(&world, "config/default").expect("kubectl");
            let added = objects.iter().filter(|object| !base.contains(object));
            let added: BTreeSet<&str> =
                added.map(|o| o["kind"].as_str().expect("a kind")).collect();
            assert_eq!(added, components.iter().map(|(_, kind)| *kind).collect());
            assert_eq!(objects.len(), base.len() + added.len());
            hangs_together(&objects);
        }
    }
}

/// Each folder that can be applied by itself.
#[test]
fn each_folder_renders() {
    for world in projects() {
        for folder in ["rbac", "manager", "crd", "samples"] {
            let folder = format!("config/{folder}");
            if world.path().join(&folder).is_dir() && kustomize(&world, &folder).is_none() {
                return;
            }
        }
    }
}

/// What is in a namespace is in the operator's, bindings bind roles that are there to the service
/// account of the Deployment, and what selects pods selects its pods.
#[track_caller]
fn hangs_together(objects: &[Value]) {
    let has = |kind: &Value, name: &Value| {
        objects
            .iter()
            .any(|o| o["kind"] == *kind && o["metadata"]["name"] == *name)
    };
    let cluster_wide = [
        "CustomResourceDefinition",
        "ClusterRole",
        "ClusterRoleBinding",
    ];
    let deployment = the(objects, "Deployment");
    let pod = &deployment["spec"]["template"];
    let account = &pod["spec"]["serviceAccountName"];
    assert!(has(&json!("Namespace"), &json!(NAMESPACE)));
    assert!(has(&json!("ServiceAccount"), account));
    for object in objects {
        let kind = object["kind"].as_str().expect("a kind");
        if kind != "Namespace" && !cluster_wide.contains(&kind) {
            assert_eq!(object["metadata"]["namespace"], NAMESPACE, "{object}");
        }
        if kind.ends_with("Binding") {
            let role = &object["roleRef"];
            assert!(has(&role["kind"], &role["name"]), "{object}");
            let subject =
                json!([{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}]);
            assert_eq!(object["subjects"], subject);
        }
        let selector = match kind {
            "Service" => &object["spec"]["selector"],
            "NetworkPolicy" => &object["spec"]["podSelector"]["matchLabels"],
            "Deployment" | "PodDisruptionBudget" => &object["spec"]["selector"]["matchLabels"],
            _ => continue,
        };
        selects(selector, &pod["metadata"]["labels"]);
    }
}

#[track_caller]
fn selects(selector: &Value, labels: &Value) {
    let selector = selector.as_object().expect("a selector");
    // The one says what, the other whose.
    assert!(selector.len() == 2, "{selector:?}");
    for (name, value) in selector {
        assert_eq!(labels[name], *value, "{name}");
    }
}

/// The flags, the ports, the probes, the Service, the policy and the monitor mean the same port.
#[test]
fn ports_agree() {
    let world = project(false, 1);
    set_components(&world, &COMPONENTS.map(|(line, _)| line));
    let Some(objects) = kustomize(&world, "config/default") else {
        return;
    };
    let container = &the(&objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let port = |name: &Value| {
        let ports = container["ports"].as_array().expect("ports");
        let port = ports.iter().find(|port| port["name"] == *name);
        port.expect("a port")["containerPort"]
            .as_u64()
            .expect("a number")
    };
    let args = container["args"].as_array().expect("flags");
    let flag = |flag: &str, port: u64| args.contains(&json!(format!("{flag}=:{port}")));
    for probe in ["livenessProbe", "readinessProbe"] {
        let port = port(&container[probe]["httpGet"]["port"]);
        assert!(flag("--health-probe-bind-address", port));
    }
    let service = the(&objects, "Service");
    let metrics = port(&service["spec"]["ports"][0]["targetPort"]);
    assert!(flag("--metrics-bind-address", metrics));
    let policy = &the(&objects, "NetworkPolicy")["spec"]["ingress"][0];
    assert_eq!(
        policy["ports"],
        json!([{"protocol": "TCP", "port": metrics}])
    );
    let monitor = &the(&objects, "ServiceMonitor")["spec"];
    assert_eq!(
        monitor["endpoints"][0]["port"],
        service["spec"]["ports"][0]["name"]
    );
    selects(
        &monitor["selector"]["matchLabels"],
        &service["metadata"]["labels"],
    );
}

/// A namespaced operator has rights in the cluster for nothing but the questions of the metrics,
/// which are not about a namespace.
#[test]
fn a_namespaced_operator_has_roles() {
    let Some(objects) = kustomize(&project(true, 2), "config/default") else {
        return;
    };
    let names = |kind| -> Vec<&str> {
        let objects = of_kind(&objects, kind);
        let names = objects.iter().map(|o| &o["metadata"]["name"]);
        names.filter_map(Value::as_str).collect()
    };
    assert_eq!(
        names("ClusterRole"),
        [
            "app-operator-metrics-auth-role",
            "app-operator-metrics-reader"
        ]
    );
    assert_eq!(
        names("ClusterRoleBinding"),
        ["app-operator-metrics-auth-rolebinding"]
    );
    assert_eq!(names("Role").len(), 2 + 2 * 3);
}

/// The namespace is set in one place.
#[test]
fn another_namespace_is_one_line() {
    let world = project(false, 1);
    let path = "config/default/kustomization.yaml";
    world.replace(
        path,
        "namespace: app-operator-system",
        "namespace: elsewhere",
    );
    let Some(objects) = kustomize(&world, "config/default") else {
        return;
    };
    for object in &objects {
        assert!(!object.to_string().contains(NAMESPACE), "{object}");
    }
    assert_eq!(the(&objects, "Namespace")["metadata"]["name"], "elsewhere");
}

/// Names that YAML reads as something else come out as names: the Lease of `at` is 57251588.5.
#[test]
fn names_stay_names() {
    for name in ["at", "yes"] {
        let world = World::new();
        world
            .rop(&format!(
                "init --domain 5 --project-name {name} --api 1/Null"
            ))
            .ok();
        let Some(objects) = kustomize(&world, "config/default") else {
            return;
        };
        let deployment = the(&objects, "Deployment");
        assert_eq!(
            deployment["metadata"]["labels"]["app.kubernetes.io/name"],
            name
        );
        let lease = of_kind(&objects, "Role")[0]["rules"][0]["resourceNames"][0].as_str();
        assert!(
            lease.is_some_and(|lease| lease.ends_with(".5")),
            "{lease:?}"
        );
    }
}
