//! Every command run twice plans nothing the second time.

use rop::project::Template;

use crate::support::World;
use crate::support::cargo::rop;

#[test]
fn init() {
    for arguments in [
        "init --domain example.com",
        "init --domain example.com --namespaced --multigroup --license mit --owner Me --project-name x",
        "init --domain example.com --api app/AppService --api app/v1/Cache",
    ] {
        let world = World::new();
        world.rop(arguments).ok();
        let tree = world.tree();
        world.rop(arguments).did_nothing();
        assert_eq!(world.tree(), tree);
    }
}

#[test]
fn create_api() {
    for template in Template::all() {
        for more in [
            "",
            "--controller=false",
            "--finalizer",
            "--cluster-scoped --short-name x --category all",
        ] {
            let world = World::with_project();
            let arguments =
                format!("create api --group app --kind AppService --template {template} {more}");
            world.rop(&arguments).ok();
            let tree = world.tree();
            world.rop(&arguments).did_nothing();
            assert_eq!(world.tree(), tree);
        }
    }
}

#[test]
fn update() {
    let world = World::with_api();
    let tree = world.tree();
    for _ in 0..2 {
        world.rop("update").did_nothing();
        assert_eq!(world.tree(), tree);
    }
}

#[test]
fn create_webhook() {
    for flags in ["", "--multigroup"] {
        let world = World::new();
        let init = "init --domain example.com --api app/AppService";
        world.rop(&format!("{init} {flags}")).ok();
        for arguments in [
            "--group app --kind AppService --defaulting",
            "--group app --kind AppService --validation --validation-path /validate",
            "--group core --kind Pod --defaulting --validation",
        ] {
            let arguments = format!("create webhook {arguments}");
            world.rop(&arguments).ok();
            let tree = world.tree();
            for arguments in [&*arguments, "generate project"] {
                world.rop(arguments).did_nothing();
                assert_eq!(world.tree(), tree, "{arguments}");
            }
        }
    }
}

#[test]
fn create_policy() {
    for flags in ["", "--multigroup"] {
        let world = World::new();
        let init = "init --domain example.com --api app/AppService";
        world.rop(&format!("{init} {flags}")).ok();
        for arguments in [
            "--group app --kind AppService --validating",
            "--group core --kind Pod --validating --mutating",
        ] {
            let arguments = format!("create policy {arguments}");
            world.rop(&arguments).ok();
            let tree = world.tree();
            for arguments in [&*arguments, "generate project"] {
                world.rop(arguments).did_nothing();
                assert_eq!(world.tree(), tree, "{arguments}");
            }
        }
    }
}

#[test]
fn commands_on_a_whole_project() {
    let world = World::with_api();
    for arguments in [
        "generate docs",
        "generate monitoring",
        "eject runtime",
        "edit --runtime 0.1",
        "edit --runtime vendored",
        "man --output man1",
    ] {
        world.rop(arguments).ok();
        let tree = world.tree();
        for arguments in [arguments, "generate project"] {
            world.rop(arguments).did_nothing();
            assert_eq!(world.tree(), tree, "{arguments}");
        }
    }
}

#[test]
fn the_commands_of_old() {
    let world = World::new();
    let add = "--api-version=app.example.com/v1 --kind=AppService";
    for arguments in [
        "new .".to_owned(),
        format!("add api {add}"),
        format!("add controller {add}"),
        "generate deploy".to_owned(),
    ] {
        world.rop(&arguments).ok();
        let tree = world.tree();
        world.rop(&arguments).did_nothing();
        assert_eq!(world.tree(), tree, "{arguments}");
    }
}

/// A manifest follows the code, not the template that it started from.
#[test]
fn generated_manifests_stay() {
    let world = World::with_api();
    let (types, crd) = (
        "api/src/app/v1alpha1/app_service.rs",
        "config/crd/bases/app.example.com_appservices.yaml",
    );
    world.replace(types, "range(min = 0)", "range(min = 0, max = 10)");
    rop(&world, "generate manifests").ok();
    let generated = world.read(crd);
    assert!(generated.contains("maximum: 10"), "{generated}");
    world.rop("create api --group app --kind Cache").ok();
    world.rop("init --domain example.com").did_nothing();
    assert_eq!(world.read(crd), generated);
}

/// What the user did to a project does not come back as a plan.
#[test]
fn edits_and_deletions_of_the_user_stay() {
    let world = World::with_api();
    world.replace(
        "config/crd/kustomization.yaml",
        "resources:",
        "namePrefix: x-\nresources:",
    );
    let reconcile = "src/controller/app_service/reconcile.rs";
    world.write(reconcile, &format!("{}// mine\n", world.read(reconcile)));
    std::fs::remove_file(world.path().join("README.md")).expect("a README");
    std::fs::remove_dir_all(world.path().join("config/samples")).expect("samples");
    // Tests of a cluster ask for no sample that is gone.
    world.rop("generate project").ok();
    let tree = world.tree();
    world
        .rop("create api --group app --kind AppService --controller=true")
        .did_nothing();
    assert_eq!(world.tree(), tree);
}
