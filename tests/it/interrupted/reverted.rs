//! Files of an interrupted command that are reverted, as `git checkout` does, and its folder if it is deleted.

use std::collections::BTreeMap;

use rop::disk::View;
use rop::plan::{self, Step};
use rop::project::Project;
use rop::scaffold::Change;

use super::dry_run::tells_what_happens;
use super::{PENDING, is_killed, kill, killed_at, project, without_pending};
use crate::support::World;
use crate::support::world::differing;
use crate::update::Release;

/// Writes the files that a project had.
fn check_out(world: &World, files: &BTreeMap<String, String>) {
    for (path, text) in files {
        world.write(path, text);
    }
}

/// Deletes the files that a project did not have.
fn clean(world: &World, files: &BTreeMap<String, String>) {
    let now = without_pending(world.tree());
    for path in now.keys().filter(|path| !files.contains_key(*path)) {
        std::fs::remove_file(world.path().join(path)).expect("a file");
    }
}

/// The interrupted command is not completed on files that are no longer its own.
#[test]
fn the_rest_is_reverted_too() {
    let before = project().tree();
    let reverts: [&dyn Fn(&World); 3] = [
        &|world| {
            check_out(world, &before);
            clean(world, &before);
        },
        &|world| check_out(world, &before),
        &|world| clean(world, &before),
    ];
    for revert in reverts {
        let world = killed_at(Step::Put, 12);
        assert!(world.read("PROJECT").contains("Cache"));
        revert(&world);
        let report = tells_what_happens(&world);
        assert_eq!(report["interrupted"]["state"], "changed");
        let tree = world.tree();
        let expected = project();
        expected.rop("create api --group app --kind Other").ok();
        assert_eq!(differing(&tree, &expected.tree()), [""; 0]);
    }
    let world = killed_at(Step::Put, 12);
    check_out(&world, &before);
    let notes = ["--dry-run", ""].map(|flags| {
        let outcome = world.rop(&format!("create api --group app --kind Other {flags}"));
        outcome.stderr.lines().next().unwrap_or_default().to_owned()
    });
    insta::assert_snapshot!(notes.join("\n"), @"
    note: `rop create api` was interrupted, and its files were changed or reverted since; the next command that is not a dry run undoes it, and this dry run assumes it is undone
    note: undid `rop create api`, which had been interrupted: its files were changed or reverted since
    ");
}

/// A project that a killed update left, without its folder, is updated by the next one.
#[test]
fn an_update_without_its_folder_is_done_again() {
    let old = World::without_runtime();
    let expected = old.tree();
    let release = Release::of(&old);
    release.version("0.0.9");
    release.had("Cargo.toml", "# Former.\n[package]", "[package]");
    release.had("src/main.rs", "//! Former.\n//!", "//!");
    release.owned("src/controller/mod.rs", "//! Former.\n//!", "//!");
    for puts in 0.. {
        let world = old.copy();
        let view = View::of(&world.path()).expect("a view");
        let project = Project::read(&view).expect("PROJECT").expect("a project");
        let next = Project {
            cli_version: rop::project::release(),
            ..project.clone()
        };
        let change = Change {
            merges_edits: true,
            updates: true,
            ..Change::new(&view, Some(&project), &next)
        };
        let (before, after) = change.trees().expect("trees");
        let plan = plan::plan(&view, &before, &after, false).expect("a plan");
        let mut left = puts;
        let was_killed = is_killed(|| {
            plan::commit_observed(&world.path(), "update", &plan, &mut |step| {
                if step == Step::Put {
                    if left == 0 {
                        kill();
                    }
                    left -= 1;
                }
                Ok(())
            })
            .expect("a commit");
        });
        if !was_killed {
            assert!(puts > 6, "{puts} files");
            break;
        }
        std::fs::remove_dir_all(world.path().join(PENDING)).expect("a folder");
        world.rop("update").ok();
        assert_eq!(differing(&world.tree(), &expected), [""; 0], "{puts} files");
    }
}
