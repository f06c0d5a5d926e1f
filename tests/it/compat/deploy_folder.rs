//! The folder `deploy/`, as the oldest tutorial uses it.

use serde_json::Value;

use crate::support::World;
use crate::support::cargo::rop;
use crate::support::control_plane::ControlPlane;

const ADD: &str = "--api-version=app.example.com/v1alpha1 --kind=AppService";

/// The commands of the tutorial, up to the image.
fn tutorial() -> World {
    let world = World::new();
    let new = ["new", ".", "--repo", "github.com/example-inc/app-operator"];
    world.rop_in(".", &new).ok();
    world.rop(&format!("add api {ADD}")).ok();
    world.rop(&format!("add controller {ADD}")).ok();
    world
}

#[test]
fn the_files_of_the_tutorial() {
    let world = tutorial();
    let mut tree = world.tree();
    tree.retain(|path, _| path.starts_with("deploy/"));
    let files: Vec<&str> = tree.keys().map(String::as_str).collect();
    let expected = [
        "deploy/crds/app_v1alpha1_appservice_cr.yaml",
        "deploy/crds/app_v1alpha1_appservice_crd.yaml",
        "deploy/operator.yaml",
        "deploy/role.yaml",
        "deploy/role_binding.yaml",
        "deploy/service_account.yaml",
    ];
    assert_eq!(files, expected);
    let texts = tree
        .iter()
        .map(|(path, text)| format!("======== {path}\n{text}"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots/tree");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("deploy_folder", texts.collect::<String>()));
}

/// `add api` makes types alone; `add controller` the loop.
#[test]
fn one_step_after_the_other() {
    let world = World::with_project();
    world.rop(&format!("add api {ADD}")).ok();
    let types = "api/src/app/v1alpha1/app_service.rs";
    let controller = "src/controller/app_service/reconcile.rs";
    let tree = world.tree();
    assert!(tree.contains_key(types) && !tree.contains_key(controller));
    assert!(
        !tree.contains_key("deploy/operator.yaml"),
        "nobody asked for it"
    );
    world.rop(&format!("add api {ADD}")).did_nothing();
    world.rop(&format!("add controller {ADD}")).ok();
    assert!(world.tree().contains_key(controller));
    world.rop(&format!("add controller {ADD}")).did_nothing();
    world.rop(&format!("add api {ADD}")).did_nothing();

    let today = World::with_project();
    let create = "create api --group app --kind AppService --template pod";
    today.rop(&format!("{create} --controller=false")).ok();
    today
        .rop("create api --group app --kind AppService --resource=false")
        .ok();
    assert_eq!(world.tree(), today.tree(), "the same project");
}

#[test]
fn the_folder_follows() {
    let world = tutorial();
    world.rop("generate deploy").did_nothing();
    // What the user did stays, and what is rop's follows the code.
    world.replace("deploy/operator.yaml", "REPLACE_IMAGE", "example.com/a:v1");
    let types = "api/src/app/v1alpha1/app_service.rs";
    world.replace(types, "length(min = 1)", "length(min = 1, max = 99)");
    rop(&world, "generate crds")
        .ok()
        .says("note: this command is now `rop generate manifests`");
    let crd = world.read("deploy/crds/app_v1alpha1_appservice_crd.yaml");
    assert!(crd.contains("maxLength: 99"), "{crd}");
    assert!(
        world
            .read("deploy/operator.yaml")
            .contains("image: example.com/a:v1")
    );
    rop(&world, "generate manifests --check").ok();
    world.rop("generate deploy").did_nothing();
    world.rop("create api --group app --kind Cache").ok();
    assert!(
        world
            .tree()
            .contains_key("deploy/crds/app_v1alpha1_cache_crd.yaml")
    );
    assert!(world.read("deploy/role.yaml").contains("caches"));
    // operator-sdk 0.x had none.
    for command in [
        "create webhook --group app --kind Cache --validation",
        "generate deploy",
    ] {
        world
            .rop(command)
            .ok()
            .says("note: the directory `deploy/` has no webhooks: use `rop deploy`");
    }
}

/// A kind of the cluster needs a role of the cluster.
#[test]
fn a_kind_in_no_namespace() {
    let world = World::with_project();
    world
        .rop("create api --group app --kind Region --cluster-scoped --template minimal")
        .ok();
    world.rop("generate deploy").ok();
    assert!(
        world
            .read("deploy/role.yaml")
            .contains("kind: ClusterRole\n")
    );
    let binding = world.read("deploy/role_binding.yaml");
    assert!(
        binding.contains("kind: ClusterRoleBinding\n")
            && binding.contains("namespace: REPLACE_NAMESPACE")
    );
    assert!(world.read("deploy/operator.yaml").contains("value: \"\""));
}

/// Every line of the tutorial's chapter on deploying.
#[test]
fn a_cluster_takes_it() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = tutorial();
    let operator = world.read("deploy/operator.yaml");
    world.write(
        "deploy/operator.yaml",
        &operator.replace("REPLACE_IMAGE", "172.2.2.11:5000/example/app-operator"),
    );
    plane.kubectl_ok(&["create", "ns", "app-operator"]);
    for file in [
        "service_account.yaml",
        "role.yaml",
        "role_binding.yaml",
        "crds/app_v1alpha1_appservice_crd.yaml",
        "operator.yaml",
    ] {
        let path = world.path().join("deploy").join(file);
        plane.kubectl_ok(&[
            "create",
            "-f",
            &path.to_string_lossy(),
            "-n",
            "app-operator",
        ]);
    }
    plane.wait_for_crds();
    let sample = world
        .path()
        .join("deploy/crds/app_v1alpha1_appservice_cr.yaml");
    plane.kubectl_ok(&[
        "create",
        "-f",
        &sample.to_string_lossy(),
        "-n",
        "app-operator",
    ]);
    let names = plane.kubectl_ok(&["get", "appservice", "-n", "app-operator", "-o", "name"]);
    assert_eq!(
        names.trim(),
        "appservice.app.example.com/example-appservice"
    );
    let may = |verb: &str, resource: &str| {
        let who = "--as=system:serviceaccount:app-operator:app-operator";
        let output = plane.kubectl(&["auth", "can-i", verb, resource, "-n", "app-operator", who]);
        String::from_utf8_lossy(&output.stdout).trim() == "yes"
    };
    assert!(
        may("create", "pods")
            && may("watch", "appservices.app.example.com")
            && may("create", "leases")
    );
    assert!(!may("create", "deployments.apps"));
    let pods = plane
        .api()
        .get("/apis/apps/v1/namespaces/app-operator/deployments/app-operator");
    let container: &Value = &pods["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "172.2.2.11:5000/example/app-operator");
}

/// As `rop generate project` treats it.
#[test]
fn a_deleted_sample_stays_deleted() {
    let world = World::without_runtime();
    world.rop("generate deploy").ok();
    let tree = world.tree();
    let sample = "deploy/crds/app_v1alpha1_appservice_cr.yaml";
    std::fs::remove_file(world.path().join(sample)).expect("a sample");
    for command in ["generate deploy", "generate project"] {
        world.rop(command).did_nothing();
    }
    std::fs::remove_dir_all(world.path().join("deploy")).expect("a folder");
    world.rop("generate deploy").ok();
    assert_eq!(world.tree(), tree);
}
