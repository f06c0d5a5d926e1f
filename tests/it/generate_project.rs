//! What PROJECT lists and the disk lacks is made.

use crate::support::World;

const COMMAND: &str = "generate project";

fn remove(world: &World, path: &str) {
    std::fs::remove_file(world.path().join(path)).expect(path);
}

#[test]
fn what_was_deleted_is_back() {
    let world = World::with_api();
    let tree = world.tree();
    world.rop(COMMAND).did_nothing();
    for path in [
        "Dockerfile",
        "api/src/app/v1alpha1/app_service.rs",
        "config/crd/kustomization.yaml",
        "config/rbac/role.yaml",
        "runtime/src/lib.rs",
        "src/controller/app_service/reconcile.rs",
        "src/controller/mod.rs",
    ] {
        remove(&world, path);
    }
    world
        .rop("create api --group app --kind Cache")
        .exits(1)
        .says("hint: `rop generate project` makes new ones");
    insta::assert_snapshot!(world.rop(COMMAND).ok(), @"
    exit: 0
    --- stderr
       create Dockerfile
       create api/src/app/v1alpha1/app_service.rs
       create config/crd/kustomization.yaml
       create config/rbac/role.yaml
       create runtime/src/lib.rs
       create src/controller/app_service/reconcile.rs
       create src/controller/mod.rs

    next:
      rop generate manifests
      cargo test
    ");
    assert_eq!(world.tree(), tree);
}

/// A kind that was added to PROJECT by hand is made as `rop create api` makes it.
#[test]
fn a_kind_of_projects_own() {
    let (world, other) = (World::with_api(), World::with_api());
    other
        .rop("create api --group cache --version v1 --kind Redis --template pod --finalizer")
        .ok();
    world.write("PROJECT", &other.read("PROJECT"));
    // What its user did meanwhile stays.
    world.replace("Cargo.toml", "tokio = {", "uuid = \"1\"\ntokio = {");
    world.replace("src/main.rs", "//!", "//! Ours.\n//!");
    world.rop(COMMAND).ok();
    let mut expected = other.tree();
    for path in ["Cargo.toml", "src/main.rs"] {
        expected.insert(path.to_owned(), world.read(path));
    }
    let made = world.tree();
    let differs = expected.keys().chain(made.keys());
    let differs = differs.filter(|path| expected.get(*path) != made.get(*path));
    let differs: Vec<_> = differs.collect();
    assert!(differs.is_empty(), "{differs:#?}");
    assert!(world.read("Cargo.toml").contains("uuid"));
    world.rop(COMMAND).did_nothing();
}

#[test]
fn an_edited_file_of_rops_needs_force() {
    let world = World::with_api();
    let tree = world.tree();
    world.replace("src/controller/mod.rs", "register", "enlist");
    world.replace("config/rbac/role.yaml", "events", "secrets");
    // This is not: it follows the types, and what its user wrote is the user's.
    let crd = "config/crd/bases/app.example.com_appservices.yaml";
    world.replace(crd, "description:", "description: More of");
    world.replace("src/main.rs", "//!", "//! Ours.\n//!");
    let edited = world.tree();
    let outcome = world.rop(COMMAND).exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error: 2 files are in the way, so nothing was written:
      config/rbac/role.yaml is generated but was edited by hand
      src/controller/mod.rs is generated but was edited by hand
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
    assert_eq!(world.tree(), edited);
    world.rop(&format!("{COMMAND} --force")).ok();
    let mut expected = tree;
    for path in [crd, "src/main.rs"] {
        expected.insert(path.to_owned(), edited[path].clone());
    }
    assert_eq!(world.tree(), expected);
}

/// Controllers that are elsewhere would be made twice.
#[test]
fn what_has_moved_is_named() {
    let world = World::with_api();
    world.replace("PROJECT", "projectName:", "multigroup: true\nprojectName:");
    let tree = world.tree();
    world
        .rop(COMMAND)
        .exits(1)
        .says("move `src/controller/app_service` there");
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_dry_run_writes_nothing() {
    let world = World::with_api();
    remove(&world, "Dockerfile");
    let tree = world.tree();
    let report = world
        .rop(&format!("{COMMAND} --dry-run --json"))
        .ok()
        .stdout;
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["changes"][0]["path"], "Dockerfile");
    assert_eq!(report["changes"].as_array().expect("a list").len(), 1);
    assert_eq!(world.tree(), tree);
}
