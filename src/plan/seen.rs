//! What was seen of the vendored folder last, so that not all of its files are read by each command.
//!
//! The kernel knows which file stands at a path, and when it was changed last, which no program can set: while that is
//! the same of all files, nobody has edited one. It is noted for one machine, and not committed.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::disk::Disk;
use super::journal::digest;
use super::pending::Folder;
use super::{Change, File, Ownership, Tree};
use crate::disk::{View, read_text};

/// Where it is noted.
const PATH: &str = ".rop/seen";

/// What was changed so lately may change again at what is, to the clock of the disk, the same moment.
const SETTLED: Duration = Duration::from_millis(100);

/// The files of the vendored folder, as they are.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Says which files they are, and when each was changed last. None if that cannot be known.
    files: Option<String>,
    /// Whether the same was noted, once all of them were found to be rop's.
    is_noted: bool,
}

impl Seen {
    /// Looks at the files of the vendored folder in `desired`. None of them is read before that.
    pub(super) fn look(view: &View, disk: &mut Disk<'_>, desired: &Tree) -> Self {
        let files = files(disk, desired);
        let noted = view.root().join(PATH);
        let is_file = fs::symlink_metadata(&noted).is_ok_and(|noted| noted.is_file());
        let noted = is_file.then(|| read_text(&noted).ok()).flatten();
        Self {
            is_noted: files.is_some() && noted == files,
            files,
        }
    }

    /// Whether a file is as it was when it was found to be rop's.
    pub(super) fn is_same(&self, file: &File) -> bool {
        self.is_noted && file.ownership() == Ownership::Vendored
    }

    /// Notes what was seen, now that a plan is carried out: all of it is rop's but for what has changed. Whatever stands
    /// in the way of that, the next command reads the files.
    pub(super) fn note(&self, view: &View, folder: &Folder, changes: &[Change]) -> Option<()> {
        let is_vendored = |change: &Change| change.ownership == Ownership::Vendored;
        if self.is_noted || changes.iter().any(is_vendored) {
            return None;
        }
        let (staged, target) = (folder.staged(changes.len()), view.root().join(PATH));
        fs::write(&staged, self.files.as_ref()?).ok()?;
        // A link may lead anywhere. One that stands for the file itself is replaced.
        let is_own = fs::symlink_metadata(target.parent()?).is_ok_and(|it| it.is_dir());
        is_own.then(|| fs::rename(staged, target).ok()).flatten()
    }
}

/// The vendored files of a tree as they are on disk: none if one is not there, is behind a link or was changed just now.
fn files(disk: &mut Disk<'_>, desired: &Tree) -> Option<String> {
    let mut last = SystemTime::UNIX_EPOCH;
    let mut files = String::new();
    for file in desired.files() {
        if file.ownership() == Ownership::Vendored {
            let metadata = disk.own_file(Path::new(file.path()))?;
            last = last.max(changed(&metadata)?);
            files.extend([file.path(), " ", &identity(&metadata)?, "\n"]);
        }
    }
    let age = SystemTime::now().duration_since(last).ok()?;
    let sums = desired.vendored_sums()?;
    (age > SETTLED).then(|| format!("{}\n", digest(&format!("{sums}{files}"))))
}

/// When a file was changed last.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let rest = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, rest))
}

/// Unknown here: what a program can set proves nothing.
#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}

/// Which file it is, of all on this machine, and in which state.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let (seconds, rest) = (metadata.ctime(), metadata.ctime_nsec());
    // Whole seconds tell little.
    let is_exact = rest != 0;
    let file = format!("{} {} {}", metadata.dev(), metadata.ino(), metadata.len());
    is_exact.then(|| format!("{file} {seconds}.{rest:09}"))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<String> {
    None
}
