//! Projects that older releases made, with random edits.

use std::collections::BTreeMap;
use std::fs;

use fastrand::Rng;

use super::archive::{ARCHIVES, BEFORE_LIBRARY, unpack};
use crate::support::cargo::{cargo, rop};
use crate::support::world::differing;
use crate::support::{World, seeds};

/// How many times each project is edited and updated.
const ROUNDS: u64 = 10;
const EDITS: usize = 10;

/// What nobody edited is what this release makes of PROJECT.
#[test]
fn unedited_projects_become_new_ones() {
    for (release, archive) in ARCHIVES {
        let world = unpack(archive);
        world.rop("update --check").exits(3);
        world.rop("update").ok();
        let tree = world.tree();
        world.rop("update").did_nothing();
        let fresh = World::new();
        fresh.write("PROJECT", &tree["PROJECT"]);
        fresh.rop("generate project").ok();
        let fresh = fresh.tree();
        let differing = differing(&tree, &fresh);
        let differing: Vec<_> = differing
            .into_iter()
            .filter(|path| !path.starts_with(".rop/"))
            .collect();
        assert_eq!(differing, [""; 0], "{release}");
    }
}

/// No edit is lost, what cannot be merged changes nothing, and the same again changes nothing.
#[test]
fn random_edits_survive() {
    let (mut merged, mut refused) = (0, 0);
    for (release, archive) in ARCHIVES {
        for seed in seeds(ROUNDS) {
            let world = unpack(archive);
            let edits = edit(&world, &mut Rng::with_seed(seed));
            let (is_merged, at) = update_edited(&world, &edits, &format!("{release}, seed {seed}"));
            if is_merged {
                merged += 1;
            } else {
                refused += 1;
            }
            let tree = world.tree();
            for command in ["update", "update --conflicts=markers"] {
                let _ = world.rop(command);
                assert_eq!(differing(&world.tree(), &tree), [""; 0], "{at}");
            }
        }
    }
    assert!(
        merged > 0 && refused > 0,
        "{merged} merged, {refused} refused"
    );
}

/// Of most files nobody knows what that release gave: lines that differ are for the user to choose, and nothing is
/// written before.
#[test]
fn a_project_from_before_the_library_keeps_edits() {
    for seed in seeds(2) {
        let world = unpack(BEFORE_LIBRARY);
        let mut edits = edit(&world, &mut Rng::with_seed(seed));
        // Without a record, what was deleted was never there.
        edits.retain(|_, path| path.is_some());
        let before = world.tree();
        let outcome = world.rop("update --verbose").exits(1);
        assert_eq!(differing(&world.tree(), &before), [""; 0], "{outcome}");
        outcome.says("src/controller/app_service/reconcile.rs was edited in lines");
        world.rop("update --conflicts=markers").exits(1);
        let tree = world.tree();
        for (line, path) in &edits {
            let path = path.as_deref().expect("a file");
            assert!(tree[path].contains(line), "{line} in {path}, seed {seed}");
        }
        // What that release did not have was not deleted.
        for path in ["src/state.rs", "runtime/Cargo.toml", "tests/simulation.rs"] {
            assert!(tree.contains_key(path), "{path}, seed {seed}");
        }
        assert!(tree["Cargo.toml"].contains("rop-runtime = { path = \"runtime\" }"));
        world.rop("update --conflicts=markers").exits(1);
        assert_eq!(differing(&world.tree(), &tree), [""; 0]);
    }
}

/// Whoever takes this release's side of all conflicts has its sources, and no mixture of both.
#[test]
fn a_project_from_before_the_library_can_take_this_release() {
    let world = unpack(BEFORE_LIBRARY);
    world.rop("update --conflicts=markers").exits(1);
    for (path, text) in world.tree() {
        let mut is_taken = true;
        let taken = text.split_inclusive('\n').filter(|line| {
            let is_mark = [
                "<<<<<<< yours\n",
                "||||||| the last release\n",
                "=======\n",
                ">>>>>>> this release\n",
            ]
            .contains(line);
            if is_mark {
                is_taken = line.starts_with(['=', '>']);
            }
            is_taken && !is_mark
        });
        world.write(&path, &taken.collect::<String>());
    }
    let fresh = World::new();
    fresh.write("PROJECT", &world.read("PROJECT"));
    fresh.rop("generate project").ok();
    let (tree, fresh) = (world.tree(), fresh.tree());
    let mut differing = differing(&tree, &fresh);
    differing.retain(|path| path.ends_with(".rs"));
    assert_eq!(differing, [""; 0]);
}

