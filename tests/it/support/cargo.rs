//! Builds generated projects. What cargo makes on the way to their programs is where it is for these tests, so that
//! what the library depends on compiles once; the programs themselves are in the project, in `target`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::SystemTime;

use rop::project::Project;
use toml_edit::DocumentMut;

use super::say::say;
use super::{Outcome, World};

/// A program that was built in the project of `world`.
pub(crate) fn built(world: &World, name: &str) -> PathBuf {
    world.path().join("target/debug").join(name)
}

/// The right to build a project, until it is dropped. Its lock ends with the file.
pub(crate) struct Turn(#[expect(dead_code, reason = "it is only held")] File);

/// Where cargo keeps what it makes on the way to the programs of all generated projects.
pub(crate) fn intermediate() -> PathBuf {
    let ours = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    ours.expect("a target directory").to_owned()
}

/// What builds of generated projects share. Most are built once: what helps a second build is left out.
///
/// Their code is built by clippy, as `clippy.sh` says. `cargo clippy` checks with it too, and with that all that they
/// depend on once more.
pub(crate) fn settings() -> Vec<(&'static str, OsString)> {
    let clippy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/clippy.sh");
    let mut settings = vec![
        (WORKSPACE_WRAPPER, clippy.into()),
        ("CARGO_BUILD_BUILD_DIR", intermediate().into()),
        ("CARGO_INCREMENTAL", "0".into()),
        ("CARGO_PROFILE_DEV_DEBUG", "none".into()),
    ];
    // What these tests depend on is taken from them if it is built in the same way.
    let units = "CARGO_PROFILE_DEV_CODEGEN_UNITS";
    settings.extend(std::env::var_os(units).map(|value| (units, value)));
    settings
}

/// Has cargo build what the project of `world` depends on as it does for these tests.
fn configure(world: &World) {
    static CONFIGURATION: LazyLock<String> = LazyLock::new(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).expect("a manifest");
        let manifest: DocumentMut = manifest.parse().expect("TOML");
        let mut configuration = DocumentMut::new();
        configuration["profile"]["dev"]["package"] = manifest["profile"]["dev"]["package"].clone();
        configuration.to_string()
    });
    let folder = world.path().with_file_name(".cargo");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), &*CONFIGURATION).expect("a file");
}

/// rustdoc, for `cargo test --doc`: it builds the docs.
pub(crate) const RUSTDOC: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/rustdoc.sh");

/// What builds the crates of a workspace, but not what they depend on.
pub(crate) const WORKSPACE_WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// What a release leaves out where its size is not the question, beside [`settings`].
pub(crate) const QUICK_RELEASE: [(&str, &str); 2] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
];

/// Runs cargo in the project of `world`. Tests that want an API server are skipped.
#[must_use = "look at how the command ended"]
pub(crate) fn cargo(world: &World, arguments: &str) -> Outcome {
    cargo_with(world, arguments, [])
}

/// Where tests look for the programs of a control plane.
pub(crate) const ASSETS: &str = "KUBEBUILDER_ASSETS";

/// Runs cargo in the project of `world`, with more in its environment, such as [`ASSETS`].
#[must_use = "look at how the command ended"]
pub(crate) fn cargo_with<'a>(
    world: &World,
    arguments: &str,
    variables: impl IntoIterator<Item = (&'a str, &'a OsStr)>,
) -> Outcome {
    let _turn = turn(world);
    let mut command = command();
    command
        .args(arguments.split_whitespace())
        .current_dir(world.path())
        .envs(settings())
        .env("CARGO_TERM_COLOR", "never")
        .env_remove(ASSETS)
        .env_remove("RUSTFLAGS")
        .envs(variables);
    // One seed shows that it runs, unless the simulation is what this is about.
    if !arguments.contains("--test simulation") {
        command.env("SIMULATION_SEEDS", "1");
    }
    world.run(&mut command)
}

/// Cargo, as a shell would start it. What the cargo that runs these tests says of their package is kept from it:
/// the build script of ring asks for that, and TLS and all that is above it would be compiled once more.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let starts = ["CARGO_PKG_", "CARGO_MANIFEST_"];
        if text == "OUT_DIR" || starts.iter().any(|start| text.starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs rop in the project of `world`, where it builds.
#[must_use = "look at how the command ended"]
pub(crate) fn rop(world: &World, arguments: &str) -> Outcome {
    let _turn = turn(world);
    let mut command = world.command(".");
    command.args(arguments.split_whitespace()).envs(settings());
    world.run(&mut command)
}

/// Waits until no other project of the same name is built or tested, even by another run of the tests: a test that takes
/// long has a name of its own for its project. The turn ends when it is dropped. Cargo tells by their times whether
/// sources are built, so those of a project that is not the last of its name have to be newer than what was built. But
/// a runtime that is the repository's is as old as that: it is built once for all projects.
pub(crate) fn turn(world: &World) -> Turn {
    // Before there is a project, the turn is that of all who have none.
    let name = std::fs::read_to_string(world.path().join("PROJECT")).map_or_else(
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
    configure(world);
    // What one builds is what another would find: the file says which was the last.
    let folder = intermediate().join("turns");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(path).expect("a file");
    file.lock().expect("a turn");
    let mut last = String::new();
    file.read_to_string(&mut last).expect("a path");
    let path = world.path();
    let path = path.to_str().expect("a path in UTF-8");
    if last != path {
        // The page of the crate is a source as well.
        let is_source = |path: &&String| path.ends_with(".rs") || path.starts_with("runtime/");
        for path in world.tree().keys().filter(is_source) {
            let time = age_of_runtime(world, path).unwrap_or_else(SystemTime::now);
            set_time(world, path, time);
        }
        file.set_len(0).expect("a file");
        file.rewind().expect("a file");
        file.write_all(path.as_bytes()).expect("a file");
    }
    Turn(file)
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
    let text = std::fs::read_to_string(&original).ok()?;
    // The first line of a vendored crate keeps its warnings from the user.
    let is_same = world.read(path).ends_with(&as_vendored(&text));
    original
        .metadata()
        .ok()?
        .modified()
        .ok()
        .filter(|_| is_same)
}

/// A source of the library as projects have it: without the modules of its own tests.
pub(crate) fn as_vendored(text: &str) -> String {
    let modules = ["", "pub(crate) ", "pub(super) "];
    let modules = modules.map(|visibility| format!("#[cfg(test)]\n{visibility}mod tests;\n"));
    modules
        .iter()
        .fold(text.to_owned(), |text, module| text.replace(module, ""))
}
