//! Controllers without types: of kinds of Kubernetes, and several of one kind.

use crate::support::World;
use crate::support::world::differing;

const DEPLOYMENT: &str =
    "create api --group apps --version v1 --kind Deployment --resource=false --controller";
const BACKUP: &str = "create api --group app --kind AppService --resource=false --controller --controller-name backup";

#[test]
fn of_a_kind_of_kubernetes() {
    let world = World::with_project();
    let outcome = world.rop(DEPLOYMENT).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update .github/workflows/ci.yml
       update AGENTS.md
       update Makefile
       update PROJECT
       update README.md
       update config/rbac/role.yaml
       create src/controller/deployment/fixture.rs
       create src/controller/deployment/fixture.yaml
       create src/controller/deployment/mod.rs
       create src/controller/deployment/reconcile.rs
       update src/controller/mod.rs
       create tests/cluster/deployment.rs
       create tests/cluster/main.rs
       create tests/cluster/support.rs
       create tests/e2e/main.rs
       create tests/e2e/samples.rs
       create tests/simulation.rs

    next:
      edit src/controller/deployment/reconcile.rs
      cargo test
    ");
    let project = world.read("PROJECT");
    let entry = "\
resources:
- core: true
  controller: true
  group: apps
  kind: Deployment
  path: k8s_openapi::api::apps::v1
  version: v1
";
    assert!(project.contains(entry), "{project}");
    let role = world.read("config/rbac/role.yaml");
    let rule = "  - deployments\n  verbs:\n  - list\n  - patch\n  - watch\n";
    assert!(role.contains(rule), "{role}");
    assert!(!role.contains("deployments/"), "{role}");
    world.rop(DEPLOYMENT).did_nothing();
    world
        .rop("create api --group apps --kind Deployment --no-resource")
        .did_nothing();
}

/// A webhook of the kind is in the same entry.
#[test]
fn webhooks_and_controllers_of_a_kind_share_an_entry() {
    let webhook = "create webhook --group core --kind Pod --validation";
    let controller = "create api --group core --kind Pod --resource=false";
    let worlds = [[webhook, controller], [controller, webhook]].map(|commands| {
        let world = World::with_project();
        for command in commands {
            world.rop(command).ok();
        }
        world
    });
    assert_eq!(differing(&worlds[0].tree(), &worlds[1].tree()), [""; 0]);
    for world in worlds {
        let project = world.read("PROJECT");
        assert_eq!(project.matches("core: true").count(), 1, "{project}");
    }
}

#[test]
fn several_of_one_kind() {
    let world = World::with_api();
    world
        .rop("create api --group shop --kind Cart --template minimal --controller=false")
        .ok();
    let outcome = world.rop(BACKUP).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update PROJECT
       update config/rbac/role.yaml
       create src/controller/backup/fixture.rs
       create src/controller/backup/mod.rs
       create src/controller/backup/reconcile.rs
       update src/controller/mod.rs
       create tests/cluster/backup.rs
       update tests/cluster/main.rs

    next:
      edit src/controller/backup/reconcile.rs
      cargo test
    ");
    let project = world.read("PROJECT");
    assert!(
        project.find("kind: AppService") < project.find("kind: Cart"),
        "it has moved: {project}"
    );
    let entry = "  controllers:\n  - name: appservice\n  - name: backup\n";
    assert!(project.contains(entry), "{project}");
    assert!(!project.contains("controller: true"), "{project}");
    let code = world.read("src/controller/backup/mod.rs");
    assert!(code.contains(".named(\"backup\")"), "{code}");
    let code = world.read("src/controller/backup/reconcile.rs");
    assert!(!code.contains("/status"), "{code}");
    world.rop(BACKUP).did_nothing();
    // The first one has the name of its kind.
    let first = "create api --group app --kind AppService --resource=false";
    world.rop(first).did_nothing();
    world
        .rop(&format!("{first} --controller-name appservice"))
        .did_nothing();
}

