//! What an update says of files that it deletes, and of those that it takes for others.

use std::fs;

use super::Release;
use crate::support::World;

/// A kind was removed from PROJECT by hand, and `rop generate project` did not run before the update.
#[test]
fn kinds_that_are_no_longer_listed_are_named() {
    let world = World::without_runtime();
    world
        .rop("create api --group shop --kind Cart --template minimal")
        .ok();
    let text = world.read("PROJECT");
    let (rest, _) = text.rsplit_once("- api:\n").expect("a kind");
    world.write("PROJECT", &format!("{rest}version: \"3\"\n"));
    let release = Release::of(&world);
    release.had("deny.toml", "# Former.\n[", "[");
    release.version("0.0.9");
    let note = "note: PROJECT no longer lists `shop/v1alpha1 Cart`, so their generated files are deleted if you did \
                not edit them. To keep the files, restore the entries in PROJECT\n";
    world.rop("update --check").exits(3).says(note);
    for command in ["update --dry-run", "update"] {
        let outcome = world.rop(command).ok();
        outcome
            .says(note)
            .says("delete api/src/shop/v1alpha1/cart.rs")
            .says("kubectl delete crd carts.shop.example.com");
    }
    world.rop("update").did_nothing();
}

/// A file was moved, and copied.
#[test]
fn copies_of_a_moved_file_are_named() {
    let world = World::without_runtime();
    Release::of(&world).had("deny.toml", "# Former.\n[", "[");
    let text = world.read("deny.toml");
    fs::remove_file(world.path().join("deny.toml")).expect("a file");
    world.write("a/deny.toml", &format!("{text}# Ours.\n"));
    world.write("b/deny.toml", &text);
    world.rop("update").ok().says(
        "note: `deny.toml` was moved, and several files are similar to it: `b/deny.toml` is updated, as the most \
        similar one, but not `a/deny.toml`. To update another one, restore the files and move `b/deny.toml` out of \
        the project first\n",
    );
    assert!(world.read("a/deny.toml").contains("# Former."));
    assert!(!world.read("b/deny.toml").contains("# Former."));
}
