//! Projects of many shapes: an older release had other lines in random files, and the user edited random ones.

use std::collections::BTreeMap;
use std::fs;

use fastrand::Rng;
use rop::plan::File;

use super::Release;
use super::releases::{edit, update_edited};
use crate::examples::examples;
use crate::record::{ADDED, world};
use crate::support::world::{differing, tree};
use crate::support::{World, seeds};

/// How many random projects there are.
const ROUNDS: u64 = 20;
const STEPS: usize = 4;

/// How many files another release had otherwise.
const CHANGED: usize = 30;

const ROLE: &str = "config/rbac/role.yaml";

/// All edits survive, what nobody edited is what this release makes, and twice is once.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn projects_of_many_shapes_are_updated() {
    let (mut merged, mut refused) = (0, 0);
    let random = seeds(ROUNDS).map(|seed| (format!("seed {seed}"), random(seed), seed));
    let examples = examples().into_iter().zip(0..);
    let examples =
        examples.map(|(path, seed)| (path.display().to_string(), copy(&tree(&path)), seed));
    for (name, world, seed) in examples.chain(random) {
        let mut rng = Rng::with_seed(seed);
        let expected = world.tree();
        let changed = make_older(&world, &mut rng);
        let edits = edit(&world, &mut rng);
        let (is_merged, at) = update_edited(&world, &edits, &name);
        if is_merged {
            merged += 1;
            world.rop("update --check").ok();
        } else {
            refused += 1;
        }
        let tree = world.tree();
        let is_edited = |path: &&str| {
            edits.contains_key(*path) || edits.values().flatten().any(|edited| edited == path)
        };
        let mut differing = differing(&tree, &expected);
        // Markers in a source that the user deleted ask for nothing.
        let is_without = |path: &str| {
            path == ROLE
                && edits
                    .iter()
                    .any(|(path, edit)| edit.is_none() && path.ends_with(".rs"))
        };
        differing.retain(|path| !is_edited(path) && !is_made_of(path) && !is_without(path));
        assert_eq!(differing, [""; 0], "{changed:?}, {at}");
    }
    assert!(
        merged > 0 && refused > 0,
        "{merged} merged, {refused} refused"
    );
}

/// What commands make of files that were edited: samples and types.
fn is_made_of(path: &str) -> bool {
    ["deploy/", "docs/", ".rop/"]
        .iter()
        .any(|start| path.starts_with(start))
}

/// A project after random commands, as `record` has them.
fn random(seed: u64) -> World {
    let mut rng = Rng::with_seed(seed);
    let flags = rng
        .choice(["", "--multigroup", "--namespaced"])
        .expect("one");
    let world = world(flags);
    if rng.bool() {
        world.rop("generate deploy").ok();
    }
    for _ in 0..STEPS {
        for command in *rng.choice(&ADDED).expect("one") {
            // Some cannot come after others.
            let _ = world.rop(command);
        }
    }
    world
}

/// A copy of an example, with a record.
fn copy(files: &BTreeMap<String, String>) -> World {
    let world = World::new();
    for (path, text) in files {
        world.write(path, text);
    }
    world.rop("generate project").ok();
    world.rop("update").ok();
    world
}

/// Whether a file is made of the user's types: another release made the same of them.
fn is_of_sources(path: &str, base: &str) -> bool {
    let head = base.lines().next();
    path.contains("_conversion_") || head.is_some_and(|head| head.ends_with("from sources"))
}

/// Gives random files a line that this release does not have. Returns their paths.
fn make_older(world: &World, rng: &mut Rng) -> Vec<String> {
    let release = Release::of(world);
    release.version("0.0.9");
    let tree = world.tree();
    let record = tree[".rop/record"].lines();
    let mut files: Vec<(&str, &str)> = record
        .filter_map(|line| line.split_once(' '))
        .filter(|(ownership, path)| {
            let is_text = [".rs", ".yaml", ".yml", ".toml"]
                .iter()
                .any(|end| path.ends_with(end));
            let base = tree.get(&format!(".rop/base/{path}"));
            let base = base.filter(|base| !is_of_sources(path, base));
            let base = base.map(|base| {
                let lines = base.split_inclusive('\n').skip(1);
                lines
                    .map(|line| line.strip_prefix('|').unwrap_or(line))
                    .collect::<String>()
            });
            // Others were edited already, or are made of sources.
            let is_given = match *ownership {
                "owned" => path.ends_with("_role.yaml") || path.ends_with("mod.rs"),
                "seeded" => base.as_ref() == tree.get(*path),
                _ => false,
            };
            is_text && is_given
        })
        .collect();
    rng.shuffle(&mut files);
    files.truncate(CHANGED);
    for (ownership, path) in &files {
        let mark = if path.ends_with(".rs") { "//" } else { "#" };
        let line = format!("{mark} The former release.\n");
        let text = &tree[*path];
        if *ownership == "owned" {
            let (_, body) = text.split_once('\n').expect("a header");
            let file = File::owned(*path, format!("{line}{body}"));
            world.write(path, file.text());
        } else {
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            let blank: Vec<usize> = (0..lines.len()).filter(|at| lines[*at] == "\n").collect();
            lines.insert(rng.choice(blank).unwrap_or(0), &line);
            let text = lines.concat();
            fs::write(world.path().join(path), &text).expect("a file");
            release.gave(path, &text);
        }
    }
    files.into_iter().map(|(_, path)| path.to_owned()).collect()
}
