//! Clusters that do not have what is needed, users who may not, and objects of others: nothing is changed, and why is said.

use serde_json::{Value, json};

use crate::in_out::{fake_kubectl, rop, rop_as};
use crate::olm::api_server::with_olm;
use crate::support::World;
use crate::support::control_plane::ControlPlane;

const COMMANDS: [&str; 4] = [
    "run bundle bundle",
    "run bundle-upgrade bundle",
    "cleanup app-operator",
    "olm status",
];

/// A project with a bundle.
pub(super) fn bundled() -> World {
    let world = World::with_api();
    world
        .rop("bundle --image example.com/app:v1 --version 0.1.0")
        .ok();
    world
}

fn count(plane: &ControlPlane, kind: &str) -> usize {
    let path = format!("/apis/operators.coreos.com/{kind}");
    let list = plane.api().get(&path);
    list["items"].as_array().map_or(0, Vec::len)
}

/// Nothing that OLM would act on.
fn is_empty(plane: &ControlPlane) -> bool {
    let kinds = [
        "v1alpha1/subscriptions",
        "v1alpha1/catalogsources",
        "v1/operatorgroups",
    ];
    kinds.into_iter().all(|kind| count(plane, kind) == 0)
        && plane.api().get("/api/v1/pods")["items"] == json!([])
}

/// Its kinds alone install nothing.
#[test]
fn a_cluster_with_the_crds_alone() {
    let Some(plane) = with_olm() else {
        return;
    };
    rop(&World::new(), &plane, "olm status")
        .exits(1)
        .says("OLM v0 has no Deployment in the cluster");
}

/// Other manifests are neither installed nor deleted as OLM.
#[test]
fn manifests_without_olm() {
    let world = World::new();
    world.write(
        "app.yaml",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n",
    );
    for command in ["olm install app.yaml", "olm uninstall app.yaml --yes"] {
        let mut rop = world.command(".");
        rop.args(command.split(' ')).env("KUBECTL", "/nonexistent");
        world.run(&mut rop).exits(1).says(
            "the manifests are not those of OLM: they have nothing of operators.coreos.com or olm.operatorframework.io",
        );
    }
}

/// Nothing would run.
#[test]
fn manifests_without_an_operator() {
    let world = World::new();
    world.write(
        "crds.yaml",
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: subscriptions.operators.coreos.com}
spec: {group: operators.coreos.com}
",
    );
    let mut rop = world.command(".");
    rop.args(["olm", "install", "crds.yaml"])
        .env("KUBECTL", "/nonexistent");
    world
        .run(&mut rop)
        .exits(1)
        .says("the manifests have no Deployment, so nothing would run OLM")
        .says("`rop olm install crds.yaml olm.yaml`");
}

/// A name without a registry is that of a directory.
#[test]
fn a_directory_that_does_not_exist() {
    World::new()
        .rop("run bundle bundel")
        .exits(1)
        .says("no bundle directory `bundel`");
}

#[test]
fn a_cluster_without_olm() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = bundled();
    for command in COMMANDS {
        insta::allow_duplicates! {
            insta::assert_snapshot!(rop(&world, &plane, command).exits(1), @"
            exit: 1
            --- stderr
            error[olm-missing]: OLM is not installed: the API server serves neither operators.coreos.com/v1alpha1 nor olm.operatorframework.io/v1
            hint: install the manifests of a release of OLM with `rop olm install FILE`
            ");
        }
    }
    rop(&world, &plane, "cleanup app-operator --olm v1")
        .exits(1)
        .says("OLM v1 is not installed");
}

