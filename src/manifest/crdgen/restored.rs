//! Sources that changed although their times say otherwise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cargo::Built;
use crate::disk;

/// The local packages with a source that was put in place after they were built, with an older time: cargo takes it
/// for built. If the clock went back since, the times say nothing, and the package is named as well.
pub(super) fn packages<'a>(built: &'a Built, root: &Path) -> BTreeSet<&'a str> {
    if !built.is_fresh {
        return BTreeSet::new();
    }
    let dep_info = disk::read_text(&built.program.with_extension("d")).unwrap_or_default();
    let sources = sources(&dep_info).into_iter().map(|path| root.join(path));
    let stale = sources.filter_map(|path| {
        let mut folders = path.ancestors();
        let library = folders.find_map(|folder| built.libraries.get(folder))?;
        let end = library.file.metadata().and_then(|it| it.modified()).ok()?;
        let is_stale = end > SystemTime::now() || changed_at(&path)? > end;
        is_stale.then_some(&*library.package)
    });
    stale.collect()
}

/// When the file came to be as it is, or under this name: nobody can set that time.
#[cfg(unix)]
fn changed_at(path: &Path) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    use std::time::Duration;

    let metadata = path.metadata().ok()?;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds))
}

#[cfg(not(unix))]
fn changed_at(_path: &Path) -> Option<SystemTime> {
    None
}

/// The files behind the colon of a dep-info file, in which a blank is escaped.
fn sources(dep_info: &str) -> Vec<PathBuf> {
    let line = dep_info.lines().next().unwrap_or_default();
    let (_, files) = line.split_once(": ").unwrap_or_default();
    files
        .replace("\\ ", "\0")
        .split_whitespace()
        .map(|file| file.replace('\0', " ").into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_files_of_a_dep_info_file() {
        let text = "/t/debug/crdgen: /a/api/src/lib.rs /a\\ b/api/src/lib.rs\n";
        let expected = ["/a/api/src/lib.rs", "/a b/api/src/lib.rs"].map(PathBuf::from);
        assert_eq!(sources(text), expected);
    }
}
