//! What a bundle that exists says, and Cargo.toml.

use semver::Version;
use serde_json::{Value, json};
use toml_edit::DocumentMut;

use crate::disk::View;
use crate::error::{Code, Context, Error, Result};
use crate::objects::Objects;
use crate::olm::csv::operator_image;
use crate::olm::kinds::BUNDLE_PREFIX;
use crate::yaml;

use super::{MANIFESTS, SUFFIX};

/// What the last bundle says that the next one keeps.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The channels that it is for.
    pub channels: Option<Vec<String>>,
    /// The channel of Subscriptions that name none.
    pub default_channel: Option<String>,
    /// Its `ClusterServiceVersion`; null if there is none.
    csv: Value,
}

impl Written {
    /// Reads the bundle of a package in a folder.
    ///
    /// # Errors
    /// The annotations are no YAML, or a file cannot be read.
    pub fn read(view: &View, folder: &str, package: &str) -> Result<Self> {
        let annotations = document(view, &format!("{folder}/metadata/annotations.yaml"))?;
        let annotation =
            |name: &str| text(&annotations["annotations"][format!("{BUNDLE_PREFIX}{name}.v1")]);
        let channels = annotation("channels");
        Ok(Self {
            channels: channels.map(|all| {
                all.split(',')
                    .map(|channel| channel.trim().to_owned())
                    .collect()
            }),
            default_channel: annotation("channel.default"),
            // One that is not YAML says nothing here: it is a conflict or a finding.
            csv: document(view, &csv_path(view, folder, package)?).or_else(|error| match error
                .code()
            {
                Code::MalformedFile => Ok(Value::Null),
                _ => Err(error),
            })?,
        })
    }

    /// The version of the last bundle.
    pub(super) fn version(&self) -> Option<&str> {
        self.csv["spec"]["version"].as_str()
    }

    /// The version of the last bundle, if it is newer than another one: OLM never goes back to an older one.
    pub fn newer_version(&self, version: &Version) -> Option<Version> {
        let written = Version::parse(self.version()?).ok()?;
        (written > *version && written.build.is_empty()).then_some(written)
    }

    /// The Deployments of the last bundle.
    pub(super) fn deployments(&self) -> Objects {
        let deployments = self.csv["spec"]["install"]["spec"]["deployments"].as_array();
        let object = |deployment: &Value| {
            json!({
                "kind": "Deployment",
                "metadata": { "labels": deployment["label"] },
                "spec": deployment["spec"],
            })
        };
        deployments.into_iter().flatten().map(object).collect()
    }

    /// Keeps the image where `config/` has the one that each project starts with. Gives what was kept.
    ///
    /// # Errors
    /// There is no image of the operator.
    pub fn keep_image(&self, package: &str, objects: &mut Objects) -> Result<Option<String>> {
        let image = operator_image(objects)?;
        if image != format!("{package}:latest") && image != "controller:latest" {
            return Ok(None);
        }
        let last = self.deployments();
        let written = last.image().filter(|written| *written != image);
        let written = written.map(str::to_owned);
        if let Some(written) = &written {
            objects.set_image(written)?;
        }
        Ok(written)
    }
}

/// Where the `ClusterServiceVersion` of a bundle is: that of a former name of the project, if there is no other.
fn csv_path(view: &View, folder: &str, package: &str) -> Result<String> {
    let manifests = format!("{folder}/{MANIFESTS}");
    let path = format!("{manifests}/{package}{SUFFIX}");
    if view.is_file(&path) {
        return Ok(path);
    }
    let files = view.own_files_in(&manifests)?;
    let mut csvs = files.into_iter().filter(|file| file.ends_with(SUFFIX));
    match (csvs.next(), csvs.next()) {
        (Some(former), None) => Ok(former),
        _ => Ok(path),
    }
}

/// A text that says something.
fn text(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned)
}

/// A file of a bundle, or nothing.
fn document(view: &View, path: &str) -> Result<Value> {
    let Some(text) = view.read_own(path)? else {
        return Ok(Value::Null);
    };
    yaml::from_str(&text).context(Code::MalformedFile, || format!("`{path}` is not YAML"))
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
