//! `rop update`: a project of another release follows this one, and no edit is lost.

mod archive;
mod cases;
mod conflicts;
mod migrations;
mod notes;
mod release;
mod releases;
mod shapes;

use archive::{ARCHIVES, BEFORE_LIBRARY, unpack};

use crate::record::{ADDED, world};
use crate::support::World;
use crate::support::world::differing;

pub(crate) use release::Release;

/// What this release made is up to date, whatever was added to it and whoever edited it.
#[test]
fn a_project_of_this_release_is_up_to_date() {
    for flags in ["", "--multigroup"] {
        for commands in ADDED {
            let world = world(flags);
            let reconcile = match flags {
                "" => "src/controller/app_service/reconcile.rs",
                _ => "src/controller/app/app_service/reconcile.rs",
            };
            world.replace(reconcile, "//!", "//! Ours.\n//!");
            let types = "api/src/app/v1alpha1/app_service.rs";
            world.replace(types, "pub struct", "// Ours.\npub struct");
            for command in commands {
                world.rop(command).ok();
            }
            let tree = world.tree();
            world.rop("update --check").ok().says("up to date with rop");
            world.rop("update").did_nothing();
            assert_eq!(differing(&world.tree(), &tree), [""; 0], "{commands:?}");
        }
    }
}

const OTHER_TEMPLATES: &str =
    "error[older-project]: another build of rop 0.1.0, with other templates";

/// Fails unless a command changes nothing and says to update first.
#[track_caller]
fn assert_refused(world: &World, command: &str, error: &str) {
    let before = world.tree();
    world
        .rop(command)
        .exits(1)
        .says(error)
        .says("hint: run `rop update` first");
    assert_eq!(differing(&world.tree(), &before), [""; 0], "{command}");
}

/// A change between releases would mix the files of both.
#[test]
fn other_commands_refuse_a_project_of_an_older_release() {
    let world = World::without_runtime();
    let before = world.tree();
    Release::of(&world).version("0.0.9");
    for command in [
        "create api --group shop --kind Cart",
        "generate project",
        "edit --multigroup",
        "delete api --group app --kind AppService",
    ] {
        assert_refused(&world, command, "error[older-project]");
    }
    world.rop("update --check").exits(3).says("PROJECT");
    world.rop("update").ok();
    assert_eq!(differing(&world.tree(), &before), [""; 0]);
    world.rop("create api --group shop --kind Cart").ok();
}

/// Those from before the record are known by their files.
#[test]
fn other_commands_refuse_a_project_without_a_record() {
    for archive in [ARCHIVES[0].1, BEFORE_LIBRARY] {
        let world = unpack(archive);
        for command in [
            "create api --group shop --kind Order",
            "generate project",
            "generate deploy",
            "generate docs",
            "generate chart",
            "generate monitoring",
        ] {
            assert_refused(&world, command, OTHER_TEMPLATES);
        }
        world
            .rop("check --skip manifests")
            .exits(3)
            .says("hint: run `rop update` and commit the result\n");
    }
}

/// Releases of one version can have other templates, and projects from before their sum was recorded have none.
#[test]
fn other_commands_refuse_a_project_of_other_templates() {
    let world = World::without_runtime();
    for command in ["generate deploy", "generate docs", "generate chart"] {
        world.rop(command).ok();
    }
    let before = world.tree();
    let record = &before[".rop/record"];
    let line = record.lines().find(|line| line.starts_with("templates "));
    let line = format!("{}\n", line.expect("the templates"));
    // An older build, one from before the line, and a merge with a branch of an older one.
    for lines in ["templates 0\n", "", &format!("{line}templates 0\n")] {
        world.write(".rop/record", &record.replace(&line, lines));
        for command in [
            "create api --group shop --kind Cart",
            "generate project",
            "edit --multigroup",
            "delete api --group app --kind AppService",
            "generate deploy --force",
            "generate docs",
            "generate chart",
        ] {
            assert_refused(&world, command, OTHER_TEMPLATES);
        }
        world.rop("update --check").exits(3).says(".rop/record");
        let check = "check --skip manifests";
        world.rop(check).exits(3).says("hint: run `rop update`");
        world.rop("update").ok();
        assert_eq!(differing(&world.tree(), &before), [""; 0], "{lines}");
        world.rop("update --check").ok();
        world.rop(check).ok();
    }
}

#[test]
fn a_project_of_a_newer_release_is_refused() {
    let world = World::without_runtime();
    Release::of(&world).version("99.0.0");
    world.rop("update").exits(1).says("written by rop 99.0.0");
}
