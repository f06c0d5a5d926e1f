//! SIGKILL at every step of a commit: the project is as before or as after.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use rop::disk::View;
use rop::plan::{self, File};
use rop::project::Project;
use rop::scaffold::Change;

use crate::support::World;
use crate::support::world::{WITHOUT_RUNTIME, differing};
use crate::update::Release;

/// Names the step to die at, and makes this test the one that dies.
const DIE_AT: &str = "ROP_TEST_DIE_AT";
/// What is in PROJECT after the command, for the one that dies.
const PROJECT: &str = "ROP_TEST_PROJECT";
/// How many steps lie between two of them: CI has no time for all.
const STRIDE: usize = 5;
/// The same for a command that makes no file of another sort.
const LONG_STRIDE: usize = 23;

#[test]
fn a_new_project() {
    try_every_step(
        "kill::a_new_project",
        &World::new(),
        WITHOUT_RUNTIME,
        STRIDE,
    );
}

#[test]
fn another_api() {
    try_every_step(
        "kill::another_api",
        &World::without_runtime(),
        ANOTHER,
        STRIDE,
    );
}

#[test]
fn an_api_that_goes() {
    let world = World::without_runtime();
    world.rop(ANOTHER).ok();
    let command = "delete api --group app --kind Cache";
    try_every_step("kill::an_api_that_goes", &world, command, LONG_STRIDE);
}

#[test]
fn other_settings() {
    let world = World::without_runtime();
    world.replace(RECONCILE, "//!", "//! Ours.\n//!");
    let command = "edit --multigroup --domain example.org --project-name other";
    try_every_step("kill::other_settings", &world, command, LONG_STRIDE);
}

#[test]
fn an_update() {
    let world = World::without_runtime();
    let release = Release::of(&world);
    release.version("0.0.9");
    release.had(RECONCILE, "//! Former.\n\n//!", "//!");
    release.owned("src/controller/mod.rs", "//! Former.\n//!", "//!");
    release.had("Cargo.toml", "# Former.\n[package]", "[package]");
    release.lacked("deny.toml");
    let dropped = File::owned("config/dropped.yaml", "a: b\n".to_owned());
    release.made(&dropped);
    let text = world.read(RECONCILE);
    world.write(RECONCILE, &format!("{text}// Ours.\n"));
    try_every_step("kill::an_update", &world, "update", 1);
}

/// What `another_api` runs.
const ANOTHER: &str = "create api --group app --kind Cache";
/// A file that its user edited.
const RECONCILE: &str = "src/controller/app_service/reconcile.rs";

/// The project after the command that is killed.
fn after() -> Project {
    let text = std::env::var(PROJECT).expect("what is in PROJECT");
    Project::parse(&text).expect("PROJECT")
}

/// Runs a test in a process of its own, which dies at a step.
fn die_at(step: usize, test: &str, world: &World, project: &str) -> ExitStatus {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .current_dir(world.path())
        .env(DIE_AT, step.to_string())
        .env(PROJECT, project)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("this program starts")
}

/// Dies at the first step, then at a later one, until there is none left to die at. With
/// `ROP_TEST_ROUNDS` set to any number, dies at every single one.
fn try_every_step(test: &str, world: &World, command: &str, stride: usize) {
    if std::env::var_os(DIE_AT).is_some() {
        return commit_and_die();
    }
    let stride = match std::env::var_os("ROP_TEST_ROUNDS") {
        Some(_) => 1,
        None => stride,
    };
    let after = world.copy();
    let before = after.tree();
    after.rop(command).ok();
    let after = after.tree();
    let (mut unchanged, mut finished) = (0, 0);
    for step in (0..).step_by(stride) {
        let world = world.copy();
        let status = die_at(step, test, &world, &after["PROJECT"]);
        if status.success() {
            let tree = world.tree();
            assert_eq!(
                differing(&tree, &after),
                [""; 0],
                "the commit that was left alone"
            );
            break;
        }
        assert_eq!(
            status.signal(),
            Some(libc::SIGKILL),
            "step {step}: {status}"
        );
        // Nothing is left to do once the folder has nothing but what names it.
        let folder = world.path().join(".rop-pending").read_dir();
        let is_done = folder.map_or(true, |mut left| {
            left.all(|file| file.is_ok_and(|file| file.file_name() == ".gitignore"))
        });
        // Whatever comes next heals: here a command that is refused for its own sake.
        let healed = world.rop("add api --api-version=other.org/v1 --kind=Other");
        let tree = world.tree();
        if tree == before {
            unchanged += 1;
        } else {
            let differing = differing(&tree, &after);
            assert_eq!(differing, [""; 0], "step {step} left something else behind");
            assert!(
                is_done || healed.stderr.contains("which had been interrupted"),
                "step {step}: {healed}"
            );
            finished += 1;
        }
    }
    let files = differing(&before, &after).len() / stride;
    assert!(unchanged > files, "{unchanged} deaths before the journal");
    assert!(finished > files, "{finished} deaths after it");
}

fn commit_and_die() {
    let root = std::env::current_dir().expect("a directory");
    let view = View::of(&root).expect("a view");
    let current = Project::read(&view).expect("PROJECT");
    let next = after();
    let change = Change {
        merges_edits: true,
        updates: current
            .as_ref()
            .is_some_and(|it| it.kinds == next.kinds && it.cli_version < next.cli_version),
        ..Change::new(&view, current.as_ref(), &next)
    };
    let (before, after) = change.trees().expect("trees");
    let plan = plan::plan(&view, &before, &after, false).expect("a plan");
    let mut left: usize = std::env::var(DIE_AT)
        .expect("a step")
        .parse()
        .expect("a number");
    plan::commit_observed(&root, "test", &plan, &mut |_| {
        if left == 0 {
            die();
        }
        left -= 1;
        Ok(())
    })
    .expect("a commit");
}

#[expect(unsafe_code, reason = "no safe way to kill oneself without unwinding")]
fn die() {
    // SAFETY: a signal to oneself touches no memory.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

/// A file that changed between the kill and the next command is not overwritten: the rest is undone.
#[test]
fn a_change_after_the_kill_is_kept() {
    let world = World::without_runtime();
    let mut before = world.tree();
    let after = world.copy();
    after.rop(ANOTHER).ok();
    let died = die_at(80, "kill::another_api", &world, &after.read("PROJECT"));
    assert_eq!(died.signal(), Some(libc::SIGKILL), "{died}");
    assert_ne!(world.read("PROJECT"), before["PROJECT"]);
    let path = "src/controller/mod.rs";
    world.write(path, "mine\n");
    // Whatever comes next heals, also if it is refused.
    let healed = world.rop("add api --api-version=other.org/v1 --kind=Other");
    healed.says("note: undid `rop test`, which had been interrupted: its files were changed or reverted since");
    before.insert(path.to_owned(), "mine\n".to_owned());
    assert_eq!(differing(&world.tree(), &before), [""; 0]);
}
