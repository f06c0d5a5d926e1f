use std::path::Path;

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::yaml;

use super::name::Image;

const FILE: &str = "config/manager/kustomization.yaml";

/// What config/manager/manager.yaml calls the image, which kustomize replaces.
const PLACEHOLDER: &str = "controller";

/// The image that `config/manager` deploys.
///
/// # Errors
/// Its kustomization cannot be read, or names no image that can be.
pub fn deployed_image(root: &Path) -> Result<Image> {
    let text =
        std::fs::read_to_string(root.join(FILE)).context(|| format!("failed to read `{FILE}`"))?;
    let file: Value = yaml::from_str(&text).context(|| format!("failed to read `{FILE}`"))?;
    let images = file["images"].as_array().into_iter().flatten();
    let found = images.clone().find(|image| image["name"] == PLACEHOLDER);
    let Some(entry) = found.or_else(|| images.clone().next()) else {
        return Err(Error::new(format!("`{FILE}` names no image")));
    };
    let word = |field: &str| match &entry[field] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let name = word("newName").or_else(|| word("name")).unwrap_or_default();
    let image = match word("newTag") {
        Some(tag) => format!("{name}:{tag}"),
        None => name,
    };
    image
        .parse()
        .map_err(|error| Error::from(error).context(format!("`{FILE}` names no image that can be")))
}
