//! What was seen of the vendored folder last, so that not all of its files are read by each command.
//!
//! Only the kernel sets the moment at which a file was changed last: an edit, a checkout and a copy give it another one.
//! So a file that was rop's, and was not changed since, still is. What is noted is true of the files of one machine, and
//! is not committed.

use std::fs::{self, File as OnDisk, Metadata};
use std::io::{self, Write};
use std::path::Path;

use super::disk::Disk;
use super::pending::Folder;
use super::sum::sum;
use super::vendor::sums_of;
use super::{Change, File, Ownership, Tree};
use crate::disk::{View, read_text};

/// Where it is noted.
const PATH: &str = ".rop/seen";

/// When a file was changed, in nanoseconds since 1970.
type Moment = i128;

/// The files of the vendored folder, as they were seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Says whose files they are: those of one release.
    release: String,
    /// Until when changes were found to be rop's.
    known: Option<Moment>,
    /// The last change.
    last: Option<Moment>,
}

impl Seen {
    /// What is noted of the vendored folder that `wanted` has.
    pub(super) fn read(view: &View, wanted: &Tree) -> Self {
        let release = sums_of(wanted).map(|sums| sum(sums.path(), sums.text()));
        let release = release.unwrap_or_default();
        Self {
            known: noted(&view.root().join(PATH), &release),
            release,
            last: None,
        }
    }

    /// Whether a file is as it was when it was found to be rop's.
    pub(super) fn is_same(&mut self, disk: &mut Disk<'_>, file: &File) -> bool {
        if file.ownership() != Ownership::Vendored {
            return false;
        }
        let metadata = disk.own_file(file.path());
        let changed = metadata.as_ref().and_then(moment);
        self.last = self.last.max(changed);
        let is_long = |it: Metadata| it.len() == file.length() as u64;
        changed.is_some() && changed <= self.known && metadata.is_some_and(is_long)
    }

    /// Notes what was seen, now that all that was not rop's is: `changes` are carried out. Whatever stands in the way of
    /// it, the next command reads the files.
    pub(super) fn note(&self, view: &View, folder: &Folder, changes: &[Change]) -> Option<()> {
        let is_vendored = |change: &&Change| change.ownership == Ownership::Vendored;
        let written = changes.iter().rfind(is_vendored);
        let written = written.and_then(|it| moment(&metadata(&view.root().join(&it.path)).ok()?));
        let last = self.last.max(written);
        if last <= self.known {
            return None;
        }
        let staged = folder.staged(changes.len());
        let mut file = OnDisk::create_new(&staged).ok()?;
        let own = identity(&file.metadata().ok()?);
        writeln!(file, "{} {} {own}", self.release, last?).ok()?;
        let target = view.root().join(PATH);
        // A link may lead anywhere. One that stands for the file itself is replaced.
        let is_own = metadata(target.parent()?).is_ok_and(|it| it.is_dir());
        is_own.then(|| fs::rename(staged, target).ok()).flatten()
    }
}

/// Until when changes are known to be rop's, of the files of a release.
///
/// A clone can bring this file. It cannot know which one it will be, nor when.
fn noted(path: &Path, release: &str) -> Option<Moment> {
    let own = metadata(path).ok().filter(Metadata::is_file)?;
    let text = read_text(path).ok()?;
    let mut words = text.split_whitespace();
    let is_of_release = words.next() == Some(release);
    let until = words.next()?.parse().ok()?;
    let is_here = words.next() == Some(&*identity(&own));
    (is_of_release && is_here && Some(until) <= moment(&own)).then_some(until)
}

fn metadata(path: &Path) -> io::Result<Metadata> {
    fs::symlink_metadata(path)
}

/// When a file was changed last.
#[cfg(unix)]
fn moment(metadata: &Metadata) -> Option<Moment> {
    use std::os::unix::fs::MetadataExt;
    let [seconds, rest] = [metadata.ctime(), metadata.ctime_nsec()].map(Moment::from);
    // In a whole second there is time for an edit.
    (rest != 0).then_some(seconds * 1_000_000_000 + rest)
}

/// Unknown here: what a program can set proves nothing.
#[cfg(not(unix))]
fn moment(_: &Metadata) -> Option<Moment> {
    None
}

/// Which file it is, of all on its disk.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    metadata.ino().to_string()
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> String {
    String::new()
}
