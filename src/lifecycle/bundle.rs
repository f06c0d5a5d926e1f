//! The bundle that is installed, and the catalog of it.

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};
use crate::project::name::Image;

use super::live::{items, text};

/// What a `ConfigMap` can hold, in bytes, less what its other fields take.
const MOST_BYTES: usize = (1 << 20) - (16 << 10);

/// The channel of a catalog that has one bundle.
pub(super) const CHANNEL: &str = "run-bundle";

/// A bundle to install.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    /// The name of its `ClusterServiceVersion`.
    pub(crate) name: String,
    pub(crate) package: String,
    pub(crate) version: String,
    /// Its `olm.bundle`.
    pub(crate) blob: Value,
    pub(crate) csv: Value,
}

/// Where OLM gets the bundle from.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A catalog of this bundle alone, served by a pod of this image.
    Pod(Image),
    /// The image of a catalog that has it.
    Image(Image),
}

impl Bundle {
    /// The catalog that has this bundle alone, as an upgrade from another.
    ///
    /// # Errors
    /// It does not fit into a `ConfigMap`.
    pub(super) fn catalog(&self, replaces: Option<&str>) -> Result<String> {
        let mut entry = json!({ "name": self.name });
        if let Some(replaces) = replaces {
            entry["replaces"] = replaces.into();
        }
        let package = json!({
            "schema": "olm.package", "name": self.package, "defaultChannel": CHANNEL,
        });
        let channel = json!({
            "schema": "olm.channel", "package": self.package, "name": CHANNEL, "entries": [entry],
        });
        let text = format!("{package}\n{channel}\n{}\n", self.blob);
        if text.len() > MOST_BYTES {
            let (size, most) = (text.len() >> 10, MOST_BYTES >> 10);
            return Err(Error::new(
                Code::BundleTooLarge,
                format!("the catalog of the bundle has {size} KiB; a ConfigMap can hold {most} KiB"),
            )
            .hint("push the bundle and name its image, or push a catalog that has it and use `--catalog-image`"));
        }
        Ok(text)
    }

    /// The modes that it can be installed in.
    pub(super) fn modes(&self) -> Vec<&str> {
        let modes = items(&self.csv, "/spec/installModes");
        let supported = modes.filter(|mode| mode["supported"] == true);
        supported.map(|mode| text(mode, "/type")).collect()
    }
}