#[test]
fn what_does_not_fit() {
    let Some(plane) = with_olm() else {
        return;
    };
    let world = bundled();
    let run = |arguments: &str| rop(&world, &plane, arguments);
    insta::assert_snapshot!(run("run bundle bundle --namespace none").exits(1), @"
    exit: 1
    --- stderr
    error[namespace-missing]: the namespace `none` does not exist
    hint: create it: `kubectl create namespace none`
    ");
    insta::assert_snapshot!(run("run bundle nowhere/bundle:v1!").exits(2), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `nowhere/bundle:v1!`: unexpected '!' at character 18
    hint: or name the directory of a bundle
    ");
    insta::assert_snapshot!(run("run bundle bundle --install-mode OwnNamespace").exits(2), @"
    exit: 2
    --- stderr
    error[unsupported-install-mode]: the bundle does not support the install mode OwnNamespace
    hint: it supports AllNamespaces
    ");
    insta::assert_snapshot!(run("run bundle-upgrade bundle").exits(1), @"
    exit: 1
    --- stderr
    error[package-not-installed]: `app-operator` is not installed by `rop run bundle` in the namespace `default`
    hint: install it with `rop run bundle`, or name its namespace with `--namespace`
    ");
    run("run bundle bundle --install-mode Own").exits(2);
    run("run bundle bundle --install-mode AllNamespaces=a").exits(2);
    run("run bundle bundle --namespace --kubeconfig=x").exits(2);
    run("run bundle bundle --olm v1")
        .exits(1)
        .says("OLM v1 is not installed");
    run("cleanup -- -A").exits(2);
    assert!(is_empty(&plane));
}

#[test]
fn objects_of_others() {
    let Some(plane) = with_olm() else {
        return;
    };
    let world = bundled();
    let run = |arguments: &str| rop(&world, &plane, arguments);
    let group = |name: &str, spec: Value| {
        json!({
            "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
            "metadata": {"name": name, "namespace": "default"}, "spec": spec,
        })
    };
    let own = group("own", json!({"targetNamespaces": ["default"]}));
    assert!(plane.apply(&own.to_string()).status.success());
    insta::assert_snapshot!(run("run bundle bundle").exits(1), @"
    exit: 1
    --- stderr
    error[olm-conflict]: the OperatorGroup `own` of the namespace `default` has other target namespaces than AllNamespaces needs
    hint: choose another mode with `--install-mode`, or another namespace with `--namespace`
    ");
    assert!(
        plane
            .apply(&group("all", json!({})).to_string())
            .status
            .success()
    );
    insta::assert_snapshot!(run("run bundle bundle").exits(1), @"
    exit: 1
    --- stderr
    error[olm-conflict]: the namespace `default` has 2 OperatorGroups, and OLM needs exactly one: all, own
    hint: delete all but one, or use another namespace with `--namespace`
    ");
    plane.kubectl_ok(&["delete", "operatorgroups.operators.coreos.com", "--all"]);

    let subscription = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {"name": "mine", "namespace": "default"},
        "spec": {"name": "app-operator", "source": "community", "sourceNamespace": "olm"},
    });
    assert!(plane.apply(&subscription.to_string()).status.success());
    insta::assert_snapshot!(run("run bundle bundle").exits(1), @"
    exit: 1
    --- stderr
    error[olm-conflict]: the namespace `default` already has the Subscription `mine`, to the package `app-operator` of the catalog `community`
    hint: remove it with `rop cleanup app-operator --namespace default`, or use another namespace with `--namespace`
    ");
    run("run bundle-upgrade bundle").exits(1).says("`mine`");
    // What rop did not create it removes only by its name, and never the catalog of others.
    insta::assert_snapshot!(run("cleanup app-operator --dry-run").ok(), @"
    exit: 0
    --- stdout
       delete Subscription default/mine
    --- stderr
    note: keeping the CatalogSource olm/community: rop did not create it
    note: dry run: the API server accepted all requests; nothing was changed
    ");
    run("cleanup app-operator").ok();
    assert_eq!(count(&plane, "v1alpha1/subscriptions"), 0);
}

/// Who may not create Subscriptions learns it before anything is created.
#[test]
fn a_user_without_permissions() {
    let Some(plane) = with_olm() else {
        return;
    };
    plane.kubectl_ok(&["create", "serviceaccount", "dev"]);
    plane.kubectl_ok(&[
        "create",
        "clusterrolebinding",
        "dev",
        "--clusterrole=view",
        "--serviceaccount=default:dev",
    ]);
    let read = "--resource=*.operators.coreos.com";
    plane.kubectl_ok(&["create", "clusterrole", "olm-view", "--verb=get,list", read]);
    plane.kubectl_ok(&[
        "create",
        "clusterrolebinding",
        "olm",
        "--clusterrole=olm-view",
        "--serviceaccount=default:dev",
    ]);
    let kubeconfig = plane.kubeconfig_for("default", "dev");
    let world = bundled();
    let outcome = rop_as(&world, &kubeconfig, "run bundle bundle").exits(1);
    assert!(outcome.stderr.contains("error[forbidden]"), "{outcome}");
    assert!(
        outcome.stderr.contains("so nothing was changed"),
        "{outcome}"
    );
    assert!(is_empty(&plane));
}

/// Nobody serves the catalog: the time is over, and the objects stay, as the message says.
#[test]
fn a_pod_that_does_not_start() {
    let Some(plane) = with_olm() else {
        return;
    };
    let world = bundled();
    let outcome = rop(&world, &plane, "run bundle bundle --timeout 1s").exits(1);
    let catalog = "app-operator-catalog-";
    let named = outcome.stderr.split(catalog).nth(1);
    let digest = named.unwrap_or_else(|| panic!("no catalog:\n{outcome}"))[..8].to_owned();
    insta::assert_snapshot!(outcome.to_string().replace(&digest, "[DIGEST]"), @"
    exit: 1
    --- stderr
    note: installing app-operator.v0.1.0 with OLM v0 in the namespace `default`; Ctrl-C leaves the objects in the cluster: run the same command again to continue, or `rop cleanup app-operator --namespace default`
       create OperatorGroup default/app-operator
       create ConfigMap default/app-operator-catalog-[DIGEST]
       create Pod default/app-operator-catalog-[DIGEST]
      waiting until the catalog is served
    error[not-ready]: timed out after 1s waiting until the catalog's pod app-operator-catalog-[DIGEST] is ready: no scheduler has assigned it to a node
    hint: see `kubectl describe pod -n default app-operator-catalog-[DIGEST]`
    hint: the applied objects remain: fix the cause and run the command again, or remove them with `rop cleanup`
    ");
    // Nothing of it reached OLM.
    assert_eq!(count(&plane, "v1alpha1/subscriptions"), 0);
    rop(&world, &plane, "cleanup app-operator").ok();
    assert!(is_empty(&plane));
}

/// The words of OLM's objects can be those of anybody: none of them steers the terminal.
#[test]
fn hostile_conditions() {
    let Some(plane) = with_olm() else {
        return;
    };
    let world = bundled();
    let image = "run bundle bundle --catalog-image example.com/catalog:v1 --timeout 1s";
    insta::assert_snapshot!(rop(&world, &plane, image).exits(1), @"
    exit: 1
    --- stderr
    note: installing app-operator.v0.1.0 with OLM v0 in the namespace `default`; Ctrl-C leaves the objects in the cluster: run the same command again to continue, or `rop cleanup app-operator --namespace default`
       create OperatorGroup default/app-operator
       create CatalogSource default/app-operator-catalog
       create Subscription default/app-operator
      waiting for OLM
    error[olm-install-failed]: app-operator.v0.1.0 is not installed after 1s
      caused by: Subscription app-operator: not observed by OLM yet
    hint: see `kubectl describe subscription.operators.coreos.com,installplan,csv -n default`
    hint: the objects remain: fix the cause and run the command again, or remove them with `rop cleanup app-operator --namespace default`
    hint: or wait longer with `--timeout`
    ");
    let hostile = "\u{1b}]0;owned\u{7}\nerror: gone\u{202e}".to_owned() + &"x".repeat(100_000);
    let status = json!({"status": {
        "lastUpdated": "2026-01-01T00:00:00Z",
        "conditions": [{"type": "ResolutionFailed", "status": "True", "reason": "Bad", "message": hostile}],
    }});
    let path =
        "/apis/operators.coreos.com/v1alpha1/namespaces/default/subscriptions/app-operator/status";
    plane.api().merge(path, &status);
    let outcome = rop(&world, &plane, image).exits(1);
    assert!(
        !outcome.stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']),
        "{outcome}"
    );
    assert!(
        outcome
            .stderr
            .contains("ResolutionFailed: Bad: \\u{1b}]0;owned"),
        "{outcome}"
    );
    rop(&world, &plane, "cleanup app-operator").ok();
}

/// Two at once do the same.
#[test]
fn two_at_once() {
    let Some(plane) = with_olm() else {
        return;
    };
    let (one, two) = (bundled(), bundled());
    let line = "run bundle bundle --catalog-image example.com/catalog:v1 --timeout 3s";
    std::thread::scope(|scope| {
        for world in [&one, &two] {
            let plane = &plane;
            scope.spawn(move || {
                rop(world, plane, line)
                    .exits(1)
                    .says("is not installed after")
            });
        }
    });
    assert_eq!(count(&plane, "v1alpha1/subscriptions"), 1);
    assert_eq!(count(&plane, "v1/operatorgroups"), 1);
}

/// An answer that is cut off is no empty one.
#[test]
fn half_an_answer() {
    let Some(plane) = with_olm() else {
        return;
    };
    let world = bundled();
    let script = "case \"$*\" in *subscriptions.operators*) echo '{\"kind\": \"List\", \"items\": [';; *) exec {} \"$@\";; esac";
    let kubectl = fake_kubectl(&world, script);
    let mut command = crate::in_out::command(&world, plane.kubeconfig(), "cleanup app-operator");
    world
        .run(command.env("KUBECTL", kubectl))
        .exits(1)
        .says("the output is incomplete");
}
