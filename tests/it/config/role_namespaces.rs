//! Roles in the namespaces that markers name.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{DEFAULT_KUSTOMIZATION, PLACES, deploy, kustomize, may, of_kind, placed, project};
use crate::support::World;
use crate::support::control_plane::ControlPlane;

const MARKERS: &str = "\
// +kubebuilder:rbac:groups=core,resources=pods,verbs=get,namespace=a
// +kubebuilder:rbac:groups=core,resources=secrets,verbs=get,namespace=b
// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=get,namespace=b,roleName=my.reader
";
const FOLDER: &str = "config/rbac/namespaces/transformers.yaml";
const LINE: &str = "transformers:\n- ../rbac/namespaces\n";

/// A project whose operator has roles in two other namespaces.
fn with_roles(namespaced: bool) -> World {
    let world = project(namespaced, 0);
    let main = world.read("src/main.rs");
    world.write("src/main.rs", &format!("{MARKERS}{main}"));
    world.rop("create api --group app --kind Cache").ok();
    world
}

/// Name and namespace of each Role that a marker puts somewhere, with those of the account that has it.
fn grants(objects: &[Value]) -> BTreeSet<[String; 4]> {
    let roles = of_kind(objects, "Role");
    let bindings = of_kind(objects, "RoleBinding").into_iter();
    let granted = bindings.map(|binding| {
        let [name, namespace] =
            ["name", "namespace"].map(|field| binding["metadata"][field].clone());
        let is_bound = |role: &Value| {
            role["metadata"]["name"] == binding["roleRef"]["name"]
                && role["metadata"]["namespace"] == namespace
        };
        assert!(roles.iter().any(|role| is_bound(role)), "{binding}");
        let account = &binding["subjects"][0];
        let words = [&name, &namespace, &account["name"], &account["namespace"]];
        words.map(|word| word.as_str().expect("text").to_owned())
    });
    granted
        .filter(|[_, namespace, _, owner]| namespace != owner)
        .collect()
}

/// What `grants` gives for [`MARKERS`].
fn expected(namespace: &str, prefix: &str) -> BTreeSet<[String; 4]> {
    let roles = [
        ("manager-role-a", "a"),
        ("manager-role-b", "b"),
        ("my.reader-b", "b"),
    ];
    let grant = |(role, of): (&str, &str)| {
        let account = format!("{prefix}controller-manager");
        [
            format!("{prefix}{role}"),
            of.into(),
            account,
            namespace.into(),
        ]
    };
    roles.map(grant).into()
}

#[test]
fn each_role_stays_in_its_namespace() {
    for namespaced in [false, true] {
        let world = with_roles(namespaced);
        let plain = world.read(DEFAULT_KUSTOMIZATION);
        assert!(plain.ends_with(LINE), "{plain}");
        for (namespace, prefix) in &PLACES[..2] {
            let Some(objects) = placed(&world, &plain, (namespace, prefix)) else {
                return;
            };
            assert_eq!(grants(&objects), expected(namespace, prefix));
        }
        // A kustomization on top of it lists the folder too.
        world.write(DEFAULT_KUSTOMIZATION, &plain);
        world.write(
            "config/production/kustomization.yaml",
            &format!("namespace: ops\nnamePrefix: my-\nresources: [../default]\n{LINE}"),
        );
        let objects = kustomize(&world, "config/production").expect("kubectl");
        assert_eq!(grants(&objects), expected("ops", "my-app-operator-"));
    }
}

#[test]
fn the_operator_has_them_there_and_nowhere_else() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = with_roles(false);
    for namespace in ["a", "b", "c"] {
        plane.kubectl_ok(&["create", "namespace", namespace]);
    }
    deploy(&plane, &world);
    let operator = "system:serviceaccount:app-operator-system:app-operator-controller-manager";
    for (right, granted) in [
        ("get pods -n a", true),
        ("get secrets -n b", true),
        ("get configmaps -n b", true),
        ("list pods -n a", false),
        ("get pods -n b", false),
        ("get secrets -n a", false),
        ("get secrets -n c", false),
        ("get configmaps -n a", false),
        ("get secrets -n app-operator-system", false),
        ("get pods -n app-operator-system", false),
    ] {
        let words: Vec<&str> = right.split(' ').collect();
        assert_eq!(may(&plane, operator, &words), granted, "{right}");
    }
}

#[test]
fn without_their_namespace_nothing_is_deployed() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = with_roles(false);
    plane.kubectl_ok(&["create", "namespace", "a"]);
    let mut deploy = world.command(".");
    deploy
        .args(["deploy", "--yes"])
        .env("KUBECONFIG", plane.kubeconfig());
    if let Some(kubectl) = crate::support::kubectl() {
        deploy.env("KUBECTL", kubectl);
    }
    insta::assert_snapshot!(world.run(&mut deploy).exits(1), @"
    exit: 1
    --- stderr
    error[namespace-missing]: the namespace of Role b/app-operator-manager-role-b does not exist
    hint: create it: `kubectl create namespace b`
    ");
    assert!(
        !plane
            .kubectl(&["get", "namespace", super::NAMESPACE])
            .status
            .success()
    );
}

#[test]
fn they_end_with_their_markers() {
    let world = with_roles(false);
    world.rop("generate deploy").ok();
    let deployed = "deploy/namespaced_roles.yaml";
    assert!(!world.read("deploy/role.yaml").contains("RoleBinding"));
    let text = world.read(deployed);
    assert!(text.contains("  namespace: REPLACE_NAMESPACE\n"), "{text}");
    world
        .rop("generate project")
        .ok()
        .says("everything is up to date");

    let main = world.read("src/main.rs");
    world.write("src/main.rs", main.strip_prefix(MARKERS).expect("markers"));
    let copy = world.copy();
    world.rop("create api --group app --kind Store").ok();
    copy.rop("generate project").ok();
    for world in [world, copy] {
        for path in [FOLDER, "config/rbac/namespaces", deployed] {
            assert!(!world.path().join(path).exists(), "{path}");
        }
        assert!(!world.read(DEFAULT_KUSTOMIZATION).contains("transformers"));
        assert!(!world.read("config/rbac/role.yaml").contains("namespace:"));
        if let Some(objects) = kustomize(&world, "config/default") {
            assert_eq!(grants(&objects), BTreeSet::new());
        }
    }
}

/// What the user made of the kustomization stays.
#[test]
fn the_line_is_the_users() {
    let world = with_roles(false);
    world.replace(DEFAULT_KUSTOMIZATION, LINE, "");
    world.rop("create api --group app --kind Store").ok();
    assert!(!world.read(DEFAULT_KUSTOMIZATION).contains("transformers"));
}
