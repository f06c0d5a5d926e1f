//! Files that nothing makes any more go, all of them or none, and never with an edit.

use std::path::Path;

use rop::plan::{self, Action, Ownership, Plan, Step, Tree};

use super::{broken_disk, is_killed, is_killed_at, kill, planned, tree};
use crate::support::World;

/// What rop made.
fn before() -> Tree {
    tree(&[
        ("a.rs", Ownership::Owned, "fn a() {}\n"),
        ("b/c.yaml", Ownership::Owned, "c: 1\n"),
        ("b/d/e.txt", Ownership::Seeded, "e\n"),
        ("b/d/f.yaml", Ownership::Shared, "f: 1\n"),
        ("kept.yaml", Ownership::Owned, "kept: 1\n"),
    ])
}

/// What rop makes now.
fn after() -> Tree {
    tree(&[
        ("kept.yaml", Ownership::Owned, "kept: 2\n"),
        ("new/g.txt", Ownership::Seeded, "g\n"),
    ])
}

/// A project with what rop made.
fn made() -> World {
    super::made(&before())
}

fn replaced(world: &World, force: bool) -> rop::Result<Plan> {
    planned(world, &before(), &after(), force)
}

fn has_empty_folder(root: &Path) -> bool {
    let entries = walkdir::WalkDir::new(root).min_depth(1).into_iter();
    let mut folders = entries
        .map(|entry| entry.expect("a readable tree"))
        .filter(|entry| entry.file_type().is_dir());
    folders.any(|folder| {
        let inside = std::fs::read_dir(folder.path()).expect("a folder");
        inside.count() == 0
    })
}

#[test]
fn with_their_folders() {
    let world = made();
    let plan = replaced(&world, false).expect("a plan");
    let deleted = plan.changes.iter().filter(|c| c.action == Action::Delete);
    let deleted: Vec<_> = deleted.map(|change| &*change.path).collect();
    assert_eq!(deleted, ["a.rs", "b/c.yaml", "b/d/e.txt", "b/d/f.yaml"]);
    let diff = plan.diff();
    assert!(
        diff.contains("--- a/b/d/e.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-e\n"),
        "{diff}"
    );
    plan::commit(&world.path(), "test", &plan).expect("a commit");
    let left: Vec<_> = world.tree().into_keys().collect();
    assert_eq!(left, ["kept.yaml", "new/g.txt"]);
    assert!(!world.path().join("b").exists());
    assert!(replaced(&world, false).expect("a plan").is_empty());
}

#[test]
fn a_file_of_the_users_keeps_its_folder() {
    let world = made();
    world.write("b/mine.txt", "mine\n");
    // In the place of a file of rop's: it has no header.
    world.write("a.rs", "fn mine() {}\n");
    let plan = replaced(&world, false).expect("a plan");
    plan::commit(&world.path(), "test", &plan).expect("a commit");
    let left: Vec<_> = world.tree().into_keys().collect();
    assert_eq!(left, ["a.rs", "b/mine.txt", "kept.yaml", "new/g.txt"]);
    assert!(!world.path().join("b/d").exists());
}

#[test]
fn an_edit_is_in_the_way() {
    for path in ["a.rs", "b/c.yaml", "b/d/e.txt", "b/d/f.yaml"] {
        let world = made();
        world.write(path, &(world.read(path) + "# mine\n"));
        let tree = world.tree();
        let error = replaced(&world, false).expect_err(path);
        let text = error.chain().collect::<Vec<_>>().join("\n");
        let reason = format!("{path} would be deleted, but you edited it");
        assert!(text.contains(&reason), "{text}");
        assert!(error.hints().concat().contains("--force"));
        assert_eq!(world.tree(), tree);
        let plan = replaced(&world, true).expect("a plan");
        plan::commit(&world.path(), "test", &plan).expect("a commit");
        assert!(!world.path().join(path).exists());
    }
}

/// A checkout on another system is no edit.
#[test]
fn with_other_line_ends() {
    let world = made();
    for (path, text) in world.tree() {
        world.write(&path, &text.replace('\n', "\r\n"));
    }
    let plan = replaced(&world, false).expect("a plan");
    plan::commit(&world.path(), "test", &plan).expect("a commit");
    assert_eq!(world.tree().len(), 2);
}

