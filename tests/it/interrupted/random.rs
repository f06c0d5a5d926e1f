//! Random commits, refused by the disk and killed at random steps, healed and killed again.
//!
//! `ROP_TEST_ROUNDS=100000 cargo test --test it -- interrupted::random` runs as many rounds; what
//! fails names its seed, which `ROP_TEST_SEED` takes.

use std::collections::BTreeMap;

use fastrand::Rng;
use rop::disk::View;
use rop::plan::{self, Ownership, Step, Tree};

use super::{broken_disk, is_killed, kill, tree, without_pending};
use crate::support::{World, seeds, world};

const ROUNDS: u64 = 300;

#[test]
fn a_project_is_as_before_or_as_after() {
    let seeds = seeds(ROUNDS);
    let rounds = seeds.clone().count();
    let mut ends = BTreeMap::new();
    for seed in seeds {
        *ends.entry(round(seed)).or_insert(0) += 1;
    }
    assert!(rounds == 1 || ends.len() > 3, "{ends:?}");
}

/// Files with random texts. What is in both trees of a round may be the same.
fn files(rng: &mut Rng) -> Tree {
    let paths = [
        "a.rs",
        "b/c.yaml",
        "b/d/e.rs",
        "b/d/f.yaml",
        "g/h.rs",
        "i.txt",
        "j/k/l/m.txt",
    ];
    let mut files = Vec::new();
    let texts = ["x: 1\n", "x: 2\n", "x: 3\n"];
    for path in paths {
        if rng.u8(..3) > 0 {
            files.push((path, Ownership::Owned, *rng.choice(&texts).expect("one")));
        }
    }
    tree(&files)
}

/// How a round ended: what the commit said, and whether the project is as before or as after.
fn round(seed: u64) -> (&'static str, bool) {
    let mut rng = Rng::with_seed(seed);
    let world = World::new();
    let root = world.path();
    let (old, new) = (files(&mut rng), files(&mut rng));
    let nothing = Tree::default();
    let commit = |from: &Tree, to: &Tree| {
        let view = View::of(&root).expect("a view");
        plan::plan(&view, from, to, false).expect("a plan")
    };
    plan::commit(&root, "first", &commit(&nothing, &old)).expect("a commit");
    let before = world.tree();
    let plan = commit(&old, &new);
    let after = new.files();
    let after = after.map(|file| (file.path().to_owned(), file.text().to_owned()));
    let after: BTreeMap<_, _> = after.collect();
    // The disk refuses some steps, and at one of them it ends.
    let mut trouble = |left: usize| {
        let refused = rng.u8(..4);
        let mut left = rng.usize(..left);
        let mut rng = rng.fork();
        move |_: Step| {
            if left == 0 {
                kill();
            }
            left -= 1;
            if refused == 0 && rng.u8(..6) == 0 {
                Err(broken_disk())
            } else {
                Ok(())
            }
        }
    };
    let mut said = "killed";
    is_killed(|| {
        said = match plan::commit_observed(&root, "test", &plan, &mut trouble(60)) {
            Ok(_) => "done",
            Err(_) => "failed",
        };
    });
    let at_once = without_pending(world.tree());
    match said {
        "done" => assert_eq!(at_once, after, "seed {seed}: done"),
        "failed"
            if !world
                .tree()
                .keys()
                .any(|path| path.starts_with(super::PENDING)) =>
        {
            assert_eq!(at_once, before, "seed {seed}: failed");
        }
        _ => {}
    }
    for _ in 0..3 {
        is_killed(|| drop(plan::heal_observed(&root, &mut trouble(20))));
    }
    plan::heal(&root)
        .unwrap_or_else(|e| panic!("seed {seed}: {:?}", e.chain().collect::<Vec<_>>()));
    let end = world::tree(&root);
    let is_after = end == after;
    assert!(
        is_after || end == before,
        "seed {seed}: {said}\nbefore {before:#?}\nafter {after:#?}\nend {end:#?}"
    );
    (said, is_after)
}
