//! Fetches an archive, checks it, and unpacks it.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha512};
use tempfile::TempDir;

use crate::control_plane::{CONTROLLER_MANAGER, PROGRAMS};
use crate::error::{Code, Context, Error, Result};
use crate::hex::hex;
use crate::http::download;
use crate::ui::Ui;

use super::index::Archive;

/// How long an archive may be: those of today have 60 to 160 MB.
const MOST: u64 = 512 * 1024 * 1024;

/// How much it may unpack to: today's have 200 to 400 MB.
const MOST_UNPACKED: u64 = 2 * 1024 * 1024 * 1024;

/// How many entries it may have: today's have five.
const MOST_ENTRIES: usize = 1000;

/// Puts the programs of an archive into a folder. The folder appears when all is right with them.
#[expect(clippy::disallowed_methods, reason = "writes no file of a project")]
pub(super) fn unpack(archive: &Archive, folder: &Path, patience: Duration, ui: &Ui) -> Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    let failed = || format!("failed to write in `{}`", parent.display());
    fs::create_dir_all(parent).unwritable(failed)?;
    // On the same file system, so that it can be moved as a whole. It is gone after a failure.
    let scratch = TempDir::new_in(parent).unwritable(failed)?;
    let file = fetch(archive, patience, ui)?;
    let ready = scratch.path().join("ready");
    fs::create_dir(&ready).unwritable(failed)?;
    extract(file, &ready).context(Code::DownloadCorrupt, || {
        format!("failed to unpack `{}`", archive.url)
    })?;
    for program in PROGRAMS {
        if !ready.join(program).is_file() {
            let url = &archive.url;
            return Err(Error::new(
                Code::DownloadCorrupt,
                format!("`{url}` does not contain `{program}`"),
            ));
        }
    }
    match fs::rename(&ready, folder) {
        // Another rop was faster.
        Err(_) if folder.is_dir() => Ok(()),
        renamed => renamed.unwritable(failed),
    }
}

/// The archive in a file without a name, when its sum is right.
fn fetch(archive: &Archive, patience: Duration, ui: &Ui) -> Result<File> {
    let url = &archive.url;
    let what = format!("Kubernetes {} for tests", archive.version);
    let progress = OnceCell::new();
    let mut file = tempfile::tempfile().unwritable(|| "failed to create a temporary file")?;
    let mut sum = Sha512::new();
    let begin = |length| drop(progress.set(ui.progress("download", &what, length)));
    let keep = |part: &[u8]| {
        sum.update(part);
        if let Some(progress) = progress.get() {
            progress.advance(part.len() as u64);
        }
        file.write_all(part)
    };
    download::each(url, MOST, patience, begin, keep)?;
    let sum = hex(&sum.finalize());
    if sum != archive.sum {
        let error = Error::new(
            Code::DownloadCorrupt,
            format!(
                "checksum mismatch for `{url}`: its SHA-512 is {sum}, the index lists {}",
                archive.sum
            ),
        );
        return Err(error.hint(
            "the download was discarded; the mirror may be out of date, or a proxy may modify downloads",
        ));
    }
    file.seek(SeekFrom::Start(0))
        .context(Code::UnreadableFile, || "failed to read a temporary file")?;
    Ok(file)
}

/// Writes the programs of an archive into a folder, without the folders that they are in there. All else in it is
/// skipped, and neither its entries nor what they unpack to can be without end.
fn extract(archive: impl Read, folder: &Path) -> io::Result<()> {
    let unpacked = GzDecoder::new(archive).take(MOST_UNPACKED);
    let mut archive = tar::Archive::new(unpacked);
    // What stands before an entry, such as a long name, is an entry too: so none of it is held in memory.
    for (index, entry) in archive.entries()?.raw(true).enumerate() {
        if index >= MOST_ENTRIES {
            return Err(io::Error::other(format!(
                "the archive has more than {MOST_ENTRIES} entries"
            )));
        }
        let mut entry = entry?;
        let name = entry.path()?.file_name().map(ToOwned::to_owned);
        let programs = PROGRAMS.into_iter().chain([CONTROLLER_MANAGER]);
        if let Some(name) = name
            && entry.header().entry_type().is_file()
            && programs.into_iter().any(|program| name == program)
        {
            if entry.size() > MOST_UNPACKED {
                let name = name.display();
                return Err(io::Error::other(format!(
                    "`{name}` has more than {MOST_UNPACKED} bytes"
                )));
            }
            entry.unpack(folder.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, EntryType, Header};

    use super::*;

    /// An archive with entries of these names, sorts and sizes that they say.
    fn archive(entries: impl IntoIterator<Item = (&'static str, EntryType, u64)>) -> Vec<u8> {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, sort, size) in entries {
            let mut header = Header::new_gnu();
            header.set_path(name).expect("a path");
            header.set_entry_type(sort);
            header.set_size(size);
            header.set_mode(0o4755);
            header.set_cksum();
            let added = archive.append(&header, &[][..]);
            added.expect("an entry");
        }
        let compressed = archive.into_inner().and_then(GzEncoder::finish);
        compressed.expect("an archive")
    }

    fn extracted(archive: &[u8]) -> (io::Result<()>, Vec<String>) {
        let folder = TempDir::new().expect("a folder");
        let result = extract(archive, folder.path());
        let files = folder.path().read_dir().expect("a folder");
        let name = |file: io::Result<fs::DirEntry>| file.expect("a file").file_name();
        let mut names: Vec<_> = files
            .map(|file| name(file).to_string_lossy().into_owned())
            .collect();
        names.sort();
        (result, names)
    }

    #[test]
    fn programs_alone_are_taken() {
        let (file, link) = (EntryType::Regular, EntryType::Symlink);
        let (result, names) = extracted(&archive([
            ("controller-tools/envtest/etcd", file, 0),
            ("controller-tools/envtest/kubectl", link, 0),
            ("controller-tools/envtest/kube-controller-manager", file, 0),
            ("other", file, 0),
        ]));
        result.expect("it is unpacked");
        assert_eq!(names, ["etcd", "kube-controller-manager"]);
    }

    #[test]
    fn entries_end() {
        let entries = vec![("a", EntryType::Regular, 0); MOST_ENTRIES + 1];
        let error = extracted(&archive(entries)).0.expect_err("too many");
        assert!(error.to_string().contains("entries"), "{error}");
    }

    #[test]
    fn sizes_have_a_limit() {
        let entry = ("etcd", EntryType::Regular, MOST_UNPACKED + 1);
        let (result, names) = extracted(&archive([entry]));
        let error = result.expect_err("too large");
        assert!(error.to_string().contains("more than"), "{error}");
        assert!(names.is_empty());
    }

    /// A long name that says that it has more than there is memory.
    #[test]
    fn names_have_a_limit() {
        let name = ("long", EntryType::GNULongName, MOST_UNPACKED * 8);
        let (result, names) = extracted(&archive([name]));
        assert!(result.is_err());
        assert!(names.is_empty());
    }
}
