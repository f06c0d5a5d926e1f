//! Builds generated projects: all of them into one target directory, so that what they depend on
//! compiles once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};
use std::time::SystemTime;

use rop::project::Project;

use super::{Outcome, World};

/// Of the projects of each name, the one that was built last: what one builds is what another would
/// find.
static LAST: Mutex<Built> = Mutex::new(BTreeMap::new());

/// Projects by their names.
type Built = BTreeMap<String, PathBuf>;

/// The target directory of every generated project.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated")
}

/// What builds of generated projects share. Most are built once: what helps a second build is left
/// out.
pub(crate) fn settings() -> [(&'static str, OsString); 3] {
    [
        ("CARGO_TARGET_DIR", target().into()),
        ("CARGO_INCREMENTAL", "0".into()),
        ("CARGO_PROFILE_DEV_DEBUG", "none".into()),
    ]
}

/// Runs cargo in the project of `world`. Tests that want an API server are skipped.
#[must_use = "look at how the command ended"]
pub(crate) fn cargo(world: &World, arguments: &str) -> Outcome {
    cargo_with(world, arguments, None)
}

/// Runs cargo in the project of `world`, with the folder of a control plane for its tests.
#[must_use = "look at how the command ended"]
pub(crate) fn cargo_with(world: &World, arguments: &str, assets: Option<&OsStr>) -> Outcome {
    let _turn = turn(world);
    let mut command = Command::new(env!("CARGO"));
    command
        .args(arguments.split_whitespace())
        .current_dir(world.path())
        .envs(settings())
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("KUBEBUILDER_ASSETS")
        .env_remove("RUSTFLAGS");
    for name in of_this_package() {
        command.env_remove(name);
    }
    if let Some(assets) = assets {
        command.env("KUBEBUILDER_ASSETS", assets);
    }
    // One seed shows that it runs, unless the simulation is what this is about.
    if !arguments.contains("--test simulation") {
        command.env("SIMULATION_SEEDS", "1");
    }
    world.run(&mut command)
}

/// What cargo tells this test of its package. The build script of ring asks for it, so with it, after a build
/// of rop's without it, TLS and all that is above it would be compiled once more.
fn of_this_package() -> impl Iterator<Item = OsString> {
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    })
}

/// Runs rop in the project of `world`, where it builds into the shared directory.
#[must_use = "look at how the command ended"]
pub(crate) fn rop(world: &World, arguments: &str) -> Outcome {
    let _turn = turn(world);
    let mut command = world.command(".");
    command.args(arguments.split_whitespace()).envs(settings());
    world.run(&mut command)
}

/// Waits for the target directory. Cargo tells by their times whether sources are built, so those
/// of a project that is not the last of its name have to be newer than what was built. But a runtime that
/// is the repository's is as old as that: it is built once for all projects.
#[must_use = "the turn ends when it is dropped"]
pub(crate) fn turn(world: &World) -> MutexGuard<'static, Built> {
    let mut last = LAST
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let Ok(text) = std::fs::read_to_string(world.path().join("PROJECT")) else {
        // Of whatever name it will be, it is newer than what was built.
        last.clear();
        return last;
    };
    let project = Project::parse(&text).expect("PROJECT");
    let name = project.project_name.to_string();
    if last.get(&name) != Some(&world.path()) {
        // The page of the crate is a source as well.
        let is_source = |path: &&String| path.ends_with(".rs") || path.starts_with("runtime/");
        for path in world.tree().keys().filter(is_source) {
            let time = age_of_runtime(world, path).unwrap_or_else(SystemTime::now);
            let file = std::fs::File::options()
                .append(true)
                .open(world.path().join(path));
            file.and_then(|file| file.set_modified(time))
                .expect("a time");
        }
        last.insert(name, world.path());
    }
    last
}

/// When a source of the runtime was changed in the repository, where it is as it is there.
fn age_of_runtime(world: &World, path: &str) -> Option<SystemTime> {
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let is_of_runtime = path.starts_with("runtime/");
    let text = std::fs::read_to_string(&original)
        .ok()
        .filter(|_| is_of_runtime)?;
    // The first line of a vendored crate keeps its warnings from the user.
    let is_same = world.read(path).ends_with(&text);
    original
        .metadata()
        .ok()?
        .modified()
        .ok()
        .filter(|_| is_same)
}
