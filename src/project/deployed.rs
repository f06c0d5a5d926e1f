use std::path::Path;

use serde::Deserialize;

use crate::error::{Context, Error, Result};
use crate::yaml;

use super::layout::MANAGER;
use super::name::Image;

/// What config/manager/manager.yaml calls the image, which kustomize replaces.
const PLACEHOLDER: &str = "controller";

/// What is read of a kustomization.
#[derive(Deserialize)]
struct Kustomization {
    #[serde(default)]
    images: Vec<Replacement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    name: String,
    new_name: Option<String>,
    /// Text, so that a tag such as `2.10` stays what it is.
    new_tag: Option<String>,
}

/// The image that `config/manager` deploys.
///
/// # Errors
/// Its kustomization cannot be read, or names no image that can be.
pub fn deployed_image(root: &Path) -> Result<Image> {
    let failed = || format!("failed to read `{MANAGER}`");
    let text = std::fs::read_to_string(root.join(MANAGER)).context(failed)?;
    let file: Kustomization = yaml::from_str(&text).context(failed)?;
    let mut images = file.images.into_iter();
    let found = images.find(|image| image.name == PLACEHOLDER);
    let found = found.ok_or_else(|| {
        Error::new(format!(
            "`{MANAGER}` says of no image that it stands for `{PLACEHOLDER}`"
        ))
    })?;
    let name = found.new_name.unwrap_or(found.name);
    let image = match found.new_tag {
        Some(tag) => format!("{name}:{tag}"),
        None => name,
    };
    let image = image.parse().map_err(Error::from);
    image.map_err(|error| error.context(format!("`{MANAGER}` names no image that can be")))
}
