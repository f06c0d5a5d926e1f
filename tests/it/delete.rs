//! What `rop create` added, `rop delete` takes away, and nothing else.

use crate::support::World;
use crate::support::world::differing;

/// A CRD of another operator.
const WIDGET: &str = include_str!("create_api/widget.yaml");

/// Commands that add, and those that take it away again.
const PAIRS: [(&[&str], &[&str]); 14] = [
    (
        &["create api --group shop --kind Cart"],
        &["delete api --group shop --kind Cart"],
    ),
    (
        &["create api --group shop --kind Cart --template job --finalizer"],
        &["delete api --group shop.example.com --version v1alpha1 --kind Cart"],
    ),
    (
        &[
            "create api --group shop --kind Cart",
            "create api --group shop --kind Cart --version v1 --hub --controller",
            "create webhook --group shop --kind Cart --conversion --defaulting",
            "create policy --group shop --kind Cart --validating",
        ],
        &["delete api --group shop --kind Cart"],
    ),
    (
        &[
            "create api --group app --kind AppService --version v2",
            "create webhook --group app --kind AppService --conversion",
        ],
        &[
            "delete api --group app --version v2 --kind AppService",
            "delete webhook --group app --kind AppService --conversion",
        ],
    ),
    (
        &["create webhook --group app --kind AppService --conversion"],
        &["delete webhook --group app --kind AppService --conversion"],
    ),
    (
        &["create webhook --group app --kind AppService --defaulting --validation"],
        &[
            "delete webhook --group app --kind AppService --validation",
            "delete webhook --group app --version v1alpha1 --kind AppService --defaulting",
        ],
    ),
    (
        &["create webhook --group core --kind Pod --validation"],
        &["delete webhook --group core --kind Pod --validation"],
    ),
    (
        &["create policy --group app --kind AppService --validating --mutating"],
        &[
            "delete policy --group app --kind AppService --mutating",
            "delete policy --group app --kind AppService --validating",
        ],
    ),
    (
        &["create policy --group core --kind Pod --validating"],
        &["delete policy --group core --kind Pod --validating"],
    ),
    (
        &["create api --group apps --kind Deployment --resource=false"],
        &["delete controller --group apps --kind Deployment"],
    ),
    (
        &[
            "create api --group apps --kind Deployment --resource=false",
            "create api --group apps --kind Deployment --resource=false --controller-name audit",
            "create webhook --group apps --kind Deployment --validation",
        ],
        &["delete api --group apps --kind Deployment"],
    ),
    (
        &["create api --group app --kind AppService --resource=false --controller-name audit"],
        &["delete controller --group app --kind AppService --controller-name audit"],
    ),
    (
        &[
            "create api --group example.org --kind Widget --resource=false --external-crd widget.yaml",
        ],
        &["delete api --group example.org --version v1 --kind Widget"],
    ),
    (
        &[
            "create api --group shop --kind Cart --controller=false",
            "create api --group shop --kind Cart --resource=false --controller --finalizer",
        ],
        &[
            "delete controller --group shop --kind Cart",
            "delete api --group shop --kind Cart",
        ],
    ),
];

/// A project with a kind in two versions.
fn world(flags: &str) -> World {
    let world = World::new();
    let init = format!("init --domain example.com --api app/AppService {flags}");
    world.rop(&init).ok();
    let version = "create api --group app --kind AppService --version v1";
    world.rop(version).ok();
    world.write("widget.yaml", WIDGET);
    world
}

#[test]
fn what_was_created_goes_and_nothing_else() {
    let mut left = Vec::new();
    for flags in ["", "--multigroup"] {
        for (created, deleted) in PAIRS {
            let world = world(flags);
            if flags.is_empty() {
                world.rop("generate deploy").ok();
            }
            let old = world.tree();
            for command in created {
                world.rop(command).ok();
            }
            for command in deleted {
                let before = world.tree();
                world.rop(&format!("{command} --dry-run")).ok();
                assert_eq!(differing(&before, &world.tree()), [""; 0], "{command}");
                world.rop(command).ok();
            }
            let tree = world.tree();
            let differing = differing(&tree, &old);
            if !differing.is_empty() {
                left.push(format!("{flags} {deleted:?}: {differing:?}"));
            }
            world.rop("generate project").did_nothing();
            // Twice is once.
            for command in deleted {
                let outcome = world.rop(command);
                assert_eq!(outcome.code, 2, "{command}: {outcome}");
            }
        }
    }
    assert_eq!(left, [""; 0]);
}

