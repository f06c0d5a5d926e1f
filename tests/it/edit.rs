//! Settings of a project that change: all that follows from them does, and what its user wrote comes along.

mod moved;

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use rop::plan::File;
use rop::project::Project;

use crate::support::World;
use crate::support::world::differing;

const INIT: &str = "init --domain example.com --project-name op --runtime path:../runtime";

/// A project with each sort of file that a setting changes.
fn made(init: &str) -> World {
    let world = World::new();
    for command in [
        init,
        "create api --group app --kind Foo --finalizer",
        "create api --group shop --kind Cart --template minimal",
        "create webhook --group shop --kind Cart --validation",
        "create policy --group app --kind Foo --validating",
        "create api --group app --kind Foo --version v1",
        "create webhook --group app --kind Foo --conversion",
        "generate deploy",
    ] {
        world.rop(command).ok();
    }
    world
}

/// There and back.
#[test]
fn a_project_is_as_if_it_had_been_made_so() {
    let named = "init --domain example.com --project-name op";
    for (init, other, there, back) in [
        (
            INIT,
            format!("{INIT} --namespaced"),
            "--namespaced",
            "--namespaced=false",
        ),
        (
            INIT,
            format!("{INIT} --multigroup"),
            "--multigroup=true",
            "--multigroup=false",
        ),
        (
            INIT,
            INIT.replace("example.com", "other.org"),
            "--domain other.org",
            "--domain example.com",
        ),
        (
            named,
            "init --domain other.org --project-name web --multigroup --namespaced".to_owned(),
            "--domain other.org --project-name web --multigroup --namespaced",
            "--domain example.com --project-name op --multigroup=false --namespaced=false",
        ),
    ] {
        let world = made(init);
        for (settings, wanted) in [(there, made(&other).tree()), (back, world.tree())] {
            world.rop(&format!("edit {settings}")).ok();
            let tree = world.tree();
            // Keys that are new stand at the end.
            let project = |tree: &BTreeMap<String, String>| {
                Project::parse(&tree["PROJECT"]).expect("PROJECT")
            };
            assert_eq!(project(&tree), project(&wanted));
            let mut differing = differing(&tree, &wanted);
            differing.retain(|path| *path != "PROJECT");
            assert_eq!(differing, [""; 0], "{settings}");
            world.rop(&format!("edit {settings}")).did_nothing();
            world.rop("generate project").did_nothing();
        }
    }
}

#[test]
fn a_license_comes_and_goes() {
    let world = made(INIT);
    world.replace("src/state.rs", "//!", "//! Ours.\n//!");
    let old = world.tree();
    world.rop("edit --license apache2 --owner Me").ok();
    let state = world.read("src/state.rs");
    assert!(
        state.starts_with("// SPDX-FileCopyrightText: Me\n"),
        "{state}"
    );
    assert!(state.contains("\n//! Ours.\n"), "{state}");
    world.rop("edit --license none").ok();
    world.replace("PROJECT", "owner: Me\n", "");
    let tree = world.tree();
    // The order of keys.
    let ordered = ["Cargo.toml", "api/Cargo.toml"];
    let mut left = differing(&tree, &old);
    left.retain(|path| !ordered.contains(&&**path) && !path.starts_with(".rop/"));
    assert_eq!(left, [""; 0]);
}

