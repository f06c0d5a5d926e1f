//! Builds generated projects: all of them into one target directory, so that what they depend on
//! compiles once.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Outcome, World};

/// The target directory of every generated project.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated")
}

/// Runs cargo in the project of `world`.
pub(crate) fn cargo(world: &World, arguments: &str) -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(arguments.split_whitespace())
        .current_dir(world.path())
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS");
    world.run(&mut command)
}

/// Runs rop in the project of `world`, where it builds into the shared directory.
pub(crate) fn rop(world: &World, arguments: &str) -> Outcome {
    let mut command = world.command(".");
    command
        .args(arguments.split_whitespace())
        .env("CARGO_TARGET_DIR", target());
    world.run(&mut command)
}