/// What rop owned then, and no later release makes.
#[test]
fn files_from_before_the_library_are_deleted_unless_they_were_edited() {
    let (world, runtime) = (unpack(BEFORE_LIBRARY), "src/runtime/mod.rs");
    world.write(runtime, &format!("{}// Ours.\n", world.read(runtime)));
    world.write("src/runtime/mine.rs", "// Ours.\n");
    world
        .rop("update --conflicts=markers")
        .exits(1)
        .says("`src/runtime/mod.rs` is no longer generated; it was kept because you edited it");
    for path in ["api/src/testing.rs", "api/tests/crd.rs"] {
        assert!(!world.path().join(path).exists(), "{path}");
    }
    for path in [runtime, "src/runtime/mine.rs"] {
        assert!(world.read(path).ends_with("// Ours.\n"), "{path}");
    }
}

/// Updates a project with edits, by markers if they conflict, and fails if one is lost. Returns whether all were
/// merged, and how the update ended.
#[track_caller]
pub(super) fn update_edited(
    world: &World,
    edits: &BTreeMap<String, Option<String>>,
    name: &str,
) -> (bool, String) {
    let before = world.tree();
    let outcome = world.rop("update");
    let at = format!("{name}: {outcome}");
    let is_merged = outcome.code != 1;
    if is_merged {
        assert_eq!(outcome.code, 0, "{at}");
        world.rop("update").did_nothing();
    } else {
        assert_eq!(differing(&world.tree(), &before), [""; 0], "{at}");
        world.rop("update --conflicts=markers").exits(1);
    }
    assert_kept(edits, &world.tree(), &at);
    (is_merged, at)
}

/// Fails if an edit is lost, or a deleted file is back.
#[track_caller]
fn assert_kept(
    edits: &BTreeMap<String, Option<String>>,
    tree: &BTreeMap<String, String>,
    at: &str,
) {
    for (line, path) in edits {
        match path {
            Some(path) => assert!(tree[path].contains(line), "{line} in {path}, {at}"),
            None => assert!(!tree.contains_key(line), "{line} is back, {at}"),
        }
    }
}

/// Edits files at random: lines, each with its file, and paths of deleted files.
pub(super) fn edit(world: &World, rng: &mut Rng) -> BTreeMap<String, Option<String>> {
    let tree = world.tree();
    let is_users = |(path, text): &(&String, &String)| {
        let is_comment = [".rs", ".yaml", ".yml", ".toml", "file"]
            .iter()
            .any(|end| path.ends_with(end));
        let is_rops = ["runtime/", ".rop/", "PROJECT"]
            .iter()
            .any(|start| path.starts_with(start));
        is_comment && !is_rops && !text.contains("Owned by rop")
    };
    let mut paths: Vec<&String> = tree.iter().filter(is_users).map(|(path, _)| path).collect();
    rng.shuffle(&mut paths);
    let mut edits = BTreeMap::new();
    for (number, path) in paths.into_iter().take(EDITS).enumerate() {
        let is_needed = path.ends_with(".toml") || path.ends_with("kustomization.yaml");
        if number == 0 && !is_needed {
            fs::remove_file(world.path().join(path)).expect("a file");
            edits.insert(path.clone(), None);
            continue;
        }
        let mark = if path.ends_with(".rs") { "//" } else { "#" };
        let line = format!("{mark} Ours {number}.\n");
        let mut lines: Vec<&str> = tree[path].split_inclusive('\n').collect();
        let blank: Vec<usize> = (0..lines.len()).filter(|at| lines[*at] == "\n").collect();
        // Inside a text a line may mean something else.
        let at = rng.choice(blank).unwrap_or(lines.len());
        lines.insert(at, &line);
        world.write(path, &lines.concat());
        edits.insert(line, Some(path.clone()));
    }
    edits
}

/// The user's code compiles with what the release made of it, its tests pass, and nothing is out of date.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn updated_projects_work() {
    for (release, archive) in ARCHIVES {
        let world = unpack(archive);
        for (path, text) in world.tree() {
            if path.starts_with("src/controller/") && path.ends_with("reconcile.rs") {
                let ours = "\n/// Ours.\npub fn ours() -> u8 {\n    1\n}\n";
                world.write(&path, &format!("{text}{ours}"));
            }
        }
        world.rop("update").ok();
        for command in [
            "build --workspace --all-targets",
            "test --workspace --exclude rop-runtime",
        ] {
            let outcome = cargo(&world, command);
            assert_eq!(outcome.code, 0, "{release}: {outcome}");
        }
        rop(&world, "check").ok();
    }
}