/// PROJECT keeps the order of its lines, whoever else has lines like those that go, and whatever a user wrote there.
#[test]
fn a_second_controller_leaves_project_as_it_was() {
    let world = world("");
    world.rop("create api --group shop --kind Cart").ok();
    world
        .rop("create api --group example.org --kind Widget --resource=false --external-crd widget.yaml")
        .ok();
    for comment in [false, true] {
        if comment {
            world.replace("PROJECT", "  kind: Cart\n", "  # ours\n  kind: Cart\n");
        }
        let old = world.tree();
        for kind in [
            "app --kind AppService",
            "shop --kind Cart",
            "example.org --kind Widget",
        ] {
            world
                .rop(&format!(
                    "create api --group {kind} --resource=false --controller-name audit"
                ))
                .ok();
            let project = world.read("PROJECT");
            assert!(
                !project.contains("controller: true\n  controllers:"),
                "{project}"
            );
            world
                .rop(&format!(
                    "delete controller --group {kind} --controller-name audit"
                ))
                .ok();
            let tree = world.tree();
            assert_eq!(
                differing(&tree, &old),
                [""; 0],
                "{kind}: {}",
                tree["PROJECT"]
            );
        }
    }
}

/// Step 4 of the book's page on versions: what is left is as if the version had never been.
#[test]
fn a_version_is_retired() {
    let (world, other) = (World::new(), World::new());
    let init = "init --domain example.com --project-name op";
    for command in [
        init,
        "create api --group app --kind Foo",
        "create api --group app --kind Foo --version v1 --hub --controller",
        "create webhook --group app --kind Foo --conversion --validation",
    ] {
        world.rop(command).ok();
    }
    let command = "delete api --group app --version v1alpha1 --kind Foo";
    let outcome = world.rop(command).ok();
    outcome.says("note: `rop deploy` will fail while a cluster stores objects in `v1alpha1`");
    for command in [
        init,
        "create api --group app --kind Foo --version v1",
        "create webhook --group app --kind Foo --validation",
    ] {
        other.rop(command).ok();
    }
    assert_eq!(differing(&world.tree(), &other.tree()), [""; 0]);
}

/// Where the conversion alone told the hub, PROJECT says it from then on.
#[test]
fn the_hub_stays_without_its_conversion() {
    let world = World::new();
    for command in [
        "init --domain example.com --project-name op",
        "create api --group app --kind Foo",
        "create api --group app --kind Foo --version v1",
        "create webhook --group app --kind Foo --conversion --validation",
        "create api --group app --kind Foo --version v1 --hub",
        "delete webhook --group app --kind Foo --conversion",
    ] {
        world.rop(command).ok();
    }
    let project = world.read("PROJECT");
    assert!(project.contains("  hub: true\n"), "{project}");
    let crd = world.read("config/crd/bases/app.example.com_foos.yaml");
    let (_, v1) = crd.split_once("    name: v1\n").expect("the version");
    assert!(v1.lines().any(|line| line == "    storage: true"), "{crd}");
}