/// Files that are the user's alone, lines beside those that change, fields of the types, and objects that kustomize
/// adds.
#[test]
fn what_a_user_wrote_comes_along() {
    let world = made(INIT);
    world.write(
        "src/controller/foo/mine.rs",
        "use crate::controller::foo::status;\nuse op_api::shop::v1alpha1::Cart;\n\n\
         // +kubebuilder:rbac:groups=shop.example.com,resources=carts,verbs=get\n",
    );
    world.write(
        "src/mine.rs",
        "const GROUP: &str = \"app.example.com\";\nconst NOT_OURS: &str = \"my-app.example.com\";\n",
    );
    world.write(
        "config/mine/patch.yaml",
        "metadata:\n  name: foos.app.example.com\n  namespace: op-system\n",
    );
    let hosts = "const DOCS: &str = \"https://app.example.com/docs\";\nconst HOST: &str = \"app.example.com\";\n";
    world.write("src/hosts.rs", hosts);
    let ingress =
        "spec:\n  rules:\n  - host: app.example.com\n  tls:\n  - hosts:\n    - app.example.com\n";
    world.write("config/mine/ingress.yaml", ingress);
    let reconcile = "src/controller/foo/reconcile.rs";
    world.replace(reconcile, "use op_api", "use std::fmt;\n\nuse op_api");
    world.replace(reconcile, "/// Brings", "/// Ours.\n///\n/// Brings");
    let crd = world.read("config/crd/bases/app.example.com_foos.yaml");
    let (_, crd) = crd.split_once('\n').expect("a header");
    let crd = crd.replacen("description: ", "description: Ours. ", 1);
    let crd = File::owned("config/crd/bases/app.example.com_foos.yaml", crd);
    world.write(crd.path(), crd.text());
    world.rop("generate project").ok();

    world
        .rop("edit --multigroup --domain other.org --project-name web")
        .ok();
    let tree = world.tree();
    assert_eq!(
        tree["src/controller/app/foo/mine.rs"],
        "use crate::controller::app::foo::status;\nuse web_api::shop::v1alpha1::Cart;\n\n\
         // +kubebuilder:rbac:groups=shop.other.org,resources=carts,verbs=get\n"
    );
    assert_eq!(
        tree["src/mine.rs"],
        "const GROUP: &str = \"app.other.org\";\nconst NOT_OURS: &str = \"my-app.example.com\";\n"
    );
    assert_eq!(
        tree["config/mine/patch.yaml"],
        "metadata:\n  name: foos.app.other.org\n  namespace: web-system\n"
    );
    assert_eq!(tree["src/hosts.rs"], hosts);
    assert_eq!(tree["config/mine/ingress.yaml"], ingress);
    let reconcile = &tree["src/controller/app/foo/reconcile.rs"];
    assert!(
        reconcile.contains("use std::fmt;\n\nuse web_api::"),
        "{reconcile}"
    );
    assert!(reconcile.contains("/// Ours.\n"), "{reconcile}");
    assert!(reconcile.contains("groups=app.other.org,"), "{reconcile}");
    let crd = &tree["config/crd/bases/app.other.org_foos.yaml"];
    assert!(crd.contains("description: Ours. "), "{crd}");
    for (path, text) in &tree {
        for word in ["app.example.com", "op-system", "op_api", "shop-example-com"] {
            let word = text.replace("my-app.example.com", "").contains(word);
            let has_hosts = ["src/hosts.rs", "config/mine/ingress.yaml"].contains(&&**path);
            assert!(!word || path.starts_with("runtime/") || has_hosts, "{path}");
        }
    }
    world.rop("generate project").did_nothing();
    world.rop("generate deploy").did_nothing();
}

/// What was generated of a CRD is in the folder that moves, and its user may have edited it.
#[test]
fn a_kind_of_another_operator_moves_too() {
    let world = World::new();
    world.rop(INIT).ok();
    world.write("widget.yaml", include_str!("create_api/widget.yaml"));
    for command in [
        "create api --group example.org --kind Widget --resource=false --external-crd widget.yaml",
        "create webhook --group example.org --kind Widget --validation",
    ] {
        world.rop(command).ok();
    }
    let fixture = "src/webhook/widget/fixture.yaml";
    world.write(fixture, &format!("# Ours.\n{}", world.read(fixture)));
    let tree = world.tree();
    world.rop("edit --multigroup --project-name web").ok();
    let moved: Vec<_> = world
        .tree()
        .into_iter()
        .filter(|(path, _)| path.ends_with("fixture.yaml") && !path.starts_with('.'))
        .collect();
    assert!(
        moved
            .iter()
            .any(|(path, text)| path != fixture && text.starts_with("# Ours.")),
        "{moved:?}"
    );
    world.rop("generate project").did_nothing();
    world.rop("edit --multigroup=false --project-name op").ok();
    let back = world.tree();
    assert_eq!(differing(&back, &tree), [""; 0]);
}

