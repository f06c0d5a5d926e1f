//! The image of a bundle as a directory.

mod archive;
mod tree;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::error::{Code, Context, Error, Result};
use crate::project::name::Image;
use crate::ui::Ui;

use super::platform::Platform;
use super::registry::{Manner, Registry};
use archive::Budget;
use tree::Tree;

/// The layers of the image of a bundle, in bytes: a bundle must fit into 1 MiB, compressed.
const MOST: u64 = 16 << 20;

/// The folders of a bundle, where its labels name no others.
const FOLDERS: [&str; 2] = ["manifests", "metadata"];

/// The labels that name them.
const FOLDER_LABELS: [&str; 2] = [
    "operators.operatorframework.io.bundle.manifests.v1",
    "operators.operatorframework.io.bundle.metadata.v1",
];

/// The files of a bundle's image, in a directory that is removed with this, and its labels.
#[derive(Debug)]
pub(crate) struct Unpacked {
    folder: TempDir,
    pub(crate) labels: BTreeMap<String, String>,
}

impl Unpacked {
    /// Pulls the image of a bundle within a time, and unpacks its files as a container would see them.
    ///
    /// # Errors
    /// The registry does not answer or has no such image, or it is no image of a bundle.
    pub(crate) fn pull(image: &Image, insecure: bool, time: Duration, ui: &Ui) -> Result<Self> {
        let failed = |error: Error| error.context(format!("failed to pull the bundle `{image}`"));
        let manner = Manner {
            insecure,
            patience: time / 2,
            limit: Some(time),
        };
        let platform = Platform::host()?;
        let (config, layers) =
            Registry::whole(image, platform, manner, MOST, ui).map_err(failed)?;
        let config = parse(&config).map_err(failed)?;
        let labels = labels(&config);
        let folder = TempDir::new().unwritable(|| "failed to create a temporary directory")?;
        let unpack = || {
            let mut tree = Tree::default();
            let mut budget = Budget::default();
            let sums = archive::sums(&config, layers.len())?;
            for (index, layer) in layers.iter().enumerate() {
                let sum = sums.get(index).copied();
                tree.add(archive::layer(layer, sum, &mut budget)?);
            }
            let named = FOLDER_LABELS.iter().filter_map(|label| labels.get(*label));
            let folders: Vec<&str> = FOLDERS
                .into_iter()
                .chain(named.map(String::as_str))
                .collect();
            tree.write(folder.path(), &folders)
        };
        unpack()
            .context(
                Code::InvalidBundle,
                || "failed to unpack the layers of the image",
            )
            .map_err(failed)?;
        Ok(Self { folder, labels })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The configuration of an image.
fn parse(config: &[u8]) -> Result<Value> {
    serde_json::from_slice(config).context(
        Code::InvalidBundle,
        || "the configuration of the image is not JSON",
    )
}

fn labels(config: &Value) -> BTreeMap<String, String> {
    let labels = config["config"]["Labels"].as_object();
    let labels = labels.into_iter().flatten().map(|(key, value)| {
        let value = value.as_str().unwrap_or_default();
        (key.clone(), value.to_owned())
    });
    labels.collect()
}

#[cfg(test)]
mod tests;
