//! Files that are made elsewhere go there, with what their user wrote.

use rop::plan::{self, Action, File, Ownership, Plan, Tree};

use super::{is_killed_at, planned, tree};
use crate::support::World;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

fn before() -> Tree {
    tree(&[
        ("a/edited.txt", Ownership::Seeded, TEXT),
        ("a/owned.rs", Ownership::Owned, "fn a() {}\n"),
        ("kept.txt", Ownership::Seeded, "kept\n"),
    ])
}

fn after() -> Tree {
    let mut after = tree(&[
        (
            "b/c/edited.txt",
            Ownership::Seeded,
            &TEXT.replace("five", "5"),
        ),
        ("b/owned.rs", Ownership::Owned, "fn b() {}\n"),
        ("kept.txt", Ownership::Seeded, "kept\n"),
    ]);
    for (from, to) in [
        ("a/edited.txt", "b/c/edited.txt"),
        ("a/owned.rs", "b/owned.rs"),
    ] {
        let from: File = before().get(from).expect("a file").clone();
        after.moves(to, from);
    }
    after
}

/// A project with what rop made, of which a file was edited.
fn made() -> World {
    let world = super::made(&before());
    world.replace("a/edited.txt", "one", "1");
    world
}

fn moved(world: &World) -> rop::Result<Plan> {
    planned(world, &before(), &after(), false)
}

#[test]
fn with_their_edits() {
    for ends in ["\n", "\r\n"] {
        let world = made();
        let edited = world.read("a/edited.txt").replace('\n', ends);
        world.write("a/edited.txt", &edited);
        let plan = moved(&world).expect("a plan");
        let told: Vec<_> = plan
            .reported()
            .map(|change| (change.action, &*change.path))
            .collect();
        let expected = [
            (Action::Move, "b/c/edited.txt"),
            (Action::Move, "b/owned.rs"),
        ];
        assert_eq!(told, expected);
        assert!(
            plan.diff()
                .contains("--- a/a/edited.txt\n+++ b/b/c/edited.txt\n")
        );
        plan::commit(&world.path(), "test", &plan).expect("a commit");
        let left: Vec<_> = world.tree().into_keys().collect();
        assert_eq!(left, ["b/c/edited.txt", "b/owned.rs", "kept.txt"]);
        let merged = "1\ntwo\nthree\nfour\n5\n".replace('\n', ends);
        assert_eq!(world.read("b/c/edited.txt"), merged);
        assert!(!world.path().join("a").exists());
    }
}

#[test]
fn an_edit_that_does_not_fit_is_in_the_way() {
    for (path, reason) in [
        (
            "a/edited.txt",
            "was edited in lines that change when it moves to `b/c/edited.txt`",
        ),
        ("a/owned.rs", "is generated but was edited by hand"),
    ] {
        let world = made();
        world.write(path, &(world.read(path) + "mine\n").replace("five", "V"));
        let tree = world.tree();
        let error = moved(&world).expect_err(path);
        let text = error.chain().collect::<Vec<_>>().join("\n");
        assert!(text.contains(&format!("{path} {reason}")), "{text}");
        assert_eq!(world.tree(), tree);
    }
}

/// Somebody has moved it already.
#[test]
fn what_is_there_stays() {
    let world = made();
    world.write("b/c/edited.txt", "mine\n");
    let tree = world.tree();
    let error = moved(&world).expect_err("a file in the way");
    let text = error.chain().collect::<Vec<_>>().join("\n");
    assert!(text.contains("b/c/edited.txt already exists"), "{text}");
    assert_eq!(world.tree(), tree);
}

#[test]
fn all_or_none_after_a_kill() {
    let old = made().tree();
    let mut ends = [0, 0];
    for at in 0.. {
        let world = made();
        let plan = moved(&world).expect("a plan");
        let killed = is_killed_at(&world, &plan, at);
        plan::heal(&world.path()).expect("healed");
        let now = world.tree();
        let is_after = now != old;
        ends[usize::from(is_after)] += 1;
        if is_after {
            let left: Vec<_> = now.keys().collect();
            assert_eq!(
                left,
                ["b/c/edited.txt", "b/owned.rs", "kept.txt"],
                "at {at}"
            );
            assert!(now["b/c/edited.txt"].starts_with("1\n"), "at {at}");
        }
        if !killed {
            break;
        }
    }
    assert!(ends.iter().all(|count| *count > 5), "{ends:?}");
}
