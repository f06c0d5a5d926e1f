//! Projects that older releases made, with random edits.

use std::collections::BTreeMap;
use std::fs;

use fastrand::Rng;

use super::archive::{ARCHIVES, unpack};
use crate::support::cargo::cargo;
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
            let before = world.tree();
            let outcome = world.rop("update");
            let at = format!("{release}, seed {seed}: {outcome}");
            if outcome.code == 1 {
                refused += 1;
                assert_eq!(differing(&world.tree(), &before), [""; 0], "{at}");
                world.rop("update --conflicts=markers").exits(1);
            } else {
                merged += 1;
                assert_eq!(outcome.code, 0, "{at}");
                world.rop("update").did_nothing();
            }
            let tree = world.tree();
            for (line, path) in &edits {
                match path {
                    Some(path) => assert!(tree[path].contains(line), "{line} in {path}, {at}"),
                    None => assert!(!tree.contains_key(line), "{line} is back, {at}"),
                }
            }
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

/// Edits files at random: lines, each with its file, and paths of deleted files.
fn edit(world: &World, rng: &mut Rng) -> BTreeMap<String, Option<String>> {
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

/// The user's code compiles with what the release made of it.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn updated_projects_compile() {
    for (release, archive) in ARCHIVES {
        let world = unpack(archive);
        for (path, text) in world.tree() {
            if path.starts_with("src/controller/") && path.ends_with("reconcile.rs") {
                let ours = "\n/// Ours.\npub fn ours() -> u8 {\n    1\n}\n";
                world.write(&path, &format!("{text}{ours}"));
            }
        }
        world.rop("update").ok();
        let outcome = cargo(&world, "check --workspace --all-targets");
        assert_eq!(outcome.code, 0, "{release}: {outcome}");
    }
}
