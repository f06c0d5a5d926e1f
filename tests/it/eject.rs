use std::fs;

use crate::support::World;
use crate::support::cargo::cargo;
use crate::support::world::differing;
use crate::update::Release;

fn library(world: &World) -> Vec<(String, String)> {
    let tree = world.tree().into_iter();
    tree.filter(|(path, _)| path.starts_with("runtime/"))
        .collect()
}

/// An ejected library is the user's: no command changes it.
#[test]
fn the_runtime_becomes_the_users() {
    let world = World::with_api();
    world.replace("runtime/src/lib.rs", "mod action;", "mod action; // mine");
    world.write("runtime/src/mine.rs", "// mine\n");
    let mut before = library(&world);
    let outcome = world.rop("eject runtime").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update Cargo.toml
       update PROJECT
       update README.md
       delete runtime/SUMS

    next:
      cargo test
    ");
    before.retain(|(path, _)| path != "runtime/SUMS");
    assert_eq!(library(&world), before);
    assert!(world.read("PROJECT").contains("\nruntime: path:runtime\n"));
    let tree = world.tree();
    for arguments in [
        "eject runtime",
        "generate project",
        "create api --group app --kind AppService",
    ] {
        world.rop(arguments).did_nothing();
        assert_eq!(world.tree(), tree, "{arguments}");
    }
    world.rop("create api --group app --kind Cache").ok();
    assert_eq!(library(&world), before);
    cargo(&world, "tree --locked --workspace --depth=0")
        .ok()
        .says("rop-runtime v");
}

#[test]
fn what_is_ejected_can_go_back() {
    let world = World::with_api();
    let tree = world.tree();
    world.rop_in("src", &["eject", "runtime"]).ok();
    world.rop("edit --runtime vendored").ok();
    assert_eq!(world.tree(), tree);
    world.rop("eject runtime").ok();
    world.replace("runtime/src/lib.rs", "mod action;", "mod action; // mine");
    let edited = world.tree();
    world
        .rop("edit --runtime vendored")
        .exits(1)
        .says("runtime/src/lib.rs");
    assert_eq!(world.tree(), edited);
    world.rop("edit --runtime vendored --force").ok();
    assert_eq!(world.tree(), tree);
}

/// An update would overwrite what the user edited, so it cannot come first.
#[test]
fn an_older_project_keeps_its_edited_runtime() {
    let world = World::with_api();
    Release::of(&world).version("0.0.9");
    world.replace("runtime/src/lib.rs", "mod action;", "mod action; // mine");
    world.rop("update").exits(1).says("runtime/src/lib.rs");
    let mut before = library(&world);
    before.retain(|(path, _)| path != "runtime/SUMS");
    let outcome = world.rop("eject runtime").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
    note: an older release generated this project: `runtime/` is yours as it is, and `rop update` brings the other files to this release, whose code may need changes of the library: compare `runtime/` with that of a new project
       update PROJECT
       delete runtime/SUMS

    next:
      rop update
    ");
    assert_eq!(library(&world), before);
    world.rop("eject runtime").did_nothing();
    world.rop("update").ok();
    assert_eq!(library(&world), before);
    assert!(world.read("PROJECT").contains("\nruntime: path:runtime\n"));
    world.rop("update").did_nothing();
}

#[test]
fn only_a_vendored_runtime_is_ejected() {
    let world = World::without_runtime();
    insta::assert_snapshot!(world.rop("eject runtime").exits(1), @"
    exit: 1
    --- stderr
    error[runtime-not-vendored]: the runtime is not vendored: PROJECT has `path:../runtime`
    hint: vendor it first: `rop edit --runtime vendored`
    ");
    let world = World::with_api();
    fs::remove_dir_all(world.path().join("runtime")).expect("a folder");
    world
        .rop("eject runtime")
        .exits(1)
        .says("`runtime/Cargo.toml` does not exist, so there is nothing to take over")
        .says("or generate them: `rop generate project`");
    let world = World::with_api();
    world.rop("eject runtime").ok();
    fs::remove_dir_all(world.path().join("runtime")).expect("a folder");
    world
        .rop("eject runtime")
        .exits(1)
        .says("or generate them: `rop edit --runtime vendored`");
    World::new()
        .rop("eject runtime")
        .exits(1)
        .says("error[no-project]");
    World::new().rop("eject").exits(2);
    let world = World::with_api();
    let tree = world.tree();
    world
        .rop("eject runtime --dry-run")
        .ok()
        .says("delete runtime/SUMS");
    assert_eq!(world.tree(), tree);
}

#[test]
fn the_source_can_be_edited() {
    let world = World::with_api();
    let tree = world.tree();
    for package in ["", "[package]\nname = \"other\"\n"] {
        world.write("../other/Cargo.toml", package);
        for command in ["edit", "init new --domain example.com"] {
            world
                .rop(&format!("{command} --runtime path:../other"))
                .exits(2)
                .says("error[invalid-name]: invalid runtime `path:../other`: `../other` does not have the package `rop-runtime`");
        }
    }
    assert!(!world.path().join("new").exists());
    for (source, line) in [
        ("0.1", "rop-runtime = { version = \"0.1\" }"),
        ("path:../runtime", "rop-runtime = { path = \"../runtime\" }"),
        (
            "git:https://example.com/r#v1",
            "rop-runtime = { git = \"https://example.com/r\", rev = \"v1\" }",
        ),
    ] {
        world.rop(&format!("edit --runtime {source}")).ok();
        assert!(world.read("Cargo.toml").contains(line), "{source}");
        assert!(!world.path().join("runtime").exists(), "{source}");
        world.rop(&format!("edit --runtime {source}")).did_nothing();
        world.rop("edit --runtime vendored").ok();
        assert_eq!(differing(&world.tree(), &tree), [""; 0], "{source}");
    }
    world
        .rop("edit --runtime newest")
        .exits(2)
        .says("invalid runtime `newest`");
}
