//! A dry run beside an interrupted command reads, and tells what will be.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use rop::plan::Step;
use serde_json::Value;

use super::{another_api, broken_disk, is_killed, kill, killed_at, project};
use crate::support::World;

const COMMAND: &str = "create api --group app --kind Other";

/// Every name below the project, with the time of its last change.
fn names(root: &Path) -> BTreeMap<String, SystemTime> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| {
            let entry = entry.expect("a readable tree");
            let time = entry.metadata().expect("metadata").modified();
            (entry.path().display().to_string(), time.expect("a time"))
        })
        .collect()
}

/// What a dry run tells is what the command itself does.
pub(super) fn tells_what_happens(world: &World) -> Value {
    let before = names(&world.path());
    let report = world
        .rop(&format!("{COMMAND} --dry-run --json"))
        .ok()
        .stdout;
    world.rop(&format!("{COMMAND} --dry-run --verbose")).ok();
    assert_eq!(names(&world.path()), before, "a dry run wrote");
    let done = world.rop(&format!("{COMMAND} --json")).ok().stdout;
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect(text);
    let (report, done) = (parse(&report), parse(&done));
    assert_eq!(report["changes"], done["changes"]);
    assert_eq!(report["interrupted"], done["interrupted"]);
    assert_eq!(report["dryRun"], true);
    report
}

#[test]
fn beside_a_command_that_was_killed_at_any_step() {
    let mut states = BTreeMap::new();
    for (step, skip) in [
        (Step::Prepare, 0),
        (Step::Stage, 2),
        (Step::Journal, 0),
        (Step::Keep, 3),
        (Step::Put, 0),
        (Step::Put, 8),
        (Step::Unstage, 4),
        (Step::CleanUp, 0),
    ] {
        let report = tells_what_happens(&killed_at(step, skip));
        let state = report["interrupted"]["state"].as_str();
        *states
            .entry(state.unwrap_or("none").to_owned())
            .or_insert(0) += 1;
    }
    insta::assert_debug_snapshot!(states, @r#"
    {
        "none": 1,
        "unfinished": 5,
        "unstarted": 2,
    }
    "#);
}

/// The disk refused a file, and the command was killed while it took back what it had written.
#[test]
fn beside_a_command_that_failed() {
    for restored in [0, 3] {
        let world = project();
        let (mut puts, mut left) = (0, restored);
        assert!(is_killed(|| {
            let _ = rop::plan::commit_observed(
                &world.path(),
                "create api",
                another_api(),
                &mut |step| {
                    match step {
                        Step::Put => puts += 1,
                        Step::Restore if left == 0 => kill(),
                        Step::Restore => left -= 1,
                        _ => {}
                    }
                    match (step, puts) {
                        (Step::Put, 8) => Err(broken_disk()),
                        _ => Ok(()),
                    }
                },
            );
        }));
        let report = tells_what_happens(&world);
        assert_eq!(report["interrupted"]["state"], "failed");
        assert!(!world.read("PROJECT").contains("Cache"));
    }
}

#[test]
fn says_so() {
    let first = |world: World| {
        let outcome = world.rop(&format!("{COMMAND} --dry-run")).ok();
        outcome.stderr.lines().next().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(first(killed_at(Step::Stage, 2)), @"note: an interrupted command changed nothing; the next command that is not a dry run cleans up after it");
    insta::assert_snapshot!(first(killed_at(Step::Put, 2)), @"note: `rop create api` was interrupted; the next command that is not a dry run finishes it, and this dry run assumes it is finished");
}

/// An `init` that was killed leaves no PROJECT: it stands among what is staged.
#[test]
fn of_a_project_that_is_not_there_yet() {
    let world = World::new();
    let made = project();
    let text = made.read("PROJECT");
    let project = rop::project::Project::parse(&text).expect("PROJECT");
    let view = rop::disk::View::of(&world.path()).expect("a view");
    let nothing = rop::plan::Tree::default();
    let mut after = rop::template::render(&project).expect("a tree");
    let sources = rop::manifest::Sources::read(&view, &nothing, &after).expect("sources");
    after.extend(rop::manifest::role(&sources, &project).expect("a role"));
    let plan = rop::plan::plan(&view, &nothing, &after, false).expect("a plan");
    assert!(is_killed(|| {
        let _ = rop::plan::commit_observed(&world.path(), "init", &plan, &mut |step| match step {
            Step::Put => kill(),
            _ => Ok(()),
        });
    }));
    assert!(!world.path().join("PROJECT").exists());
    tells_what_happens(&world);
}

/// Cargo and kubectl would read the files as they are.
#[test]
fn of_a_command_that_needs_the_files() {
    let world = killed_at(Step::Put, 2);
    let before = names(&world.path());
    insta::assert_snapshot!(world.rop("generate manifests --dry-run").exits(1), @"
    exit: 1
    --- stderr
    note: `rop create api` was interrupted; the next command that is not a dry run finishes it, and this dry run assumes it is finished
    error[interrupted]: an interrupted command is not finished yet, and this command needs its files on disk
    hint: run this command without `--dry-run` and `--check`: it finishes the interrupted command first
    ");
    let _ = world.rop("generate manifests --check").exits(1);
    let _ = world.rop("build --dry-run").exits(1);
    assert_eq!(names(&world.path()), before);
}
