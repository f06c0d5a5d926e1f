//! Builds generated projects. What cargo makes on the way to their programs is in a [slot](super::slot), so that what
//! the library depends on compiles once; the programs themselves are in the project, in `target`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::turn::turn;
use super::variant::{Part, compiled};
use super::{Outcome, World};

/// A program that was built in the project of `world`.
pub(crate) fn built(world: &World, name: &str) -> PathBuf {
    world.path().join("target/debug").join(name)
}

/// What builds of generated projects share. Most are built once: what helps a second build is left out.
///
/// Their code is built by clippy, as `clippy.sh` says. `cargo clippy` checks with it too, and with that all that they
/// depend on once more.
pub(crate) fn settings() -> Vec<(&'static str, OsString)> {
    let clippy = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/clippy.sh");
    let mut settings = vec![
        (WORKSPACE_WRAPPER, clippy.into()),
        ("CARGO_INCREMENTAL", "0".into()),
        ("CARGO_PROFILE_DEV_DEBUG", "none".into()),
    ];
    // What these tests depend on is taken from them if it is built in the same way.
    let units = "CARGO_PROFILE_DEV_CODEGEN_UNITS";
    settings.extend(std::env::var_os(units).map(|value| (units, value)));
    settings
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
    match arguments.split_whitespace().next() {
        Some("build") if arguments.starts_with(BUILD_TYPES) => compile(world, Part::Types),
        Some("build") => compile(world, Part::Program),
        Some("test") => compile(world, Part::Tests),
        _ => {}
    }
    in_turn(world, arguments, variables)
}

/// Builds the types of a project. The operator is selected for its features, as rop does: what the types depend on is
/// compiled once.
pub(crate) const BUILD_TYPES: &str = "build --workspace --exclude rop-runtime --bin crdgen";

/// Compiles what the project of `world`, whose turn it is, depends on, where no other one has. What does not compile is
/// found by what comes next.
pub(crate) fn compile(world: &World, part: Part) {
    let command = match part {
        Part::Types => BUILD_TYPES,
        Part::Program => "build",
        Part::Tests => "test --no-run",
    };
    compiled(world, part, || drop(in_turn(world, command, [])));
}

#[must_use = "look at how the command ended"]
fn in_turn<'a>(
    world: &World,
    arguments: &str,
    variables: impl IntoIterator<Item = (&'a str, &'a OsStr)>,
) -> Outcome {
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
    compile(world, Part::Types);
    let mut command = world.command(".");
    command.args(arguments.split_whitespace()).envs(settings());
    world.run(&mut command)
}

/// A source of the library as projects have it: without the modules of its own tests.
pub(crate) fn as_vendored(text: &str) -> String {
    let modules = ["", "pub(crate) ", "pub(super) "];
    let modules = modules.map(|visibility| format!("#[cfg(test)]\n{visibility}mod tests;\n"));
    modules
        .iter()
        .fold(text.to_owned(), |text, module| text.replace(module, ""))
}
