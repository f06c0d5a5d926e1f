//! The archives that layers are.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use oci_spec::image::MediaType;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::image::blob::Blob;

/// What all layers of an image unpack to, in bytes.
const MOST_UNPACKED: u64 = 64 << 20;

/// How many entries they have.
const MOST_ENTRIES: usize = 4000;

/// A layer, taken apart.
#[derive(Debug, Default)]
pub(super) struct Layer {
    /// What of the layers below is gone.
    pub(super) whiteouts: Vec<Whiteout>,
    pub(super) entries: Vec<(PathBuf, Entry)>,
}

#[derive(Debug)]
pub(super) enum Whiteout {
    /// A path, with all below it.
    Path(PathBuf),
    /// All that is in a folder.
    Content(PathBuf),
}

/// What a layer has at a path.
#[derive(Debug)]
pub(super) enum Entry {
    Folder,
    File(Bytes),
    /// A link to a path, as the file system of a container has it.
    Symlink(PathBuf),
    /// Another name of a file of the image.
    HardLink(PathBuf),
    /// A device, a pipe, or a file with holes.
    Special,
}

/// What the layers of an image may still take.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: u64,
    entries: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: MOST_UNPACKED,
            entries: MOST_ENTRIES,
        }
    }
}

/// The digests that the configuration of an image has of its unpacked layers; none if it has none.
pub(super) fn sums(config: &Value, layers: usize) -> io::Result<Vec<&str>> {
    let Some(sums) = config["rootfs"]["diff_ids"].as_array() else {
        return Ok(Vec::new());
    };
    if sums.len() == layers {
        Ok(sums
            .iter()
            .map(|sum| sum.as_str().unwrap_or_default())
            .collect())
    } else {
        Err(io::Error::other(
            "the configuration lists different layers than the manifest",
        ))
    }
}

/// Reads a layer to its end, so that nothing of it is left unchecked.
///
/// # Errors
/// It is damaged, too large, or not as its digest says.
pub(super) fn layer(layer: &Blob, sum: Option<&str>, budget: &mut Budget) -> io::Result<Layer> {
    let data: &[u8] = &layer.data;
    match layer.media_type {
        MediaType::ImageLayerGzip => read(MultiGzDecoder::new(data), sum, budget),
        MediaType::ImageLayer => read(data, sum, budget),
        _ => Err(io::Error::other(
            "a layer is compressed with zstd, which is not supported",
        )),
    }
}

fn read(tar: impl Read, sum: Option<&str>, budget: &mut Budget) -> io::Result<Layer> {
    let Budget { bytes, entries } = budget;
    let mut metered = Metered {
        inner: tar,
        left: bytes,
        sum: Sha256::new(),
    };
    let mut layer = Layer::default();
    let mut archive = tar::Archive::new(&mut metered);
    for entry in archive.entries()? {
        *entries = entries.checked_sub(1).ok_or_else(|| {
            io::Error::other(format!("the layers have more than {MOST_ENTRIES} entries"))
        })?;
        layer.add(entry?)?;
    }
    io::copy(&mut metered, &mut io::sink())?;
    let actual = format!("sha256:{}", hex(&metered.sum.finalize()));
    match sum {
        Some(sum) if sum != actual => Err(io::Error::other(format!(
            "a layer unpacks to `{actual}`, but the configuration says `{sum}`"
        ))),
        _ => Ok(layer),
    }
}

impl Layer {
    fn add(&mut self, mut entry: tar::Entry<'_, impl Read>) -> io::Result<()> {
        let path = inside(Path::new(""), &entry.path()?);
        let Some(name) = path.file_name() else {
            return Ok(());
        };
        if let Some(hidden) = whiteout(name) {
            let folder = path.parent().unwrap_or(Path::new(""));
            if hidden == ".wh..opq" {
                self.whiteouts.push(Whiteout::Content(folder.to_owned()));
            } else if !hidden.to_string_lossy().starts_with(".wh.") {
                self.whiteouts.push(Whiteout::Path(folder.join(hidden)));
            }
            return Ok(());
        }
        let sort = entry.header().entry_type();
        let target = entry.link_name()?.unwrap_or_default();
        let found = if sort.is_dir() {
            Entry::Folder
        } else if sort.is_symlink() {
            Entry::Symlink(target.into_owned())
        } else if sort.is_hard_link() {
            Entry::HardLink(inside(Path::new(""), &target))
        } else if sort.is_file() || sort.is_contiguous() {
            let mut text = Vec::new();
            entry.read_to_end(&mut text)?;
            Entry::File(text.into())
        } else {
            Entry::Special
        };
        self.entries.push((path, found));
        Ok(())
    }
}

/// What a name says is gone.
fn whiteout(name: &OsStr) -> Option<OsString> {
    let rest = name.as_encoded_bytes().strip_prefix(b".wh.")?;
    Some(String::from_utf8_lossy(rest).into_owned().into())
}

/// A path in an image, from a folder of it. It cannot lead out.
pub(super) fn inside(folder: &Path, path: &Path) -> PathBuf {
    let mut inside = folder.to_owned();
    for part in path.components() {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::ParentDir => drop(inside.pop()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => inside = PathBuf::new(),
        }
    }
    inside
}

/// What is read, within a limit, with its digest.
struct Metered<'a, R> {
    inner: R,
    left: &'a mut u64,
    sum: Sha256,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.inner.read(buffer)?;
        let Some(left) = self.left.checked_sub(size as u64) else {
            let most = MOST_UNPACKED >> 20;
            return Err(io::Error::other(format!(
                "the layers unpack to more than {most} MiB"
            )));
        };
        *self.left = left;
        self.sum.update(&buffer[..size]);
        Ok(size)
    }
}
