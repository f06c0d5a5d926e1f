//! A layer: an archive that is the same whenever and wherever it is made of the same files.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use oci_spec::image::MediaType;
use tar::{Builder, EntryType, Header};

use super::blob::{Blob, sha256};
use super::files::File;

/// A layer as it is kept, and what configurations call it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) blob: Blob,
    /// The digest of the archive before it was compressed.
    pub(super) diff_id: String,
    /// Its size before it was compressed.
    pub(super) unpacked: u64,
}

impl Layer {
    /// Lays files into an archive, in their order. They are of root and of no time, so that a
    /// program that did not change is a layer that is there already.
    pub(super) fn new(files: &[File]) -> io::Result<Self> {
        let mut archive = Builder::new(Vec::new());
        for file in files {
            append(&mut archive, &file.path, &file.data, file.mode)?;
        }
        let archive = archive.into_inner()?;
        let mut compressed = GzBuilder::new()
            .mtime(0)
            .operating_system(255)
            .write(Vec::new(), Compression::best());
        compressed.write_all(&archive)?;
        Ok(Self {
            diff_id: format!("sha256:{}", sha256(&archive)),
            unpacked: archive.len() as u64,
            blob: Blob::new(MediaType::ImageLayerGzip, compressed.finish()?),
        })
    }
}

/// Adds a file, or a directory where the path ends with a slash.
pub(super) fn append<W: Write>(
    archive: &mut Builder<W>,
    path: &str,
    data: &[u8],
    mode: u32,
) -> io::Result<()> {
    let mut header = Header::new_ustar();
    header.set_entry_type(if path.ends_with('/') {
        EntryType::Directory
    } else {
        EntryType::Regular
    });
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(data.len() as u64);
    archive.append_data(&mut header, path, data)
}

#[cfg(test)]
mod tests {
    use super::Layer;
    use crate::image::files;

    /// Whoever changes what is in every image changes this.
    #[test]
    fn the_same_files_are_the_same_layer() {
        let layer = || Layer::new(&files::whole(b"program".to_vec())).expect("a layer");
        let (left, right) = (layer(), layer());
        assert_eq!(left.blob.hex, right.blob.hex);
        // A header without a name and a time, from no system in particular.
        assert_eq!(left.blob.data[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
        let mut files = files::whole(b"program".to_vec());
        files.swap(1, 2);
        let swapped = Layer::new(&files).expect("a layer");
        assert_ne!(swapped.diff_id, left.diff_id);
    }
}
