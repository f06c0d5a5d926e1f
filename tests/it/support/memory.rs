//! Where tests have their folders: in memory, where there is enough of it. They make and remove a hundred thousand
//! files, for which a disk takes ten times as long.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs, process};

use tempfile::TempDir;

/// A file system in memory, on Linux.
const MEMORY: &str = "/dev/shm";

/// The tests take less than one of these, in GiB.
const ENOUGH: u64 = 4;

/// What the names of the folders begin with. The number of the process comes next.
const PREFIX: &str = "rop-";

/// A new folder, where `TMPDIR` says or else in memory.
pub(crate) fn temporary() -> TempDir {
    static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
        let memory = Path::new(MEMORY);
        if env::var_os("TMPDIR").is_some() || !is_fit(memory) {
            return env::temp_dir();
        }
        remove_what_was_left(memory);
        memory.to_owned()
    });
    let prefix = format!("{PREFIX}{}-", process::id());
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(&*PLACE);
    folder.expect("a temporary directory")
}

/// Whether a folder is a file system in memory that has enough of it, and runs programs.
fn is_fit(folder: &Path) -> bool {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).arg(folder).output();
        output.map_or_else(
            |_| String::new(),
            |output| String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let room = said("df", &["--output=avail", "--block-size=1G"]);
    let room = room
        .lines()
        .nth(1)
        .and_then(|line| line.trim().parse().ok());
    let mounted = said("findmnt", &["--noheadings", "--output=FSTYPE,OPTIONS"]);
    room.is_some_and(|room: u64| room >= ENOUGH)
        && mounted.starts_with("tmpfs")
        && !mounted.contains("noexec")
}

/// Memory that a killed run has left would be lost until the machine starts again.
fn remove_what_was_left(memory: &Path) {
    for entry in fs::read_dir(memory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'))
            .and_then(|(number, _)| number.parse::<u32>().ok());
        if number.is_some_and(|number| !Path::new(&format!("/proc/{number}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
