//! Programs of the machine that tests run beside rop: those of Debian's packages.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::say::say;

/// The programs of these names. `None`, with a line on stderr, where one is missing; on CI, which
/// installs them, that is a failure.
#[track_caller]
pub(crate) fn tools<const N: usize>(names: [&str; N]) -> Option<[PathBuf; N]> {
    let found = names.map(|name| (name, find(name)));
    if let Some((name, _)) = found.iter().find(|(_, path)| path.is_none()) {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "`{name}` is missing, and .ci/run installs it");
        say(&format!(
            "skipped: tests with {name}, which is in Debian's package of that name"
        ));
        return None;
    }
    Some(found.map(|(_, path)| path.expect("a path")))
}

/// A program on PATH, or where the system keeps those of root.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")])
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// The source of a Go module. `None`, with a line on stderr, if there is no Go, or no way to the module; on CI, which has
/// both, that is a failure.
pub(crate) fn go_module(module: &str) -> Option<PathBuf> {
    let output = Command::new("go")
        .args(["mod", "download", "-json", module])
        .output();
    let found = output.ok().and_then(|output| {
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        Some(PathBuf::from(answer["Dir"].as_str()?))
    });
    if found.is_none() {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "Go cannot load `{module}`");
        say(&format!("skipped: tests with the Go module {module}"));
    }
    found
}

/// Puts a script into a folder.
pub(crate) fn install(folder: &Path, name: &str, script: &str) {
    let text = folder.join(format!("{name}.text"));
    std::fs::write(&text, script).expect("a file");
    std::fs::set_permissions(&text, Permissions::from_mode(0o755)).expect("a script");
    copy_program(&text, &folder.join(name));
}

/// Copies a program by another process: one that this process had open to write could not be started while another test
/// starts its own.
pub(crate) fn copy_program(from: &Path, to: &Path) {
    let mut copy = Command::new("cp");
    let status = copy.arg("--preserve=mode").arg(from).arg(to).status();
    assert!(status.expect("cp runs").success());
}
