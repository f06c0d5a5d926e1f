//! The directory of a bundle: `manifests/` and `metadata/`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::olm::kinds::{BUNDLE_PREFIX, CSV};
use crate::olm::read::{Directory, files};
use crate::yaml;

/// The folders of a bundle that a catalog has something of.
const FOLDERS: [&str; 2] = ["manifests", "metadata"];

/// What a directory of a bundle holds.
#[derive(Debug)]
pub(super) struct BundleDir {
    pub(super) package: String,
    pub(super) channels: Vec<String>,
    pub(super) default_channel: Option<String>,
    /// The `ClusterServiceVersion`.
    pub(super) csv: Value,
    /// All objects, that one too, in the order of their files.
    pub(super) objects: Vec<Value>,
    /// The items of `metadata/dependencies.yaml` and `metadata/properties.yaml`.
    pub(super) dependencies: Vec<Value>,
    pub(super) properties: Vec<Value>,
}

impl BundleDir {
    /// Reads the bundle in a directory.
    ///
    /// # Errors
    /// It is none, or a file of it cannot be read.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        for folder in FOLDERS {
            if !path.join(folder).is_dir() {
                return Err(Error::new(
                    Code::UnreadableFile,
                    format!("`{shown}` is no bundle: it has no folder `{folder}`"),
                )
                .hint("name the directory that has `manifests/` and `metadata/`"));
            }
        }
        let files = files(&Directory::new(path), FOLDERS)?;
        let [objects, metadata] = FOLDERS.map(|folder| documents(&files, folder));
        let (objects, metadata) = (objects?, metadata?);
        let mut csvs = objects.iter().filter(|(_, object)| object["kind"] == CSV);
        let (Some((_, csv)), second) = (csvs.next(), csvs.next()) else {
            return Err(malformed(
                &shown,
                "`manifests` has no ClusterServiceVersion",
            ));
        };
        if let Some((file, _)) = second {
            return Err(malformed(file, "it is the second ClusterServiceVersion"));
        }
        for (file, object) in &objects {
            if !object["kind"].is_string() {
                return Err(malformed(file, "it is no object: it has no `kind`"));
            }
        }
        let section = |field: &str| {
            let mut sections = metadata.iter().map(|(_, document)| &document[field]);
            sections.find(|section| !section.is_null())
        };
        let annotations = section("annotations")
            .ok_or_else(|| malformed(&shown, "`metadata` has no file with `annotations`"))?;
        let annotation = |key: &str| {
            let value = annotations[format!("{BUNDLE_PREFIX}{key}.v1")].as_str();
            value.map(str::trim).filter(|value| !value.is_empty())
        };
        let package = annotation("package").ok_or_else(|| {
            let annotation = format!("the annotation `{BUNDLE_PREFIX}package.v1` is missing");
            malformed("metadata/annotations.yaml", &annotation)
        })?;
        let channels = annotation("channels").unwrap_or_default().split(',');
        let items = |field: &str| section(field).and_then(Value::as_array).cloned();
        Ok(Self {
            package: package.to_owned(),
            channels: channels
                .map(|channel| channel.trim().to_owned())
                .filter(|channel| !channel.is_empty())
                .collect(),
            default_channel: annotation("channel.default").map(str::to_owned),
            csv: csv.clone(),
            dependencies: items("dependencies").unwrap_or_default(),
            properties: items("properties").unwrap_or_default(),
            objects: objects.into_iter().map(|(_, object)| object).collect(),
        })
    }
}

/// The documents of the files in a folder, one in each. Hidden files and folders in it are not read, as opm does.
fn documents(files: &BTreeMap<String, Vec<u8>>, folder: &str) -> Result<Vec<(String, Value)>> {
    let mut documents = Vec::new();
    let is_read = |path: &str| {
        let name = path
            .strip_prefix(folder)
            .and_then(|path| path.strip_prefix('/'));
        name.is_some_and(|name| !name.starts_with('.') && !name.contains('/'))
    };
    for (path, data) in files.iter().filter(|(path, _)| is_read(path)) {
        let text = str::from_utf8(data).map_err(|_| malformed(path, "it is not UTF-8 text"))?;
        let mut found = yaml::documents(text).into_iter();
        match (found.next(), found.next()) {
            (Some(Ok(document)), None) => documents.push((path.clone(), document)),
            (Some(Err(error)), _) | (_, Some(Err(error))) => {
                return Err(malformed(path, &error.to_string()));
            }
            (Some(Ok(_)), Some(_)) => {
                let reason = "it has more than one document, of which OLM reads the first alone";
                return Err(malformed(path, reason).hint("write each object to a file of its own"));
            }
            (None, _) => return Err(malformed(path, "it has no document")),
        }
    }
    Ok(documents)
}

fn malformed(file: &str, reason: &str) -> Error {
    Error::new(Code::MalformedFile, reason).context(format!("cannot read the bundle: `{file}`"))
}