/// In a project with several groups the group is in the name, as kubebuilder has it.
#[test]
fn several_of_one_kind_in_a_multigroup_project() {
    let world = World::new();
    world
        .rop("init --domain example.com --multigroup --api app/AppService")
        .ok();
    world.rop(BACKUP).ok();
    world
        .rop(&format!("{DEPLOYMENT} --controller-name backup"))
        .ok();
    let code = world.read("src/controller/app/backup/mod.rs");
    assert!(code.contains(".named(\"app-backup\")"), "{code}");
    let code = world.read("src/controller/apps/backup/mod.rs");
    assert!(code.contains(".named(\"apps-backup\")"), "{code}");
}

#[test]
fn what_cannot_be_is_refused() {
    let world = World::with_api();
    world.rop("create api --group app --kind Pod").ok();
    world.rop(BACKUP).ok();
    let tree = world.tree();
    let refused = |arguments: &str| world.rop(&format!("create api {arguments}")).exits(2);
    insta::assert_snapshot!(refused("--group app --kind Deployment --resource=false"), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app Deployment: not in this project, and not built into Kubernetes
    hint: did you mean `--group apps --kind Deployment`?
    ");
    insta::assert_snapshot!(refused("--group apps --version v1beta1 --kind Deployment --resource=false"), @"
    exit: 2
    --- stderr
    error[unknown-version]: apps Deployment has no version `v1beta1`
    hint: use one of its versions: v1
    ");
    insta::assert_snapshot!(refused("--group app --version v1 --kind AppService --resource=false"), @"
    exit: 2
    --- stderr
    error[unknown-version]: app AppService has no version `v1`
    hint: use one of its versions: v1alpha1
    ");
    insta::assert_snapshot!(refused("--group apps --kind Deployment --resource=false --finalizer"), @"
    exit: 2
    --- stderr
    error[unsupported-finalizer]: `--finalizer` is only for the project's own kinds: without the operator, apps/v1 Deployment objects with its finalizer could not be deleted
    hint: remove `--finalizer`; for a cleanup by hand, see the page Finalizers of rop's book
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --resource=false --controller-name other --finalizer"), @"
    exit: 2
    --- stderr
    error[unsupported-finalizer]: `--finalizer` is only for the first controller of app/v1alpha1 AppService, not for `other`
    hint: remove `--finalizer`; for a cleanup by hand, see the page Finalizers of rop's book
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --controller-name other"), @"
    exit: 2
    --- stderr
    error[conflicting-flags]: `--controller-name` adds a controller to an existing kind and creates no types
    hint: add `--resource=false`
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --resource=false --controller-name Back_up"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid controller name `Back_up`: only lowercase letters, digits and `-` are allowed, not 'B'
    hint: did you mean `back-up`?
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --resource=false --controller-name back-up"), @"
    exit: 2
    --- stderr
    error[name-taken]: the controllers `backup` and `back-up` of app/v1alpha1 AppService differ only in `-`
    hint: choose another name with `--controller-name`
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --resource=false --controller-name pod"), @"
    exit: 2
    --- stderr
    error[name-taken]: the controllers of app/v1alpha1 AppService and app/v1alpha1 Pod would both be named `pod`
    hint: choose another name with `--controller-name`
    ");
    insta::assert_snapshot!(refused("--group core --kind Pod --resource=false"), @"
    exit: 2
    --- stderr
    error[path-taken]: core/v1 Pod and app/v1alpha1 Pod would both have the files `src/controller/pod/`
    hint: use a directory for each group: `--multigroup` with `rop init` or `rop edit`
    ");
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_namespaced_operator_watches_nothing_of_the_cluster() {
    let world = World::new();
    world.rop("init --domain example.com --namespaced").ok();
    let node = world.rop("create api --group core --kind Node --resource=false");
    insta::assert_snapshot!(node.exits(2), @"
    exit: 2
    --- stderr
    error[scope-conflict]: core/v1 Node is cluster-scoped, but a namespaced operator cannot watch it
    hint: let the operator watch all namespaces: `rop edit --namespaced=false`
    ");
    world.rop(DEPLOYMENT).ok();
    assert!(world.read("config/rbac/role.yaml").contains("kind: Role\n"));
}

#[test]
fn flags_about_types_have_no_effect() {
    let world = World::with_project();
    world
        .rop(&format!("{DEPLOYMENT} --plural deploys --template minimal"))
        .ok()
        .says("note: --plural has no effect without types")
        .says("note: --template has no effect without types");
}

#[test]
fn a_dry_run_writes_nothing() {
    let world = World::with_project();
    let tree = world.tree();
    world
        .rop(&format!("{DEPLOYMENT} --dry-run"))
        .ok()
        .says("create src/controller/deployment/reconcile.rs");
    assert_eq!(world.tree(), tree);
}

/// What PROJECT lists no more goes, with what it had in tests and role.
#[test]
fn what_was_taken_out_of_project_goes() {
    let of_kubernetes = format!("{DEPLOYMENT} --controller-name rollouts");
    let v1 = "create api --group autoscaling --version v1 --kind HorizontalPodAutoscaler --resource=false";
    for (create, flags) in [
        (DEPLOYMENT, ""),
        (BACKUP, ""),
        (BACKUP, "--multigroup"),
        (&*of_kubernetes, "--multigroup"),
        (v1, ""),
    ] {
        let world = World::new();
        let init = "init --domain example.com --api app/AppService";
        world.rop(&format!("{init} {flags}")).ok();
        let (tree, project) = (world.tree(), world.read("PROJECT"));
        world.rop(create).ok();
        world.write("PROJECT", &project);
        world.rop("generate project").ok();
        assert_eq!(differing(&tree, &world.tree()), [""; 0], "{create} {flags}");
        world.rop("generate project").did_nothing();
    }
}

/// A kind goes with all of its controllers.
#[test]
fn a_kind_goes_with_its_controllers() {
    let world = World::with_api();
    let (tree, project) = (world.tree(), world.read("PROJECT"));
    world
        .rop("create api --group shop --kind Cart --template minimal")
        .ok();
    world
        .rop("create api --group shop --kind Cart --resource=false --controller-name audit")
        .ok();
    world.write("PROJECT", &project);
    world.rop("generate project").ok();
    assert_eq!(differing(&tree, &world.tree()), [""; 0]);
}

#[test]
fn an_edited_controller_is_not_deleted_unasked() {
    let world = World::with_api();
    let project = world.read("PROJECT");
    world.rop(BACKUP).ok();
    world.replace(
        "src/controller/backup/mod.rs",
        "//! An additional",
        "//! Our",
    );
    world.write("PROJECT", &project);
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("generate project").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      src/controller/backup/mod.rs would be deleted, but you edited it
    hint: move your changes elsewhere, or delete the files with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world.rop("generate project --force").ok();
    assert!(!world.path().join("src/controller/backup").exists());
}

/// What PROJECT lists and is not there is made.
#[test]
fn what_was_added_to_project_is_made() {
    for create in [DEPLOYMENT, BACKUP] {
        let (world, other) = (World::with_api(), World::with_api());
        other.rop(create).ok();
        world.write("PROJECT", &other.read("PROJECT"));
        world
            .rop("create api --group shop --kind Cart")
            .exits(1)
            .says("PROJECT lists files that do not exist");
        world.rop("generate project").ok();
        assert_eq!(differing(&other.tree(), &world.tree()), [""; 0]);
    }
}

/// They are in a folder of their group, with what their user wrote.
#[test]
fn controllers_move_with_multigroup() {
    let [flat, grouped] = ["", "--multigroup"].map(|flags| {
        let world = World::new();
        let init = "init --domain example.com --api app/AppService";
        world.rop(&format!("{init} {flags}")).ok();
        world.rop(BACKUP).ok();
        world.rop(DEPLOYMENT).ok();
        world
    });
    for (world, folder) in [(&flat, "src/controller"), (&grouped, "src/controller/apps")] {
        let file = format!("{folder}/deployment/reconcile.rs");
        world.replace(&file, "//! Reconciles", "//! Ours.\n//! Reconciles");
        world.write(&format!("{folder}/deployment/helper.rs"), "//! Ours.\n");
    }
    flat.write("PROJECT", &grouped.read("PROJECT"));
    flat.rop("generate project").ok();
    assert_eq!(differing(&grouped.tree(), &flat.tree()), [""; 0]);
}