#[cfg(unix)]
#[test]
fn behind_a_link_that_leads_out_they_stay() {
    let (world, other) = (made(), World::new());
    std::fs::remove_dir_all(world.path().join("b")).expect("a folder");
    std::os::unix::fs::symlink(other.path(), world.path().join("b")).expect("a link");
    other.write("c.yaml", before().get("b/c.yaml").expect("a file").text());
    let plan = replaced(&world, true).expect("a plan");
    assert!(
        plan.notes
            .concat()
            .contains("`b/c.yaml` is no longer generated; it was kept")
    );
    plan::commit(&world.path(), "test", &plan).expect("a commit");
    assert_eq!(other.tree().len(), 1);
}

/// Killed at any step: all of it or nothing, as the dry run says.
#[test]
fn all_or_none_after_a_kill() {
    let (old, mut ends) = (made().tree(), [0, 0]);
    for at in 0.. {
        let world = made();
        let plan = replaced(&world, false).expect("a plan");
        let killed = is_killed_at(&world, &plan, at);
        let foreseen = plan::healed_view(&world.path()).expect("a view").0;
        let foreseen = old.keys().map(|path| foreseen.read(path).expect("a file"));
        let foreseen: Vec<_> = foreseen.collect();
        plan::heal(&world.path()).expect("healed");
        let now = world.tree();
        let found: Vec<_> = old.keys().map(|path| now.get(path).cloned()).collect();
        assert_eq!(found, foreseen, "killed at step {at}");
        assert!(!has_empty_folder(&world.path()), "killed at step {at}");
        if now == old {
            ends[0] += 1;
        } else {
            let left: Vec<_> = now.into_keys().collect();
            assert_eq!(left, ["kept.yaml", "new/g.txt"], "killed at step {at}");
            ends[1] += 1;
        }
        if !killed {
            break;
        }
    }
    assert!(ends.iter().all(|count| *count > 5), "{ends:?}");
}

/// The disk refuses a step: all is as it was, and so it is where that is interrupted.
#[test]
fn none_if_the_disk_refuses() {
    let old = made().tree();
    for at in 0.. {
        let world = made();
        let plan = replaced(&world, false).expect("a plan");
        let (mut puts, mut restored) = (0, 0);
        let mut result = Ok(None);
        let killed = is_killed(|| {
            result = plan::commit_observed(&world.path(), "test", &plan, &mut |step| match step {
                Step::Put => {
                    puts += 1;
                    if puts == plan.changes.len() {
                        Err(broken_disk())
                    } else {
                        Ok(())
                    }
                }
                Step::Restore => {
                    if restored == at {
                        kill();
                    }
                    restored += 1;
                    Ok(())
                }
                _ => Ok(()),
            });
        });
        assert!(killed || result.is_err());
        plan::heal(&world.path()).expect("healed");
        assert_eq!(world.tree(), old, "killed at step {at}");
        assert!(!has_empty_folder(&world.path()));
        if !killed {
            assert!(at > 3);
            break;
        }
    }
}

/// What is saved while rop is at work is not deleted.
fn saved_at_every_step(save: impl Fn(&Path) -> std::io::Result<()>) {
    for at in 0.. {
        let world = made();
        let plan = replaced(&world, false).expect("a plan");
        let file = world.path().join("b/d/e.txt");
        let (mut steps, mut has_edited) = (0, false);
        let result = plan::commit_observed(&world.path(), "test", &plan, &mut |step| {
            if matches!(step, Step::Stage | Step::Journal | Step::Keep | Step::Put) {
                if steps == at {
                    std::fs::create_dir_all(file.parent().expect("a folder"))?;
                    save(&file)?;
                    has_edited = true;
                }
                steps += 1;
            }
            Ok(())
        });
        if !has_edited {
            break;
        }
        assert_eq!(
            world.read("b/d/e.txt"),
            "mine\n",
            "at step {at}: {result:?}"
        );
        let is_done = !world.path().join("a.rs").exists();
        assert_eq!(result.is_ok(), is_done, "at step {at}");
    }
}

#[test]
fn not_what_is_written_meanwhile() {
    saved_at_every_step(|file| std::fs::write(file, "mine\n"));
}

#[test]
fn not_what_is_renamed_into_place_meanwhile() {
    saved_at_every_step(|file| {
        let draft = file.with_extension("draft");
        std::fs::write(&draft, "mine\n")?;
        std::fs::rename(draft, file)
    });
}
