//! What a release moved: the user's code before and after.

use super::archive::{BEFORE_LIBRARY, unpack};
use crate::support::World;

/// A project with a file of the user's, after an update.
fn updated(release: &str, path: &str, text: &str) -> (World, String) {
    let world = unpack(release);
    world.write(path, text);
    let outcome = world.rop("update").ok();
    (world, outcome.stderr)
}

#[test]
fn the_checks_of_types_moved_to_the_library() {
    let archive = include_str!("archives/2026-11-26.txt");
    let path = "tests/api/ours.rs";
    let text = "use crate::support::check;\n\n#[test]\nfn ours() {\n    let _ = check;\n}\n";
    let (world, stderr) = updated(archive, path, text);
    assert!(!world.path().join("tests/api/support.rs").exists());
    let expected = text.replace("crate::support", "rop_runtime::testing");
    assert_eq!(world.read(path), expected, "{stderr}");
    let list = "\nuse crate::support::{check};\n";
    let (world, stderr) = updated(archive, path, list);
    assert_eq!(world.read(path), list);
    let note = "tests/api/ours.rs:2 still names `crate::support`: `check` is in `rop_runtime::testing` now";
    assert!(stderr.contains(note), "{stderr}");
}

#[test]
fn modules_of_the_former_library_are_named() {
    let world = unpack(BEFORE_LIBRARY);
    world.write("src/ours.rs", "//! Ours.\n\nuse crate::runtime::Context;\n");
    world.rop("update --conflicts=markers").exits(1).says(
        "src/ours.rs:3 still names `crate::runtime`: the library is the crate `rop_runtime` now",
    );
}
