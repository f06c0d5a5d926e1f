//! What PROJECT lists and the disk lacks is made.

use crate::support::World;
use crate::support::world::differing;

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
        "src/controller/mod.rs",
        "src/main.rs",
    ] {
        remove(&world, path);
    }
    std::fs::remove_dir_all(world.path().join("src/controller/app_service")).expect("a folder");
    world
        .rop("create api --group app --kind Cache")
        .exits(1)
        .says("hint: or generate new files: `rop generate project`");
    insta::assert_snapshot!(world.rop(COMMAND).ok(), @"
    exit: 0
    --- stderr
       create api/src/app/v1alpha1/app_service.rs
       create config/rbac/role.yaml
       create runtime/src/lib.rs
       create src/controller/app_service/fixture.rs
       create src/controller/app_service/mod.rs
       create src/controller/app_service/reconcile.rs
       create src/controller/app_service/resources.rs
       create src/controller/app_service/status.rs
       create src/controller/mod.rs

    next:
      rop generate manifests
      cargo test
    ");
    // The rest is the user's to delete.
    world.rop(COMMAND).did_nothing();
    world.rop("check --skip manifests").ok();
    world.rop(&format!("{COMMAND} --restore")).ok();
    assert_eq!(world.tree(), tree);
}

/// What its user deleted or renamed is not listed again: kustomize would not find it.
#[test]
fn a_deleted_file_is_not_listed() {
    let world = World::with_api();
    let manager = "config/manager/kustomization.yaml";
    world.write(
        "config/manager/deployment.yaml",
        &world.read("config/manager/manager.yaml"),
    );
    remove(&world, "config/manager/manager.yaml");
    world.replace(manager, "- manager.yaml", "- deployment.yaml");
    remove(&world, "config/prometheus/monitor.yaml");
    world.replace(
        "config/prometheus/kustomization.yaml",
        "- monitor.yaml\n",
        "",
    );
    world.rop(COMMAND).did_nothing();
    world.rop("check --skip manifests").ok();
    // The tests in a cluster would read it.
    let sample = "app_v1alpha1_appservice.yaml";
    let has_sample = || world.read("tests/e2e/samples.rs").contains(sample);
    remove(&world, &format!("config/samples/{sample}"));
    assert!(has_sample());
    world.rop(COMMAND).ok();
    assert!(!has_sample());
    world.rop("update").did_nothing();
    world.rop("check --skip manifests").ok();
    world.rop(&format!("{COMMAND} --restore")).ok();
    assert!(has_sample());
    assert!(world.read(manager).contains("- manager.yaml"));
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
    assert_eq!(differing(&expected, &made), [""; 0]);
    assert!(world.read("Cargo.toml").contains("uuid"));
    world.rop(COMMAND).did_nothing();
}