/// As Windows checks them out.
#[test]
fn line_ends_stay() {
    let world = made(INIT);
    let ours = "src/controller/foo/ours.rs";
    world.write(ours, "//! Ours.\nuse crate::controller::foo::status;\n");
    let other = "src/ours.rs";
    world.write(other, "//! Ours, of the group app.example.com.\n");
    for path in [ours, other, "src/controller/foo/reconcile.rs"] {
        world.write(path, &world.read(path).replace('\n', "\r\n"));
    }
    world.rop("edit --multigroup --domain other.org").ok();
    assert_eq!(
        world.read(other),
        "//! Ours, of the group app.other.org.\r\n"
    );
    let moved = world.read("src/controller/app/foo/ours.rs");
    assert_eq!(
        moved,
        "//! Ours.\r\nuse crate::controller::app::foo::status;\r\n"
    );
    let reconcile = world.read("src/controller/app/foo/reconcile.rs");
    assert!(reconcile.contains("groups=app.other.org,"), "{reconcile}");
    assert!(!reconcile.replace("\r\n", "").contains('\n'), "{reconcile}");
}

#[test]
fn lines_that_both_changed_are_left_to_the_user() {
    let world = made(INIT);
    let binding = "config/rbac/role_binding.yaml";
    world.replace(
        binding,
        "kind: ClusterRoleBinding",
        "kind: ClusterRoleBinding # Ours.",
    );
    let edited = world.read(binding);
    insta::assert_snapshot!(world.rop("edit --namespaced").exits(0), @"
    exit: 0
    --- stderr
    note: you edited `config/rbac/role_binding.yaml`: make this change yourself:
      @@ -1,10 +1,11 @@
       apiVersion: rbac.authorization.k8s.io/v1
      -kind: ClusterRoleBinding
      +kind: RoleBinding
       metadata:
         name: manager-rolebinding
      +  namespace: system
       roleRef:
         apiGroup: rbac.authorization.k8s.io
      -  kind: ClusterRole
      +  kind: Role
         name: manager-role
       subjects:
       - kind: ServiceAccount
       update PROJECT
       update README.md
       update config/manager/manager.yaml
       update config/rbac/cart_admin_role.yaml
       update config/rbac/cart_editor_role.yaml
       update config/rbac/cart_viewer_role.yaml
       update config/rbac/foo_admin_role.yaml
       update config/rbac/foo_editor_role.yaml
       update config/rbac/foo_viewer_role.yaml
       update config/rbac/role.yaml
       update tests/cluster/support.rs
       update tests/e2e/samples.rs
    note: `rop deploy` does not delete objects that the project no longer has. After the next deploy, run: `kubectl delete clusterrole/op-cart-admin-role clusterrole/op-cart-editor-role clusterrole/op-cart-viewer-role clusterrole/op-foo-admin-role clusterrole/op-foo-editor-role clusterrole/op-foo-viewer-role clusterrole/op-manager-role`

    next:
      cargo test
    ");
    assert_eq!(world.read(binding), edited);
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = made(INIT);
    let tree = world.tree();
    world
        .rop("edit --multigroup --domain other.org --dry-run")
        .ok();
    assert_eq!(world.tree(), tree);
}

#[test]
fn what_a_cluster_keeps_is_said() {
    let world = made(INIT);
    let edited = world.rop("edit --domain other.org --project-name web --namespaced --owner Me");
    let said = edited.ok().stderr;
    let notes = said.lines().filter(|line| line.starts_with("note: "));
    insta::assert_snapshot!(notes.collect::<Vec<_>>().join("\n"), @"
    note: --owner has no effect without --license: sources have no header
    note: clusters keep the CRDs `foos.app.example.com`, `carts.shop.example.com` and their objects: recreate the objects as `foos.app.other.org`, `carts.shop.other.org` before you delete the old CRDs
    note: clusters keep the operator under its old name. Before you deploy the renamed one, run `kubectl delete validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterrolebindings,clusterroles --selector app.kubernetes.io/name=op`, then `kubectl delete deployment op-controller-manager --namespace op-system`
    note: the field manager is now `web`: fields that `op` set and this operator does not set remain in child objects until you remove them
    note: label selectors with `op` match nothing now: the operator's pods have the label `app.kubernetes.io/name: web`, and its children `app.kubernetes.io/managed-by: web`
    ");
}

/// What names a crate, an object of `config` or a CRD follows. What may mean something else is named.
#[test]
fn names_follow_wherever_a_tool_reads_them() {
    let world = made(INIT);
    let overlay = "config/overlays/prod/kustomization.yaml";
    let code = |krate: &str, domain: &str| {
        format!(
            "use ::{krate}_api::app as b;\nuse {{{krate}_api::app, std::fmt}};\nuse {krate}_api as c;\nuse {krate} as d;\n\
             extern crate {krate};\nconst CRD: &str = include_str!(\"../config/crd/bases/app.{domain}_foos.yaml\");\n\
             // Neither stop nor my_op::x.\n"
        )
    };
    let kustomization = |name: &str| {
        format!(
            "namespace: {name}-system\nresources:\n- ../../default\nlabels:\n- pairs:\n    app.kubernetes.io/name: {name}\n\
             patches:\n- path: a.yaml\n  target:\n    name: {name}-controller-manager\n"
        )
    };
    let folders = ["benches", "examples", "api/examples", "src"];
    for folder in folders {
        world.write(&format!("{folder}/ours.rs"), &code("op", "example.com"));
    }
    world.write(overlay, &kustomization("op"));
    let ours = ["README.md", "docs/ours.md", "hack/logs.sh"];
    for path in ours {
        world.write(
            path,
            "kubectl -n op-system logs deploy/op-controller-manager\n",
        );
    }
    for path in ["docs/other.md", "target/op.txt", ".idea/op.txt"] {
        world.write(path, "stop my-op\n");
    }
    let image = "config/overlays/image.yaml";
    world.write(
        image,
        "image: registry.example.com/op\nnamespace: op-system\n",
    );
    let edited = world.rop("edit --project-name web --domain other.org").ok();
    edited.says(
        "note: these files still have an old name: change it where it does not mean something else, such as a host: \
         `README.md`, `config/overlays/image.yaml`, `docs/ours.md`, `hack/logs.sh`\n",
    );
    for folder in folders {
        let text = world.read(&format!("{folder}/ours.rs"));
        assert_eq!(text, code("web", "other.org"));
    }
    assert_eq!(world.read(overlay), kustomization("web"));
}

#[test]
fn a_setting_that_cannot_be() {
    let world = World::with_api();
    let tree = world.tree();
    for flags in ["--domain a_b", "--project-name kube", "--license gpl"] {
        let _ = world.rop(&format!("edit {flags}")).exits(2);
    }
    let _ = world.rop("edit").exits(2);
    let _ = world.rop("edit --force").exits(2);
    assert_eq!(world.tree(), tree);
}

/// The rest of the machine is behind it.
#[test]
fn a_link_out_of_config_is_skipped() {
    let (world, outside) = (World::with_api(), World::new());
    outside.write("ours.yaml", "namespace: app-operator-system\n");
    symlink("/", world.path().join("config/root")).expect("a link");
    symlink(
        outside.path().join("ours.yaml"),
        world.path().join("config/ours.yaml"),
    )
    .expect("a link");
    world.rop("edit --project-name web").ok().says(
        "note: these links lead out of the project, so files behind them keep the old names: `config/ours.yaml`, `config/root`\n",
    );
    assert_eq!(
        outside.read("ours.yaml"),
        "namespace: app-operator-system\n"
    );
}

/// An edited file is merged, and keeps its order.
#[test]
fn a_name_comes_and_goes_in_an_edited_manifest() {
    let world = made(INIT);
    world.replace("Cargo.toml", "tokio = {", "uuid = \"1\"\ntokio = {");
    let manifest = world.read("Cargo.toml");
    world.rop("edit --project-name web").ok();
    assert!(world.read("Cargo.toml").contains("web-api = "));
    world.rop("edit --project-name op").ok();
    assert_eq!(world.read("Cargo.toml"), manifest);
}

#[test]
fn an_owner_comes_and_goes() {
    let world = made(INIT);
    let tree = world.tree();
    world.rop("edit --owner Me").ok();
    assert!(world.read("PROJECT").contains("owner: Me\n"));
    let said = world.rop_in(".", &["edit", "--owner", ""]).ok().stderr;
    assert!(!said.contains("--owner"), "{said}");
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
    let _ = world.rop_in(".", &["edit", "--owner", " "]).exits(2);
}

/// What a link leads to is not copied to the new place of a controller, and the link stays.
#[test]
fn a_link_beside_a_controller_stays() {
    let (world, outside) = (World::with_api(), World::new());
    outside.write("other.rs", "//! Not of the project.\n");
    let old = "src/controller/app_service";
    world.write(&format!("{old}/mine.rs"), "//! Mine.\n");
    let link = world.path().join(old).join("linked.rs");
    symlink(outside.path().join("other.rs"), &link).expect("a link");
    symlink(outside.path(), world.path().join(old).join("folder")).expect("a link");
    world.rop("edit --multigroup").ok();
    let new = "src/controller/app/app_service";
    assert_eq!(world.read(&format!("{new}/mine.rs")), "//! Mine.\n");
    assert!(!world.path().join(old).join("mine.rs").exists());
    assert!(link.is_symlink());
    for linked in ["linked.rs", "folder"] {
        assert!(!world.path().join(new).join(linked).exists(), "{linked}");
    }
}

/// As secret as before, a program still, and each line as it ended.
#[test]
fn what_moves_stays_as_it_was() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let world = made(INIT);
    let mixed = "// one\r\nconst S: &str = \"a\r\nb\";\nconst T: u8 = 1;\n";
    world.write("src/controller/foo/mixed.rs", mixed);
    world.write("src/controller/foo/run", "echo");
    for (file, mode) in [("mixed.rs", 0o600), ("run", 0o755)] {
        let path = world.path().join("src/controller/foo").join(file);
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("a file");
    }
    let data = world.path().join("src/controller/foo/data.bin");
    std::fs::write(&data, b"\xff\xfe").expect("a file");
    let note = "`src/controller/foo/data.bin` is not UTF-8 text: move it to `src/controller/app/foo/data.bin` yourself";
    world.rop("edit --multigroup").ok().says(note);
    assert!(data.is_file());
    assert_eq!(world.read("src/controller/app/foo/mixed.rs"), mixed);
    for (file, mode) in [("mixed.rs", 0o600), ("run", 0o755)] {
        let path = world.path().join("src/controller/app/foo").join(file);
        let is = std::fs::metadata(path)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(is & 0o777, mode, "{file}");
    }
}

/// As `rop update` does. What does not change is passed over, and `rop check` names the way out.
#[test]
fn a_file_with_merge_conflicts_is_not_rewritten() {
    let world = World::without_runtime();
    let marked = "<<<<<<< ours\n// A.\n=======\n// B.\n>>>>>>> theirs\n";
    for path in ["src/main.rs", "src/state.rs"] {
        world.write(path, &(world.read(path) + marked));
    }
    let tree = world.tree();
    let says = "src/main.rs has merge conflicts: resolve them and run the command again";
    let outcome = world.rop("edit --project-name web").exits(1).says(says);
    assert!(!outcome.stderr.contains("src/state.rs"), "{outcome}");
    assert_eq!(world.tree(), tree);
    let outcome = world.rop("check --skip manifests").exits(3);
    insta::assert_snapshot!(outcome, @"
    exit: 3
    --- stdout
           ok release
     outdated project: src/main.rs (has merge conflicts), src/state.rs (has merge conflicts)
    --- stderr
    error[drift]: out of date: project
    hint: resolve the merge conflicts in src/main.rs, src/state.rs
    ");
}
