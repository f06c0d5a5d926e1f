//! The folder `runtime/` of a project: rop's as a whole.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::support::World;
use crate::support::cargo::as_vendored;
use crate::support::world::tree;

const SUMS: &str = "runtime/SUMS";
/// A source of some length.
const SOURCE: &str = "runtime/src/events.rs";

/// What says nothing new, and looks at everything.
const AGAIN: &str = "init --domain example.com";

fn remove(world: &World, path: &str) {
    std::fs::remove_file(world.path().join(path)).expect("a file");
}

/// Every file of the crate is there as the repository has it, but for those of its own tests.
#[test]
fn is_the_crate_as_it_stands_in_the_repository() {
    let world = World::new();
    world
        .rop("init --domain example.com --license mit --owner Me")
        .ok();
    let crate_ = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    let mut vendored = tree(&world.path().join("runtime"));
    let sums = vendored.remove("SUMS").expect("the sums");
    assert_eq!(sums.lines().count(), 1 + vendored.len(), "{sums}");
    let format = vendored.remove("rustfmt.toml");
    assert_eq!(format.as_deref(), Some("disable_all_formatting = true\n"));
    let parts = ["Cargo.toml", "LICENSE", "README.md", "src/"];
    let mut original = tree(&crate_);
    let is_test = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    original.retain(|path, _| parts.iter().any(|part| path.starts_with(part)) && !is_test(path));
    for text in original.values_mut() {
        *text = as_vendored(text);
        assert!(!text.contains("mod tests;"), "{text}");
    }
    assert!(original.len() > 10, "{:?}", original.keys());
    // Lints of other toolchains than rop's are not the user's to fix.
    let library = "src/lib.rs";
    let text = vendored.get_mut(library).expect("the library");
    let preface = "#![allow(warnings, clippy::all, clippy::pedantic)]\n";
    let (_, body) = text.split_once(preface).expect("a preface");
    *text = body.to_owned();
    assert!(vendored == original, "{:?}", vendored.keys());
}

#[test]
fn an_edit_is_named_by_its_file() {
    let world = World::with_project();
    world.write(SOURCE, &format!("{}// mine\n", world.read(SOURCE)));
    world.replace(
        "runtime/Cargo.toml",
        "name = \"rop-runtime\"",
        "name = \"mine\"",
    );
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("create api --group app --kind Cache").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: 2 files have local changes; nothing was written:
      runtime/Cargo.toml is generated but was edited by hand
      runtime/src/events.rs is generated but was edited by hand
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
    assert_eq!(world.tree(), tree);
    let forced = world.rop("create api --group app --kind Cache --force");
    let forced = forced.ok().says("overwrite runtime/src/events.rs");
    assert!(!world.read(SOURCE).contains("mine"), "{forced}");
    world.rop(AGAIN).did_nothing();
}

/// It is kept, and the folder is no place for it.
#[test]
fn a_file_of_the_users_is_named() {
    let world = World::with_project();
    for path in [
        "runtime/src/mine.rs",
        "runtime/target/a",
        "runtime/.idea/a",
        "runtime/Cargo.lock",
    ] {
        world.write(path, "");
    }
    let note = "note: `runtime/` is generated as a whole, but has files of yours: move them elsewhere: `runtime/src/mine.rs`\n";
    world.rop(AGAIN).ok().says(note);
    world
        .rop("create api --group app --kind Cache")
        .ok()
        .says(note);
    world.rop("generate project").ok().says(note);
    remove(&world, "runtime/src/mine.rs");
    world.rop(AGAIN).did_nothing();
}

#[test]
fn what_is_missing_is_written_again() {
    let world = World::with_project();
    let before = world.tree();
    for path in [SOURCE, SUMS] {
        remove(&world, path);
        let json = world.rop(&format!("{AGAIN} --json")).ok().stdout;
        let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(
            report["changes"],
            serde_json::json!([{"path": path, "action": "create", "ownership": "vendored"}])
        );
        assert_eq!(world.tree(), before);
    }
    std::fs::remove_dir_all(world.path().join("runtime")).expect("a folder");
    world
        .rop(&format!("{AGAIN} --dry-run"))
        .ok()
        .says("create runtime/src/events.rs");
    let count = before.keys().filter(|path| path.starts_with("runtime/"));
    let line = format!("create runtime/ ({} files)", count.count());
    world.rop(AGAIN).ok().says(&line);
    assert_eq!(world.tree(), before);
}

/// Nor are line ends of another system.
#[test]
fn formatting_is_no_edit() {
    let world = World::with_project();
    world.write(SOURCE, &world.read(SOURCE).replace("    ", "\t"));
    for path in ["runtime/Cargo.toml", SUMS] {
        world.write(path, &world.read(path).replace('\n', "\r\n"));
    }
    let tree = world.tree();
    world.rop(AGAIN).did_nothing();
    assert_eq!(world.tree(), tree);
}

