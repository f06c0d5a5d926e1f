//! Programs of the machine that tests run beside rop: those of Debian's packages.

use std::path::PathBuf;

/// The programs of these names. `None`, with a line on stderr, where one is missing; on CI, which
/// installs them, that is a failure.
#[track_caller]
pub(crate) fn tools<const N: usize>(names: [&str; N]) -> Option<[PathBuf; N]> {
    let found = names.map(|name| (name, find(name)));
    if let Some((name, _)) = found.iter().find(|(_, path)| path.is_none()) {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "`{name}` is missing, and .ci/run installs it");
        eprintln!("skipped: no `{name}`, which is in Debian's package of that name");
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
