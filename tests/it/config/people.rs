//! The roles for people: each does what its name says, and no more.

use super::{NAMESPACE, project, text};
use crate::support::control_plane::ControlPlane;

const ROLES: [&str; 3] = ["viewer", "editor", "admin"];

/// What each role may do: the first word is the role that starts to have the right.
const RIGHTS: [(&str, &str, &[&str]); 7] = [
    ("viewer", "", &["get", "list", "watch"]),
    ("viewer", "/status", &["get"]),
    ("viewer", "/scale", &["get"]),
    ("editor", "", &["create", "update", "patch", "delete"]),
    ("editor", "/scale", &["update", "patch"]),
    ("admin", "", &["deletecollection", "somethingelse"]),
    ("nobody", "/status", &["update", "patch"]),
];

/// What none of them is for.
const OTHER: [(&str, &str); 6] = [
    ("update", "appservices.app.example.com/finalizers"),
    ("get", "appservices.shop.example.com"),
    ("create", "roles.rbac.authorization.k8s.io"),
    ("update", "clusterroles.rbac.authorization.k8s.io"),
    ("get", "secrets"),
    ("create", "deployments.apps"),
];

/// Whether a user may do something in a namespace.
#[track_caller]
fn may(plane: &ControlPlane, user: &str, verb: &str, resource: &str, namespace: &str) -> bool {
    // kubectl asks for a subresource by a flag.
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let subresource = format!("--subresource={subresource}");
    super::may(
        plane,
        user,
        &[verb, resource, &subresource, "-n", namespace],
    )
}

#[track_caller]
fn each_role_does_what_it_says(plane: &ControlPlane, namespace: &str) {
    for (level, role) in ROLES.iter().enumerate() {
        for (from, subresource, verbs) in RIGHTS {
            let granted = ROLES
                .iter()
                .position(|r| *r == from)
                .is_some_and(|l| l <= level);
            let resource = format!("appservices.app.example.com{subresource}");
            for verb in verbs {
                let may = may(plane, role, verb, &resource, namespace);
                assert_eq!(may, granted, "{role}: {verb} {resource}");
            }
        }
        for (verb, resource) in OTHER {
            assert!(
                !may(plane, role, verb, resource, namespace),
                "{role}: {verb} {resource}"
            );
        }
    }
}

/// Gives each role to the user of its name, by a binding of its kind.
fn bind_each_role(plane: &ControlPlane, kind: &str, namespace: &[&str]) {
    for role in ROLES {
        let name = format!("app-operator-appservice-{role}-role");
        let binding = format!("{kind}binding");
        let (role, user) = (format!("--{kind}={name}"), format!("--user={role}"));
        let create = ["create", &binding, &name, &role, &user];
        plane.kubectl_ok(&[&create[..], namespace].concat());
    }
}

#[test]
fn in_the_cluster() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    // The second kind of the name has its group in the names of its roles.
    let world = project(false, 2);
    plane.install(&world.path().join("config/default"));
    bind_each_role(&plane, "clusterrole", &[]);
    each_role_does_what_it_says(&plane, "default");
    let role = "--clusterrole=app-operator-shop-appservice-editor-role";
    plane.kubectl_ok(&[
        "create",
        "rolebinding",
        "shop",
        role,
        "--user=shopper",
        "-n",
        "default",
    ]);
    assert!(may(
        &plane,
        "shopper",
        "create",
        "appservices.shop.example.com",
        "default"
    ));
    assert!(!may(
        &plane,
        "shopper",
        "create",
        "appservices.shop.example.com",
        "kube-public"
    ));

    // Real requests.
    let sample = text(
        &world
            .path()
            .join("config/samples/app_v1alpha1_appservice.yaml"),
    );
    let run = |who: &str, words: &str| {
        let who = format!("--as={who}");
        let words = words.split(' ');
        let arguments: Vec<&str> = words.chain(["-n", "default", &who]).collect();
        plane.kubectl(&arguments).status.success()
    };
    let create = format!("create -f {sample}");
    assert!(!run("viewer", &create));
    assert!(run("editor", &create));
    assert!(run(
        "viewer",
        "get appservices.app.example.com appservice-sample"
    ));
    assert!(!run(
        "viewer",
        "scale appservices.app.example.com appservice-sample --replicas=2"
    ));
    assert!(run(
        "editor",
        "scale appservices.app.example.com appservice-sample --replicas=2"
    ));
    assert!(!run(
        "editor",
        "delete --raw /apis/app.example.com/v1alpha1/namespaces/default/appservices"
    ));
    assert!(run(
        "admin",
        "delete --raw /apis/app.example.com/v1alpha1/namespaces/default/appservices"
    ));
    assert!(!run(
        "viewer",
        "get appservices.app.example.com appservice-sample"
    ));
}

#[test]
fn in_the_namespace_of_a_namespaced_operator() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = project(true, 2);
    plane.install(&world.path().join("config/default"));
    bind_each_role(&plane, "role", &["-n", NAMESPACE]);
    each_role_does_what_it_says(&plane, NAMESPACE);
    let elsewhere = may(
        &plane,
        "admin",
        "get",
        "appservices.app.example.com",
        "default",
    );
    assert!(!elsewhere);
}
