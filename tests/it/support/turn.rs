//! Turns: who builds in which slot. Cargo locks a directory for as long as it builds, so there are several.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, SystemTime};

use rop::project::Project;
use toml_edit::{DocumentMut, value};

use super::World;
use super::say::say;
use super::slot::Slot;

/// The right to build a project, until it is dropped. Its lock ends with the file.
pub(crate) struct Turn(#[expect(dead_code, reason = "it is only held")] File);

/// Waits until no other project is built or tested in the slot of `world`, even by another run of the tests. The first
/// turn of a world takes a slot that is free, and it stays there. The turn ends when it is dropped.
pub(crate) fn turn(world: &World) -> Turn {
    // Before there is a project, the turn is that of all who have none.
    let name = fs::read_to_string(world.path().join("PROJECT")).map_or_else(
        |_| "none".to_owned(),
        |text| {
            let project = Project::parse(&text).expect("PROJECT");
            project.project_name.to_string()
        },
    );
    turn_of(&name, world)
}

/// Like [`turn`], for a project of this name that is made and built within the turn.
pub(crate) fn turn_of(name: &str, world: &World) -> Turn {
    say(
        "builds of generated projects begin: two minutes on two cores as a rule, more with an API server",
    );
    let (slot, lock) = take(world);
    slot.share_dependencies();
    let last = slot.last(name);
    let path = world.path();
    let path = path.to_str().expect("a path in UTF-8");
    // Cargo tells by their times whether sources are built, so those of a project that is not the last of its name have
    // to be newer than what was built. But a runtime that is the repository's is as old as that: it is built once for
    // all projects.
    if fs::read_to_string(&last).unwrap_or_default() != path {
        // The page of the crate is a source as well.
        let is_source = |path: &&String| path.ends_with(".rs") || path.starts_with("runtime/");
        for path in world.tree().keys().filter(is_source) {
            let time = age_of_runtime(world, path).unwrap_or_else(SystemTime::now);
            set_time(world, path, time);
        }
        fs::write(last, path).expect("a file");
    }
    Turn(lock)
}

/// Has a world built in the first slot: cargo knows a release by the name of its directory, among others.
pub(crate) fn build_in_first(world: &World) {
    configure(world, &Slot::first());
}

/// Waits for the slot of a world, or for one that is free.
fn take(world: &World) -> (Slot, File) {
    if let Some(slot) = slot(world) {
        let lock = slot.lock_file();
        lock.lock().expect("a turn");
        return (slot, lock);
    }
    loop {
        for slot in Slot::all() {
            let lock = slot.lock_file();
            match lock.try_lock() {
                Ok(()) => {
                    let apart = world.path().join("target/debug/deps");
                    assert!(
                        !apart.exists(),
                        "it compiled all dependencies before its turn"
                    );
                    configure(world, &slot);
                    return (slot, lock);
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => panic!("{error}"),
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// The slot of a world: its configuration of cargo names it.
pub(crate) fn slot(world: &World) -> Option<Slot> {
    let text = fs::read_to_string(configuration(world)).ok()?;
    let text: DocumentMut = text.parse().expect("TOML");
    let folder = text["build"]["build-dir"].as_str().expect("a directory");
    Some(Slot::in_folder(folder))
}

fn configuration(world: &World) -> PathBuf {
    world.path().with_file_name(".cargo").join("config.toml")
}

/// Has cargo build what the project of `world` depends on as it does for these tests.
pub(crate) fn configure(world: &World, slot: &Slot) {
    static CONFIGURATION: LazyLock<DocumentMut> = LazyLock::new(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a manifest");
        let manifest: DocumentMut = manifest.parse().expect("TOML");
        let mut configuration = DocumentMut::new();
        configuration["profile"]["dev"]["package"] = manifest["profile"]["dev"]["package"].clone();
        configuration
    });
    let mut text = CONFIGURATION.clone();
    text["build"]["build-dir"] = value(&*slot.folder().to_string_lossy());
    let file = configuration(world);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, text.to_string()).expect("a file");
}

/// Makes the runtime of a project as old as it is in the repository, for a project that is made within a turn.
/// A runtime that is newer would be built anew, and for that time the documentation tests of another project,
/// which hold no lock of cargo's, have none.
pub(crate) fn age_runtime(world: &World) {
    for path in world.tree().keys() {
        if let Some(time) = age_of_runtime(world, path) {
            set_time(world, path, time);
        }
    }
}

fn set_time(world: &World, path: &str, time: SystemTime) {
    let file = File::options().append(true).open(world.path().join(path));
    file.and_then(|file| file.set_modified(time))
        .expect("a time");
}

/// When a source of the runtime was changed in the repository, where it is as it is there.
fn age_of_runtime(world: &World, path: &str) -> Option<SystemTime> {
    if !path.starts_with("runtime/") {
        return None;
    }
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(&original).ok()?;
    // The first line of a vendored crate keeps its warnings from the user.
    let is_same = world
        .read(path)
        .ends_with(&super::cargo::as_vendored(&text));
    original
        .metadata()
        .ok()?
        .modified()
        .ok()
        .filter(|_| is_same)
}
