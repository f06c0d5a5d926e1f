//! Fetches an archive, checks it, and unpacks it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha512};
use tempfile::TempDir;

use crate::control_plane::PROGRAMS;
use crate::error::{Context, Error, Result};
use crate::hex::hex;
use crate::ui::{Progress, Ui};

use super::http;
use super::index::Archive;

/// Puts the programs of an archive into a folder. The folder appears when all is right with them.
#[expect(clippy::disallowed_methods, reason = "it is no file of a project")]
pub(super) fn unpack(archive: &Archive, folder: &Path, ui: &Ui) -> Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    let failed = || format!("failed to write below `{}`", parent.display());
    fs::create_dir_all(parent).context(failed)?;
    // On the same file system, so that it can be moved as a whole. It is gone after a failure.
    let scratch = TempDir::new_in(parent).context(failed)?;
    let file = fetch(archive, ui)?;
    let ready = scratch.path().join("ready");
    fs::create_dir(&ready).context(failed)?;
    extract(file, &ready).context(|| format!("`{}` cannot be unpacked", archive.url))?;
    for program in PROGRAMS {
        if !ready.join(program).is_file() {
            let url = &archive.url;
            return Err(Error::new(format!("`{url}` holds no `{program}`")));
        }
    }
    match fs::rename(&ready, folder) {
        // Another rop was faster.
        Err(_) if folder.is_dir() => Ok(()),
        renamed => renamed.context(failed),
    }
}

/// The archive in a file without a name, when its sum is right.
fn fetch(archive: &Archive, ui: &Ui) -> Result<File> {
    let url = &archive.url;
    let mut answer = http::get(url)?;
    let length = answer.content_length();
    let what = format!("Kubernetes {} for tests", archive.version);
    let progress = ui.progress("download", &what, length);
    let mut file = tempfile::tempfile().context(|| "failed to make a temporary file")?;
    let mut counted = Counted {
        inner: &mut answer,
        sum: Sha512::new(),
        progress: &progress,
        count: 0,
    };
    io::copy(&mut counted, &mut file)
        .context(|| format!("`{url}` did not arrive in one piece: try again"))?;
    let (count, sum) = (counted.count, hex(&counted.sum.finalize()));
    if sum != archive.sum {
        let error = Error::new(format!(
            "`{url}` is not what the list says: its SHA-512 is {sum}, not {}",
            archive.sum
        ));
        return Err(match length {
            Some(length) if length > count => error.hint("the download is incomplete: try again"),
            _ => error.hint(
                "nothing was kept; a mirror may be out of date, or something between you and it changes downloads",
            ),
        });
    }
    file.seek(SeekFrom::Start(0))
        .context(|| "failed to read a temporary file")?;
    Ok(file)
}

/// What passes is counted and summed up.
struct Counted<'a, R> {
    inner: R,
    sum: Sha512,
    progress: &'a Progress,
    count: u64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.sum.update(&buffer[..length]);
        self.progress.advance(length as u64);
        self.count += length as u64;
        Ok(length)
    }
}

/// Writes the programs of an archive into a folder, without those that they are in there.
fn extract(archive: File, folder: &Path) -> io::Result<()> {
    for entry in tar::Archive::new(GzDecoder::new(archive)).entries()? {
        let mut entry = entry?;
        let name = entry.path()?.file_name().map(ToOwned::to_owned);
        match name {
            Some(name) if entry.header().entry_type().is_file() => {
                entry.unpack(folder.join(name))?;
            }
            _ => {}
        }
    }
    Ok(())
}