/// As a merge that was resolved to one side loses them. One that is commented out was taken out on purpose.
#[test]
fn files_that_a_list_has_lost_are_listed_again() {
    let world = two_kinds("");
    let tree = world.tree();
    let lists = [
        (
            "config/crd/kustomization.yaml",
            "- bases/shop.example.com_carts.yaml\n",
        ),
        (
            "config/rbac/kustomization.yaml",
            "- cart_editor_role.yaml\n",
        ),
        (
            "config/samples/kustomization.yaml",
            "- shop_v1alpha1_cart.yaml\n",
        ),
    ];
    for (list, entry) in lists {
        world.replace(list, entry, &format!("#{entry}"));
    }
    world.rop(COMMAND).did_nothing();
    for (list, entry) in lists {
        world.replace(list, &format!("#{entry}"), "");
    }
    world
        .rop("create policy --group shop --kind Cart --validating")
        .ok();
    world
        .rop("delete policy --group shop --kind Cart --validating")
        .ok();
    for (list, entry) in lists {
        assert!(!world.read(list).contains(entry), "{list}");
    }
    insta::assert_snapshot!(world.rop(COMMAND).ok(), @"
    exit: 0
    --- stderr
       update config/crd/kustomization.yaml
       update config/rbac/kustomization.yaml
       update config/samples/kustomization.yaml

    next:
      rop generate manifests
      cargo test
    ");
    world.rop(COMMAND).did_nothing();
    for (list, entry) in lists {
        assert!(world.read(list).contains(entry), "{list}");
        world.write(list, &tree[list]);
    }
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
}

/// Takes the kind Cart out of PROJECT.
fn remove_cart(world: &World) {
    let text = world.read("PROJECT");
    let (before, cart) = text.split_at(text.rfind("- api:").expect("an API"));
    assert!(cart.contains("kind: Cart\n"), "{cart}");
    let (_, after) = cart.split_once("version: v1alpha1\n").expect("its end");
    world.write("PROJECT", &format!("{before}{after}"));
}

/// A kind that PROJECT lists no more goes, and with it what it had in shared files.
#[test]
fn a_kind_that_was_taken_out_goes() {
    for flags in ["", "--multigroup", "--namespaced"] {
        for shape in [
            "--template job",
            "--template minimal --finalizer",
            "--plural trolleys --short-name ct",
        ] {
            let world = World::new();
            let api = "create api --group shop --kind Cart";
            world
                .rop(&format!(
                    "init --domain example.com --api app/AppService {flags}"
                ))
                .ok();
            world.rop("generate deploy").ok();
            // What its user did stays.
            world.replace("Cargo.toml", "tokio = {", "uuid = \"1\"\ntokio = {");
            let old = world.tree();
            world.rop(&format!("{api} {shape}")).ok();
            world.rop("generate deploy").ok();
            remove_cart(&world);
            world.rop(COMMAND).ok();
            assert_eq!(differing(&world.tree(), &old), [""; 0], "{flags} {shape}");
            assert!(!world.path().join("api/src/shop").exists());
            world.rop(COMMAND).did_nothing();
        }
    }
}

/// As by `rop delete api`.
#[test]
fn what_a_cluster_keeps_of_a_kind_is_said() {
    let world = two_kinds("");
    let crd = "note: clusters keep the CRD and its objects; to delete both: `kubectl delete crd carts.shop.example.com`\n";
    let version = "note: `rop deploy` will fail while a cluster stores objects in `v1`\n";
    let project = world.read("PROJECT");
    world
        .rop("create api --group shop --kind Cart --version v1 --controller=false")
        .ok();
    world.write("PROJECT", &project);
    let said = world.rop(COMMAND).ok().says(version).stderr;
    assert!(!said.contains(crd), "{said}");
    remove_cart(&world);
    let said = world.rop(COMMAND).ok().says(crd).stderr;
    assert!(!said.contains("appservices"), "{said}");
    world.rop(COMMAND).did_nothing();
}

/// A kind goes with all of its versions.
#[test]
fn all_versions_that_were_taken_out_go() {
    for more in ["--controller=false", "--controller --hub"] {
        let world = two_kinds("");
        let old = world.tree();
        let api = "create api --group sales --kind Order";
        world.rop(api).ok();
        world.rop(&format!("{api} --version v1 {more}")).ok();
        world.write("PROJECT", &old["PROJECT"]);
        world.rop(COMMAND).ok();
        assert_eq!(differing(&world.tree(), &old), [""; 0], "{more}");
    }
}

/// CRDs that a clone brings need not be of kinds that can live together.
#[test]
fn kinds_that_meet_were_not_made_by_rop() {
    let world = World::with_api();
    let crd = "config/crd/bases/app.example.com_appservices.yaml";
    let text = world.read(crd);
    for (kind, plural) in [("FooBar", "foobars"), ("FOOBar", "fobars")] {
        let text = text.replace("AppService", kind);
        let path = crd.replace("appservices", plural);
        world.write(&path, &text.replace("appservices", plural));
    }
    world.rop(COMMAND).did_nothing();
}

/// What somebody wrote into the files of such a kind is not deleted unasked.
#[test]
fn an_edited_kind_that_was_taken_out_needs_force() {
    let world = two_kinds("");
    let old = world.tree();
    let reconcile = "src/controller/cart/reconcile.rs";
    world.replace(reconcile, "//! Reconciles", "//! Ours.\n//! Reconciles");
    world.write("src/controller/cart/helper.rs", "//! Ours.\n");
    remove_cart(&world);
    let tree = world.tree();
    let outcome = world.rop(COMMAND).exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      src/controller/cart/reconcile.rs would be deleted, but you edited it
    hint: move your changes elsewhere, or delete the files with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world.rop(&format!("{COMMAND} --force")).ok();
    assert!(!world.path().join(reconcile).exists());
    // rop did not make it.
    assert_eq!(world.read("src/controller/cart/helper.rs"), "//! Ours.\n");
    // Its place is free again.
    std::fs::remove_dir_all(world.path().join("src/controller/cart")).expect("a folder");
    world.rop("create api --group shop --kind Cart").ok();
    assert_eq!(world.tree(), old);
}

/// Without a kind it is as `rop init` alone makes it.
#[test]
fn the_last_kind_that_was_taken_out() {
    let (world, empty) = (World::with_api(), World::new());
    empty.rop("init --domain example.com").ok();
    world.write("PROJECT", &empty.read("PROJECT"));
    world.rop(COMMAND).ok();
    assert_eq!(differing(&world.tree(), &empty.tree()), [""; 0]);
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
    error[files-in-the-way]: 2 files have local changes; nothing was written:
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

/// Two kinds, as `rop init` lays them out with these flags.
fn two_kinds(flags: &str) -> World {
    let world = World::new();
    let init = "init --domain example.com --api app/AppService --api shop/Cart";
    world.rop(&format!("{init} {flags}")).ok();
    world
}

/// Changes PROJECT as somebody does who wants controllers in folders of their groups.
fn make_multigroup(world: &World) {
    world.replace("PROJECT", "projectName:", "multigroup: true\nprojectName:");
}

/// What a user wrote: into a controller, beside it, and into the role for people.
fn edit(world: &World, controller: &str, role: &str) {
    let reconcile = format!("{controller}/reconcile.rs");
    world.replace(&reconcile, "//! Reconciles", "//! Ours.\n//! Reconciles");
    world.write(&format!("{controller}/helper/mod.rs"), "//! Ours.\n");
    world.write(role, &(world.read(role) + "# Ours.\n"));
}

#[test]
fn controllers_move_with_multigroup() {
    let (flat, grouped) = (two_kinds(""), two_kinds("--multigroup"));
    assert_ne!(flat.tree(), grouped.tree());
    let role = |role: &str| format!("config/rbac/{role}_admin_role.yaml");
    edit(&flat, "src/controller/cart", &role("cart"));
    edit(&grouped, "src/controller/shop/cart", &role("shop_cart"));
    let (flat_tree, grouped_tree) = (flat.tree(), grouped.tree());

    make_multigroup(&flat);
    flat.rop("create api --group app --kind Cache")
        .exits(1)
        .says("hint: or move the files: `rop generate project`");
    let report = flat.rop(&format!("{COMMAND} --dry-run --json")).ok().stdout;
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let moved = serde_json::json!({
        "path": "src/controller/shop/cart/helper/mod.rs", "action": "move", "ownership": "seeded",
        "from": "src/controller/cart/helper/mod.rs",
    });
    let changes = report["changes"].as_array().expect("a list");
    assert!(changes.contains(&moved), "{changes:#?}");
    flat.rop(COMMAND)
        .ok()
        .says("move src/controller/cart/reconcile.rs -> src/controller/shop/cart/reconcile.rs");
    assert_eq!(differing(&flat.tree(), &grouped_tree), [""; 0]);
    assert!(!flat.path().join("src/controller/cart").exists());
    flat.rop(COMMAND).did_nothing();

    // And back.
    flat.replace("PROJECT", "multigroup: true\n", "");
    flat.rop(COMMAND).ok();
    assert_eq!(differing(&flat.tree(), &flat_tree), [""; 0]);
}

#[test]
fn an_edit_where_the_move_changes_something_is_in_the_way() {
    let world = two_kinds("");
    let role = "config/rbac/cart_admin_role.yaml";
    world.replace(role, "name: cart-admin-role", "name: my-cart-admin-role");
    make_multigroup(&world);
    let tree = world.tree();
    insta::assert_snapshot!(world.rop(COMMAND).exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      config/rbac/cart_admin_role.yaml was edited in lines that change when it moves to `config/rbac/shop_cart_admin_role.yaml`
    hint: move the files and run the command again
    ");
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_dry_run_writes_nothing() {
    let world = World::with_api();
    remove(&world, "Dockerfile");
    let tree = world.tree();
    let report = world
        .rop(&format!("{COMMAND} --restore --dry-run --json"))
        .ok()
        .stdout;
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["changes"][0]["path"], "Dockerfile");
    assert_eq!(report["changes"].as_array().expect("a list").len(), 1);
    assert_eq!(world.tree(), tree);
}
