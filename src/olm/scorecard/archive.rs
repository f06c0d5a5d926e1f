//! The files of a bundle as tests in a cluster get them.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::error::{Code, Context, Error, Result};
use crate::olm::read::Source;

/// What a `ConfigMap` can hold, in bytes.
const MOST_PACKED: usize = 1 << 20;

/// What a bundle that fits into one has at most: links within it may form a circle.
const MOST_FILES: usize = 5000;
const MOST_BYTES: usize = 64 << 20;
const DEEPEST: usize = 20;

/// Packs a bundle: the same files give the same bytes.
///
/// # Errors
/// A file cannot be read, or the result does not fit into a `ConfigMap`.
pub(crate) fn archive(source: &dyn Source) -> Result<Vec<u8>> {
    let mut packer = Packer {
        source,
        archive: Builder::new(Vec::new()),
        files: 0,
        bytes: 0,
    };
    packer.folder("", 0)?;
    let packed = packer
        .archive
        .into_inner()
        .and_then(|archive| compress(&archive))
        .context(Code::SystemError, || "failed to pack the bundle")?;
    if packed.len() > MOST_PACKED {
        let (size, most) = (packed.len() >> 10, MOST_PACKED >> 10);
        return Err(too_large(&format!(
            "the bundle has {size} KiB compressed, and the ConfigMap for its tests holds {most} KiB"
        )));
    }
    Ok(packed)
}

fn compress(archive: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = GzBuilder::new()
        .mtime(0)
        .operating_system(255)
        .write(Vec::new(), Compression::best());
    compressed.write_all(archive)?;
    compressed.finish()
}

fn too_large(message: &str) -> Error {
    Error::new(Code::InvalidBundle, message).hint(
        "remove files that are not part of the bundle, or shorten the descriptions in the CRDs",
    )
}

struct Packer<'a> {
    source: &'a dyn Source,
    archive: Builder<Vec<u8>>,
    files: usize,
    bytes: usize,
}

impl Packer<'_> {
    fn folder(&mut self, folder: &str, depth: usize) -> Result<()> {
        for entry in self.source.list(folder).unreadable(folder)? {
            self.files += 1;
            if self.files > MOST_FILES || depth > DEEPEST {
                return Err(too_large("the bundle has too many files or folders"));
            }
            let path = match folder {
                "" => entry.name,
                folder => format!("{folder}/{}", entry.name),
            };
            if entry.is_folder {
                self.append(&format!("{path}/"), &[])?;
                self.folder(&path, depth + 1)?;
            } else {
                let data = self.source.read(&path).unreadable(&path)?;
                self.bytes += data.len();
                if self.bytes > MOST_BYTES {
                    return Err(too_large("the bundle is too large"));
                }
                self.append(&path, &data)?;
            }
        }
        Ok(())
    }

    fn append(&mut self, path: &str, data: &[u8]) -> Result<()> {
        let is_folder = path.ends_with('/');
        let mut header = Header::new_gnu();
        header.set_entry_type(if is_folder {
            EntryType::Directory
        } else {
            EntryType::Regular
        });
        header.set_mode(if is_folder { 0o755 } else { 0o644 });
        header.set_mtime(0);
        header.set_size(data.len() as u64);
        let appended = self.archive.append_data(&mut header, path, data);
        appended.context(Code::SystemError, || format!("failed to pack `{path}`"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Read;

    use super::*;

    #[test]
    fn all_files_are_packed() {
        let long = format!("manifests/{}.yaml", "a".repeat(150));
        let files = ["manifests/a.yaml", &long, "tests/scorecard/config.yaml"];
        let files: BTreeMap<_, _> = files
            .map(|path| (path.to_owned(), format!("# {path}\n")))
            .into();
        let packed = archive(&files).expect("an archive");
        assert_eq!(packed, archive(&files).expect("an archive"));
        let mut unpacked = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
        let mut found = BTreeMap::new();
        for entry in unpacked.entries().expect("entries") {
            let mut entry = entry.expect("an entry");
            let path = entry.path().expect("a path").to_string_lossy().into_owned();
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("text");
            if entry.header().entry_type() == EntryType::Regular {
                found.insert(path, text);
            }
        }
        assert_eq!(found, files);
    }

    #[test]
    fn a_bundle_must_fit() {
        let mut random: u64 = 1;
        let noise: String = (0..3 << 20)
            .map(|_| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                char::from(b' ' + (random >> 58) as u8)
            })
            .collect();
        let files: BTreeMap<_, _> = [("manifests/a.yaml".to_owned(), noise)].into();
        let error = archive(&files).expect_err("too large");
        let message = error.chain().next().unwrap_or_default();
        assert!(message.contains("KiB compressed"), "{message}");
    }
}
