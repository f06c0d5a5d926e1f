//! The image of a bundle as a directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path};
use std::time::Duration;

use flate2::read::GzDecoder;
use oci_spec::image::MediaType;
use serde_json::Value;
use tempfile::TempDir;

use crate::error::{Code, Context, Error, Result};
use crate::project::name::Image;
use crate::ui::Ui;

use super::blob::Blob;
use super::platform::Platform;
use super::registry::{Manner, Registry};

/// The layers of the image of a bundle, in bytes: a bundle must fit into 1 MiB, compressed.
const MOST: u64 = 16 << 20;

/// What they unpack to.
const MOST_UNPACKED: u64 = 64 << 20;

const MOST_ENTRIES: usize = 2000;

/// The folders of a bundle.
const FOLDERS: [&str; 2] = ["manifests", "metadata"];

/// The files of a bundle's image, in a directory that is removed with this, and its labels.
#[derive(Debug)]
pub(crate) struct Unpacked {
    folder: TempDir,
    pub(crate) labels: BTreeMap<String, String>,
}

impl Unpacked {
    /// Pulls the image of a bundle, and unpacks its folders.
    ///
    /// # Errors
    /// The registry does not answer or has no such image, or it is no image of a bundle.
    pub(crate) fn pull(image: &Image, insecure: bool, patience: Duration, ui: &Ui) -> Result<Self> {
        let failed = |error: Error| error.context(format!("failed to pull the bundle `{image}`"));
        let manner = Manner { insecure, patience };
        let platform = Platform::host()?;
        let (config, layers) =
            Registry::whole(image, platform, manner, MOST, ui).map_err(failed)?;
        let labels = labels(&config).map_err(failed)?;
        let folder = TempDir::new().unwritable(|| "failed to create a temporary folder")?;
        for layer in &layers {
            unpack(layer, folder.path())
                .context(
                    Code::InvalidBundle,
                    || "failed to unpack a layer of the image",
                )
                .map_err(failed)?;
        }
        Ok(Self { folder, labels })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The labels in the configuration of an image.
fn labels(config: &[u8]) -> Result<BTreeMap<String, String>> {
    let config: Value = serde_json::from_slice(config).context(
        Code::InvalidBundle,
        || "the configuration of the image is not JSON",
    )?;
    let labels = config["config"]["Labels"].as_object();
    let labels = labels.into_iter().flatten();
    let labels = labels.map(|(key, value)| {
        let value = value.as_str().unwrap_or_default();
        (key.clone(), value.to_owned())
    });
    Ok(labels.collect())
}

/// Writes the files in the folders of a bundle. Links are skipped: OLM reads regular files.
fn unpack(layer: &Blob, folder: &Path) -> io::Result<()> {
    let data: &[u8] = &layer.data;
    match layer.media_type {
        MediaType::ImageLayerGzip => read(GzDecoder::new(data), folder),
        MediaType::ImageLayer => read(data, folder),
        _ => Err(io::Error::other(
            "it is compressed with zstd, which is not supported",
        )),
    }
}

#[expect(clippy::disallowed_methods, reason = "it is no file of a project")]
fn read(tar: impl Read, folder: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(tar.take(MOST_UNPACKED));
    for (index, entry) in archive.entries()?.raw(true).enumerate() {
        if index >= MOST_ENTRIES {
            return Err(io::Error::other(format!(
                "it has more than {MOST_ENTRIES} entries"
            )));
        }
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let mut parts = path.components().filter(|part| *part != Component::CurDir);
        let parts = [parts.next(), parts.next(), parts.next()];
        let [
            Some(Component::Normal(parent)),
            Some(Component::Normal(name)),
            None,
        ] = parts
        else {
            continue;
        };
        let Some(parent) = FOLDERS.into_iter().find(|known| *known == parent) else {
            continue;
        };
        if entry.header().entry_type().is_file() {
            let parent = folder.join(parent);
            fs::create_dir_all(&parent)?;
            let mut text = Vec::new();
            entry.read_to_end(&mut text)?;
            fs::write(parent.join(name), text)?;
        }
    }
    Ok(())
}