/// What an older release wrote, and nobody edited since, gives way.
#[test]
fn another_release_brings_another_runtime() {
    let world = World::with_project();
    let before = world.tree();
    older_release(&world);
    world
        .rop(AGAIN)
        .ok()
        .says("update runtime/SUMS")
        .says("update runtime/src/events.rs");
    assert_eq!(world.tree(), before);
    // One that was edited does not.
    older_release(&world);
    world.write(SOURCE, &format!("{}// mine\n", world.read(SOURCE)));
    world
        .rop(AGAIN)
        .exits(1)
        .says("runtime/src/events.rs is generated but was edited by hand");
}

/// Makes the folder look as if an older release had written another source.
fn older_release(world: &World) {
    use rop::plan::{Text, Tree};
    let folder = tree(&world.path().join("runtime"));
    let mut folder: std::collections::BTreeMap<_, _> = folder.into_iter().collect();
    folder.remove("SUMS");
    folder.insert("src/events.rs".into(), "//! Of old.\n".into());
    let mut older = Tree::default();
    let files = folder
        .iter()
        .map(|(path, text)| (&**path, Text::from(text.clone())));
    older.vendor("runtime", files);
    for file in older.files() {
        world.write(file.path(), file.text());
    }
}

#[test]
fn the_sums_are_rops_too() {
    let world = World::with_project();
    world.replace(SUMS, "  src/events.rs", "  src/others.rs");
    world
        .rop(AGAIN)
        .exits(1)
        .says("runtime/SUMS is generated but was edited by hand");
    world.rop(&format!("{AGAIN} --force")).ok();
    world.rop(AGAIN).did_nothing();
}

/// A folder of that name, from before.
#[test]
fn a_folder_that_is_there() {
    let world = World::new();
    world.write("runtime/Cargo.toml", "[package]\nname = \"mine\"\n");
    world
        .rop(AGAIN)
        .exits(1)
        .says("runtime/Cargo.toml already exists");
    world.rop(&format!("{AGAIN} --runtime 0.1")).ok();
}

/// What was rop's, and was not changed since, is not read again. Whatever happened to a file in between, an edit of it is
/// named.
#[cfg(unix)]
#[test]
fn an_edit_of_what_was_seen_is_named() {
    let edits: [fn(&World); 5] = [
        edit,
        // Another folder takes the place of its own.
        |world| {
            let folder = world.path().join("runtime/src");
            let [old, new] = ["old", "new"].map(|name| world.path().join("runtime").join(name));
            for (path, text) in tree(&folder) {
                world.write(&format!("runtime/new/{path}"), &text);
            }
            std::fs::rename(&folder, old).expect("a folder");
            std::fs::rename(new, &folder).expect("a folder");
            edit(world);
        },
        // With the time that the file had.
        |world| {
            let path = world.path().join(SOURCE);
            let time = std::fs::metadata(&path).and_then(|it| it.modified());
            edit(world);
            let file = std::fs::File::options().write(true).open(path);
            let file = file.expect("a file");
            file.set_modified(time.expect("a time")).expect("a time");
        },
        // Another file takes its place.
        |world| {
            let path = world.path().join(SOURCE);
            let other = world.path().join("other.rs");
            std::fs::copy(&path, &other).expect("a copy");
            edit(world);
            std::fs::rename(&path, &other).expect("a file");
            std::fs::rename(&other, &path).expect("a file");
        },
        // Behind a link.
        |world| {
            edit(world);
            let path = world.path().join(SOURCE);
            let moved = world.path().join("runtime/src/moved.rs");
            std::fs::rename(&path, moved).expect("a file");
            std::os::unix::fs::symlink("moved.rs", path).expect("a link");
        },
    ];
    for edit in edits {
        let world = World::with_project();
        sleep(Duration::from_millis(150));
        world.rop("create api --group app --kind Cache").ok();
        edit(&world);
        world
            .rop("create api --group app --kind Other")
            .exits(1)
            .says(&format!("{SOURCE} is generated but was edited by hand"));
    }
}

/// Changes one letter.
fn edit(world: &World) {
    world.replace(SOURCE, "use ", "Use ");
}

/// What is noted came with a clone, or is of files that were changed since.
#[cfg(unix)]
#[test]
fn what_a_clone_brings_was_not_seen() {
    let world = World::with_project();
    sleep(Duration::from_millis(150));
    world.rop("create api --group app --kind Cache").ok();
    let seen = world.read(".rop/seen");
    edit(&world);
    for text in [seen, String::new(), "\0".repeat(100)] {
        world.write(".rop/seen", &text);
        world
            .rop("create api --group app --kind Other")
            .exits(1)
            .says(&format!("{SOURCE} is generated but was edited by hand"));
    }
    world
        .rop("create api --group app --kind Other --force")
        .ok()
        .says(&format!("overwrite {SOURCE}"));
    let outside = World::new();
    outside.write("mine.txt", "mine");
    std::fs::remove_file(world.path().join(".rop/seen")).expect("a file");
    let link = world.path().join(".rop/seen");
    std::os::unix::fs::symlink(outside.path().join("mine.txt"), &link).expect("a link");
    sleep(Duration::from_millis(150));
    world.rop("create api --group app --kind Third").ok();
    assert_eq!(outside.read("mine.txt"), "mine");
    assert!(!link.is_symlink());
}