#[test]
fn what_others_need_stays() {
    let world = world("");
    let tree = world.tree();
    insta::assert_snapshot!(
        world.rop("delete api --group app --version v1alpha1 --kind AppService").exits(2),
        @"
    exit: 2
    --- stderr
    error[version-in-use]: app/v1alpha1 AppService is the storage version (hub) of its kind, and its controller uses it
    hint: move it to another version first: `rop create api --group app --version v1 --kind AppService --hub --controller`
    "
    );
    insta::assert_snapshot!(world.rop("delete api --group app --version v7 --kind AppService").exits(2), @"
    exit: 2
    --- stderr
    error[unknown-version]: app AppService has no version `v7`
    hint: use one of its versions: v1alpha1, v1
    ");
    for (flags, meant) in [
        ("--group app --kind AppServce", "AppService"),
        ("--group ap --kind AppService", "--group app"),
    ] {
        let hint = format!("hint: did you mean `{meant}`?\n");
        world
            .rop(&format!("delete api {flags}"))
            .exits(2)
            .says(&hint);
        world
            .rop(&format!("create webhook {flags} --validation"))
            .exits(2)
            .says(&hint);
    }
    insta::assert_snapshot!(world.rop("delete api --group shop --kind Cart").exits(2), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind shop Cart: not listed in PROJECT
    hint: see `resources` in PROJECT for the kinds that can be deleted
    ");
    insta::assert_snapshot!(
        world.rop("delete webhook --group app --kind AppService --conversion").exits(2),
        @"
    exit: 2
    --- stderr
    error[nothing-to-delete]: app AppService has no conversion
    hint: see `resources` in PROJECT for what each kind has
    "
    );
    insta::assert_snapshot!(
        world.rop("delete controller --group app --kind AppService --controller-name audit").exits(2),
        @"
    exit: 2
    --- stderr
    error[nothing-to-delete]: app AppService has no controller `audit`
    hint: see `resources` in PROJECT for the controllers of each kind
    "
    );
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
}

/// Types that the user's own code names.
#[test]
fn types_that_are_in_use_stay() {
    let world = world("");
    world.rop("create api --group shop --kind Cart").ok();
    let own = "src/controller/app_service/carts.rs";
    world.write(
        own,
        "//! Mine.\n\nuse app_operator_api::shop::v1alpha1::cart::Cart;\n",
    );
    let command = "delete api --group shop --kind Cart";
    insta::assert_snapshot!(world.rop(command).exits(1), @"
    exit: 1
    --- stderr
    error[types-in-use]: the types of shop/v1alpha1 Cart are in use: `src/controller/app_service/carts.rs:3`
    hint: remove those uses first, or delete the types anyway with `--force`
    ");
    world.replace("src/controller/cart/reconcile.rs", "//!", "//! Mine.\n//!");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop(command).exits(1), @"
    exit: 1
    --- stderr
    error[types-in-use]: the types of shop/v1alpha1 Cart are in use: `src/controller/app_service/carts.rs:3`
      src/controller/cart/reconcile.rs would be deleted, but you edited it
    hint: remove those uses first, or delete the types anyway with `--force`
    hint: `--force` also discards your edits in the files above: move them elsewhere first
    ");
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
    world.rop(&format!("{command} --force")).ok();
    assert_eq!(world.read(own), tree[own]);
    assert!(!world.path().join("api/src/shop").exists());
}

/// Types that are a folder, with more than rop would have in it.
#[test]
fn files_beside_the_types_stay() {
    let world = world("");
    world.rop("create api --group shop --kind Cart").ok();
    let types = "api/src/shop/v1alpha1/cart";
    world.write(
        &format!("{types}/mod.rs"),
        &world.read(&format!("{types}.rs")),
    );
    std::fs::remove_file(world.path().join(format!("{types}.rs"))).expect("types");
    let own = format!("{types}/mine.rs");
    world.write(&own, "use crate::shop::v1alpha1::cart::Cart;\n");
    let command = "delete api --group shop --kind Cart";
    insta::assert_snapshot!(world.rop(command).exits(1), @"
    exit: 1
    --- stderr
    error[types-in-use]: the types of shop/v1alpha1 Cart are in use: `api/src/shop/v1alpha1/cart/mine.rs:1`
    hint: `api/src/shop/v1alpha1/cart/` contains files of your own, which rop does not delete: move or remove them first, or leave them there with `--force`
    ");
    world.rop(&format!("{command} --force")).ok();
    assert!(world.path().join(own).exists());
}

/// A license is above many files. Another comment is somebody's.
#[test]
fn a_comment_above_a_file_is_an_edit() {
    let world = world("");
    world.rop("create api --group shop --kind Cart").ok();
    let command = "delete api --group shop --kind Cart";
    for path in ["src/controller/cart/reconcile.rs", "api/src/shop/mod.rs"] {
        let text = world.read(path);
        world.write(path, &format!("// Ask Ann first.\n\n{text}"));
        let refused = format!("{path} would be deleted, but you edited it");
        world.rop(command).exits(1).says(&refused);
        world.write(path, &format!("// Copyright 2026 Me\n\n{text}"));
    }
    world.rop(command).ok();
}

/// What somebody wrote is not deleted unasked.
#[test]
fn edited_files_stay() {
    let world = world("");
    world
        .rop("create api --group shop --kind Cart --finalizer")
        .ok();
    let reconcile = "src/controller/cart/reconcile.rs";
    world.replace(reconcile, "//!", "//! Mine.\n//!");
    let tree = world.tree();
    let command = "delete api --group shop --kind Cart";
    insta::assert_snapshot!(world.rop(command).exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      src/controller/cart/reconcile.rs would be deleted, but you edited it
    hint: move your changes elsewhere, or delete the files with `--force`
    ");
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
    insta::assert_snapshot!(world.rop(&format!("{command} --force")).ok(), @"
    exit: 0
    --- stderr
       update PROJECT
       update api/src/lib.rs
       delete api/src/shop/mod.rs
       delete api/src/shop/v1alpha1/cart.rs
       delete api/src/shop/v1alpha1/mod.rs
       delete config/crd/bases/shop.example.com_carts.yaml
       update config/crd/kustomization.yaml
       delete config/rbac/cart_admin_role.yaml
       delete config/rbac/cart_editor_role.yaml
       delete config/rbac/cart_viewer_role.yaml
       update config/rbac/kustomization.yaml
       update config/rbac/role.yaml
       update config/samples/kustomization.yaml
       delete config/samples/shop_v1alpha1_cart.yaml
       delete src/controller/cart/cleanup.rs
       delete src/controller/cart/fixture.rs
       delete src/controller/cart/mod.rs
       delete src/controller/cart/reconcile.rs
       delete src/controller/cart/resources.rs
       delete src/controller/cart/status.rs
       update src/controller/mod.rs
       update tests/api/main.rs
       delete tests/api/shop/v1alpha1/cart.rs
       delete tests/cluster/cart.rs
       update tests/cluster/main.rs
       update tests/e2e/samples.rs
    note: clusters keep the CRD and its objects; to delete both: `kubectl delete crd carts.shop.example.com`
    note: delete its objects before you upgrade the operator, which removes their finalizer
    note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete clusterrole/app-operator-cart-admin-role clusterrole/app-operator-cart-editor-role clusterrole/app-operator-cart-viewer-role`

    next:
      cargo test
    ");
}

/// What is in no namespace, or in that of the operator, stays in a cluster until somebody deletes it.
#[test]
fn objects_that_a_cluster_keeps_are_named() {
    let world = world("");
    for command in [
        "create webhook --group app --kind AppService --defaulting --validation",
        "create policy --group app --kind AppService --validating",
    ] {
        world.rop(command).ok();
    }
    let notes = |command: &str| {
        let stderr = world.rop(command).ok().stderr;
        let notes = stderr
            .lines()
            .filter(|line| line.starts_with("note: `rop deploy` does not"));
        notes.map(|note| format!("{note}\n")).collect::<String>()
    };
    insta::assert_snapshot!(notes("delete webhook --group app --kind AppService --validation"), @"note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete validatingwebhookconfiguration/app-operator-validating-webhook-configuration`");
    insta::assert_snapshot!(notes("delete policy --group app --kind AppService --validating"), @"note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete validatingadmissionpolicybinding/app-operator-appservice-validating-policy-binding validatingadmissionpolicy/app-operator-appservice-validating-policy`");
    insta::assert_snapshot!(notes("edit --multigroup"), @"note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete clusterrole/app-operator-appservice-admin-role clusterrole/app-operator-appservice-editor-role clusterrole/app-operator-appservice-viewer-role`");
    world.replace("PROJECT", "    defaulting: true\n", "");
    insta::assert_snapshot!(notes("generate project"), @"note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete clusterrolebinding/app-operator-webhook-rolebinding clusterrole/app-operator-webhook-role mutatingwebhookconfiguration/app-operator-mutating-webhook-configuration` and `kubectl delete rolebinding/app-operator-webhook-rolebinding role/app-operator-webhook-role --namespace app-operator-system`");
    world.rop("edit --namespaced").ok();
    insta::assert_snapshot!(notes("edit --multigroup=false"), @"note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete role/app-operator-app-appservice-admin-role role/app-operator-app-appservice-editor-role role/app-operator-app-appservice-viewer-role --namespace app-operator-system`");
    insta::assert_snapshot!(notes("edit --namespaced=false"), @"note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete rolebinding/app-operator-manager-rolebinding role/app-operator-appservice-admin-role role/app-operator-appservice-editor-role role/app-operator-appservice-viewer-role role/app-operator-manager-role --namespace app-operator-system`");
}

/// The notes of a command, as people and programs get them.
fn notes(world: &World, command: &str) -> Vec<String> {
    let outcome = world.copy().rop(command).ok();
    let lines = outcome
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("note: "));
    let printed: Vec<String> = lines.map(str::to_owned).collect();
    let outcome = world.rop(&format!("{command} --json")).ok();
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let notes = report["notes"].as_array().expect("notes").iter();
    let notes: Vec<String> = notes
        .filter_map(|note| Some(note.as_str()?.to_owned()))
        .collect();
    assert_eq!(notes, printed, "{command}");
    notes
}

/// The user's own manifests are not changed, and break without what they name.
#[test]
fn own_manifests_that_name_what_was_deleted_are_listed() {
    let sample = "apiVersion: shop.example.com/v1alpha1\nkind: Cart\nmetadata:\n  name: mine\n";
    for other in [
        sample.replace("Cart", "Order"),
        sample.replace("shop.", "other."),
        "resources:\n- ../crd/bases/app.example.com_appservices.yaml\n".to_owned(),
    ] {
        let world = world("");
        world.rop("create api --group shop --kind Cart").ok();
        world.write("config/mine/sample.yaml", sample);
        let list = "resources:\n  - ./sample.yaml\n  - ../crd/bases/shop.example.com_carts.yaml\n";
        world.write("config/mine/kustomization.yaml", list);
        world.write("config/mine/other.yaml", &other);
        let notes = notes(&world, "delete api --group shop --kind Cart");
        let named = "your manifests still name what was deleted, change or delete them: \
            `config/mine/kustomization.yaml`, `config/mine/sample.yaml`";
        assert!(notes.iter().any(|note| note == named), "{notes:#?}");
    }
    let world = world("");
    world.rop("create api --group shop --kind Cart").ok();
    let notes = notes(&world, "delete api --group shop --kind Cart");
    assert!(
        !notes.iter().any(|note| note.contains("your manifests")),
        "{notes:#?}"
    );
}

/// Only their own commands generate the installer and the bundle.
#[test]
fn outputs_with_the_old_manifests_are_named() {
    let world = world("");
    for command in [
        "create api --group shop --kind Cart",
        "generate installer",
        "bundle",
        "generate deploy",
    ] {
        world.rop(command).ok();
    }
    for command in [
        "delete api --group shop --kind Cart",
        "edit --project-name renamed",
    ] {
        let mut notes = notes(&world, command);
        notes.retain(|note| note.contains("old manifests"));
        assert_eq!(
            notes,
            [
                "`bundle` still has the old manifests: run `rop bundle` with the same flags",
                "`dist/install.yaml` still has the old manifests: run `rop generate installer` with the same flags",
            ],
            "{command}"
        );
    }
}
