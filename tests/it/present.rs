//! What PROJECT lists and the disk lacks is named.

use crate::support::World;

fn multigroup() -> World {
    let world = World::with_api();
    world.replace("PROJECT", "projectName:", "multigroup: true\nprojectName:");
    world
}

#[test]
fn a_project_that_was_made_multigroup_by_hand() {
    let world = multigroup();
    let before = world.tree();
    let outcome = world.rop("create api --group app --kind Cache").exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[files-missing]: PROJECT lists files that do not exist:
      `src/controller/app/app_service`, the controller of app/v1alpha1 AppService (found in `src/controller/app_service`)
      `tests/cluster/app/app_service`, the tests of app/v1alpha1 AppService (found in `tests/cluster/app_service`)
    hint: restore the files, or revert the change in PROJECT
    hint: or move the files: `rop generate project`
    ");
    assert_eq!(world.tree(), before);
    // What it says is enough.
    for folder in ["src/controller", "tests/cluster"] {
        let folder = world.path().join(folder);
        std::fs::create_dir(folder.join("app")).expect("a folder");
        for (from, to) in [
            ("app_service", "app/app_service"),
            ("app_service.rs", "app/app_service.rs"),
        ] {
            if folder.join(from).exists() {
                std::fs::rename(folder.join(from), folder.join(to)).expect("moved");
            }
        }
    }
    world.rop("create api --group app --kind AppService").ok();
    assert!(
        world
            .read("src/controller/mod.rs")
            .contains("app::app_service::register")
    );
    world
        .rop("create api --group app --kind AppService")
        .did_nothing();
}

/// A command that generates no code from PROJECT goes on.
#[test]
fn other_commands_say_so() {
    let outcome = multigroup().rop("generate deploy --dry-run").ok();
    outcome
        .says("note: PROJECT lists files that do not exist:\n  `src/controller/app/app_service`");
}

#[test]
fn types_that_were_removed() {
    let world = World::with_api();
    std::fs::remove_dir_all(world.path().join("api/src/app/v1alpha1")).expect("types");
    insta::assert_snapshot!(world.rop("init --domain example.com").exits(1), @"
    exit: 1
    --- stderr
    error[files-missing]: PROJECT lists files that do not exist:
      `api/src/app/v1alpha1/app_service`, the types of app/v1alpha1 AppService
    hint: restore the files, or revert the change in PROJECT
    hint: or generate new files: `rop generate project`
    ");
}
