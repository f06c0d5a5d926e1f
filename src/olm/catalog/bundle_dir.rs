//! The directory of a bundle, as opm takes it for a catalog.

use std::fmt::Display;
use std::path::Path;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::olm::kinds::{BUNDLE_PREFIX, CSV};
use crate::olm::read::{Bundle, Directory, Document, Trouble, TroubleKind};

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
        let bundle = Bundle::read(&Directory::new(path));
        // opm ignores hidden files and folders among the manifests.
        let is_ignored = |kind| [TroubleKind::Hidden, TroubleKind::Folder].contains(&kind);
        let mut troubles = bundle.troubles.iter();
        if let Some(trouble) = troubles.find(|trouble| !is_ignored(trouble.kind)) {
            return Err(unreadable(&shown, trouble));
        }
        let mut csvs = bundle.of_kind(CSV);
        let csv = csvs.next().ok_or_else(|| {
            let reason = format!("`{}` has no ClusterServiceVersion", bundle.folder);
            malformed(&shown, reason)
        })?;
        if let Some(second) = csvs.next() {
            let file = second.root().file;
            let reason = "it is the second ClusterServiceVersion";
            return Err(in_file(&shown, file, reason));
        }
        let annotations = bundle.annotations.as_ref().map(Document::root);
        let annotation = |key: &str| {
            let annotations = annotations.as_ref()?.get("annotations");
            let value = annotations.get(&format!("{BUNDLE_PREFIX}{key}.v1"));
            Some(value.text().trim()).filter(|value| !value.is_empty())
        };
        let package = annotation("package").ok_or_else(|| {
            let file = annotations.as_ref().map_or("metadata", |root| root.file);
            let reason = format!("the annotation `{BUNDLE_PREFIX}package.v1` is missing");
            in_file(&shown, file, reason)
        })?;
        let channels = annotation("channels").unwrap_or_default().split(',');
        Ok(Self {
            package: package.to_owned(),
            channels: channels
                .map(|channel| channel.trim().to_owned())
                .filter(|channel| !channel.is_empty())
                .collect(),
            default_channel: annotation("channel.default").map(str::to_owned),
            csv: csv.root().value.clone(),
            dependencies: items(bundle.dependencies.as_ref(), "dependencies"),
            properties: items(bundle.properties.as_ref(), "properties"),
            objects: bundle
                .objects()
                .map(|object| object.root().value.clone())
                .collect(),
        })
    }
}

/// The items of a list in a file, which may be missing.
fn items(file: Option<&Document>, field: &str) -> Vec<Value> {
    let list = file.map(|file| file.root().get(field).value);
    list.and_then(Value::as_array).cloned().unwrap_or_default()
}

fn unreadable(bundle: &str, trouble: &Trouble) -> Error {
    let error = match (&*trouble.file, trouble.line) {
        ("", _) => malformed(bundle, &trouble.message),
        (file, None) => in_file(bundle, file, &trouble.message),
        (file, Some(line)) => in_file(bundle, &format!("{file}:{line}"), &trouble.message),
    };
    match trouble.kind {
        TroubleKind::NoDirectory | TroubleKind::NoManifests | TroubleKind::NoMetadata => {
            error.hint("name the directory that has `manifests/` and `metadata/`")
        }
        TroubleKind::SeveralDocuments => error.hint("write each object to a file of its own"),
        _ => error.hint("`rop bundle validate` lists all that is wrong with a bundle"),
    }
}

fn in_file(bundle: &str, place: &str, reason: impl Display) -> Error {
    malformed(bundle, format!("`{place}`: {reason}"))
}

fn malformed(bundle: &str, reason: impl Display) -> Error {
    Error::new(Code::MalformedFile, reason).context(format!("cannot read the bundle in `{bundle}`"))
}
