//! What a bundle that exists says, and Cargo.toml.

use semver::Version;
use serde_json::Value;
use toml_edit::DocumentMut;

use crate::disk::View;
use crate::error::{Code, Context, Error, Result};
use crate::objects::Objects;
use crate::olm::csv::operator_image;
use crate::olm::kinds::BUNDLE_PREFIX;
use crate::yaml;

use super::{MANIFESTS, SUFFIX};

/// The channels of the last bundle.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The channels that it is for.
    pub channels: Option<Vec<String>>,
    /// The channel of who names none.
    pub default_channel: Option<String>,
}

impl Written {
    /// Reads the annotations of a bundle.
    ///
    /// # Errors
    /// They are no YAML.
    pub fn read(view: &View, folder: &str) -> Result<Self> {
        let path = format!("{folder}/metadata/annotations.yaml");
        let Some(text) = view.read_own(&path)? else {
            return Ok(Self::default());
        };
        let written: Value = yaml::from_str(&text)
            .context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
        let annotation = |name: &str| {
            let value = written["annotations"][format!("{BUNDLE_PREFIX}{name}.v1")].as_str();
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let channels = annotation("channels");
        Ok(Self {
            channels: channels.map(|all| {
                all.split(',')
                    .map(|channel| channel.trim().to_owned())
                    .collect()
            }),
            default_channel: annotation("channel.default"),
        })
    }
}

/// Keeps the image of the last bundle where `config/` has the one that each project starts with. Gives what was kept.
///
/// # Errors
/// The last bundle is no YAML, or there is no image of the operator.
pub fn keep_image(
    view: &View,
    folder: &str,
    package: &str,
    objects: &mut Objects,
) -> Result<Option<String>> {
    let image = operator_image(objects)?;
    if image != format!("{package}:latest") && image != "controller:latest" {
        return Ok(None);
    }
    let path = format!("{folder}/{MANIFESTS}/{package}{SUFFIX}");
    let Some(text) = view.read_own(&path)? else {
        return Ok(None);
    };
    let csv: Value =
        yaml::from_str(&text).context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
    let written = csv["metadata"]["annotations"]["containerImage"].as_str();
    let Some(written) = written.filter(|written| !written.is_empty() && *written != image) else {
        return Ok(None);
    };
    objects.set_image(written)?;
    Ok(Some(written.to_owned()))
}

/// The version of the operator's package.
///
/// # Errors
/// Cargo.toml is missing, or says none.
pub fn package_version(view: &View) -> Result<Version> {
    let text = view.read("Cargo.toml")?.unwrap_or_default();
    let manifest: DocumentMut = text
        .parse()
        .context(Code::MalformedFile, || "Cargo.toml is not TOML")?;
    let version = ["package", "workspace"].into_iter().find_map(|table| {
        let table = manifest.get(table)?;
        let package = table.get("package").unwrap_or(table);
        package.get("version")?.as_str()?.parse().ok()
    });
    version.ok_or_else(|| {
        Error::new(
            Code::MalformedFile,
            "Cargo.toml has no version of the package",
        )
        .hint("set it, or pass `--version 0.1.0`")
    })
}
