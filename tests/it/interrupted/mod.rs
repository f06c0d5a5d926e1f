//! Commits that end before they are done: by a kill, by an error of the disk, or by an edit.

mod delete;
mod dry_run;
mod edits;
mod moves;
mod random;
mod reverted;
mod trust;

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;

use rop::disk::View;
use rop::plan::{self, Plan, Step, Tree};
use rop::project::Project;

use crate::support::World;

/// The folder of a commit that is under way.
const PENDING: &str = ".rop-pending";

/// A project that has one API.
fn project() -> World {
    World::without_runtime()
}

/// What `create api --group app --kind Cache` plans in such a project.
fn another_api() -> &'static Plan {
    static PLAN: LazyLock<Plan> = LazyLock::new(plan_another_api);
    &PLAN
}

fn plan_another_api() -> Plan {
    let world = project();
    let view = View::of(&world.path()).expect("a view");
    let text = view.read("PROJECT").expect("a file").expect("PROJECT");
    let mut project = Project::parse(&text).expect("PROJECT");
    let before = rop::template::render(&project).expect("a tree");
    let new = rop::project::ProjectKind::own(
        project.domain.clone(),
        "app".parse().expect("a group"),
        "v1alpha1".parse().expect("a version"),
        "Cache".parse().expect("a kind"),
    );
    project.add(new).expect("an API");
    let mut after = rop::template::render(&project).expect("a tree");
    let sources = rop::manifest::Sources::read(&view, &before, &after).expect("sources");
    after.extend(rop::manifest::role(&sources, &project).expect("a role"));
    plan::plan(&view, &before, &after, false).expect("a plan")
}

/// A project in which `rop create api` was killed at the first step of a sort that it came to after
/// `skip` others of it.
fn killed_at(step: Step, skip: usize) -> World {
    let world = project();
    let mut skip = skip;
    let is_killed = is_killed(|| {
        plan::commit_observed(&world.path(), "create api", another_api(), &mut |now| {
            if now == step {
                if skip == 0 {
                    kill();
                }
                skip -= 1;
            }
            match (now, step) {
                // Only there does a text have two names.
                (Step::Rename, Step::Unstage) => Err(io::ErrorKind::Unsupported.into()),
                _ => Ok(()),
            }
        })
        .expect("a commit");
    });
    assert!(is_killed, "there is no such step");
    world
}

/// What is planned where rop makes other files than it did.
fn planned(world: &World, before: &Tree, after: &Tree, force: bool) -> rop::Result<Plan> {
    let view = View::of(&world.path()).expect("a view");
    plan::plan(&view, before, after, force)
}

/// A project with files that rop made.
fn made(files: &Tree) -> World {
    let world = World::new();
    let plan = planned(&world, &Tree::default(), files, false).expect("a plan");
    plan::commit(&world.path(), "make", &plan).expect("a commit");
    world
}

/// Kills the commit of a plan at its step `at`, and says whether it came to that.
fn is_killed_at(world: &World, plan: &Plan, at: usize) -> bool {
    let mut steps = 0;
    is_killed(|| {
        let mut observe = |_| {
            if steps == at {
                kill();
            }
            steps += 1;
            Ok(())
        };
        plan::commit_observed(&world.path(), "test", plan, &mut observe).expect("a commit");
    })
}

/// Ends the work as a kill would: rop has no code that runs when it unwinds.
fn kill() -> ! {
    resume_unwind(Box::new("killed"))
}

fn is_killed(work: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(work)).is_err()
}

/// What a disk says that does not work.
fn broken_disk() -> io::Error {
    io::Error::other("the disk is broken")
}

/// The files of a project, without those of a commit that is under way.
fn without_pending(mut tree: BTreeMap<String, String>) -> BTreeMap<String, String> {
    tree.retain(|path, _| !path.starts_with(PENDING));
    tree
}

/// A tree of files of every ownership.
fn tree(files: &[(&str, rop::plan::Ownership, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (path, class, text) in files {
        tree.insert(rop::plan::File::new(*path, *class, (*text).to_owned()));
    }
    tree
}

/// If the last step fails, everything is done: nothing is taken back, and the next command removes
/// what is left.
#[test]
fn a_failure_to_clean_up_takes_nothing_back() {
    for skip in 1.. {
        let world = project();
        let mut left = skip;
        let result =
            plan::commit_observed(&world.path(), "create api", another_api(), &mut |step| {
                if step != Step::CleanUp {
                    return Ok(());
                }
                left -= 1;
                match left {
                    0 => Err(broken_disk()),
                    _ => Ok(()),
                }
            });
        let note = result.expect("the files are written");
        for change in &another_api().changes {
            assert!(world.path().join(&change.path).exists(), "{}", change.path);
        }
        let tree = without_pending(world.tree());
        plan::heal(&world.path()).expect("healed");
        assert_eq!(world.tree(), tree, "after {skip} steps");
        if note.is_none() {
            world
                .rop("create api --group app --kind Cache")
                .did_nothing();
            assert!(skip > 3, "{skip} steps");
            break;
        }
    }
}

/// A journal that cannot be read drops nothing.
#[test]
fn a_journal_that_cannot_be_read_is_named() {
    let world = killed_at(Step::Put, 1);
    let journal = world.path().join(".rop-pending/journal.json");
    std::fs::remove_file(&journal).expect("a journal");
    std::fs::create_dir(&journal).expect("a directory");
    let before = world.tree();
    let outcome = world.rop("create api --group app --kind Cache").exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[unreadable-file]: failed to read `[DIR]/app-operator/.rop-pending/journal.json`
      caused by: Is a directory (os error 21)
    hint: remove `[DIR]/app-operator/.rop-pending` if no rop command was interrupted here, for example after a clone or copy; then check `git status`
    ");
    assert_eq!(world.tree(), before);
}

/// A note about what was done is true, wherever the kill was.
#[test]
fn notes_say_what_was_done() {
    let note = |world: World| {
        let outcome = world.rop("create api --group app --kind Cache").ok();
        outcome.stderr.lines().next().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(note(killed_at(Step::Stage, 0)), @"   update PROJECT");
    insta::assert_snapshot!(note(killed_at(Step::Stage, 3)), @"note: cleaned up after an interrupted command, which had changed nothing");
    insta::assert_snapshot!(note(killed_at(Step::Put, 1)), @"note: finished `rop create api`, which had been interrupted");
    insta::assert_snapshot!(note(killed_at(Step::CleanUp, 0)), @"note: finished `rop create api`, which had been interrupted");
}
