use std::io::{ErrorKind, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::document::Document;
use super::source::{Entry, MOST_BYTES, Source};
use super::trouble::{Trouble, TroubleKind};

const MANIFESTS: &str = "manifests";
pub(super) const METADATA: &str = "metadata";
const ANNOTATIONS: &str = "metadata/annotations.yaml";

/// The annotation that names the folder of manifests.
pub(crate) const MANIFESTS_KEY: &str = "operators.operatorframework.io.bundle.manifests.v1";

/// A file of a bundle, with its lengths.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    /// Its length in bytes.
    pub(crate) size: usize,
    /// Its length as OLM stores it, compressed and encoded.
    pub(crate) packed: usize,
    /// What it holds, if that can be read.
    pub(crate) document: Option<Document>,
}

/// The files of a bundle that OLM reads.
#[derive(Debug, Default)]
pub struct Bundle {
    /// The folder of manifests.
    pub(crate) folder: String,
    /// What is in it.
    pub(crate) manifests: Vec<File>,
    /// The file of annotations.
    pub(crate) annotations: Option<Document>,
    /// The file of dependencies.
    pub(crate) dependencies: Option<Document>,
    /// The file of properties.
    pub(crate) properties: Option<Document>,
    /// Manifests of packages, as before bundles.
    pub(crate) packages: Vec<Document>,
    /// What cannot be read.
    pub(crate) troubles: Vec<Trouble>,
    /// How many bytes were read.
    bytes: usize,
}

impl Bundle {
    /// Reads a bundle. What cannot be read is kept as such.
    pub fn read(source: &dyn Source) -> Self {
        let mut bundle = Self {
            folder: MANIFESTS.to_owned(),
            ..Self::default()
        };
        let root = match source.list("") {
            Ok(entries) => entries,
            Err(error) => {
                let message = match error.kind() {
                    ErrorKind::NotFound => "the directory does not exist".to_owned(),
                    ErrorKind::NotADirectory => "it is not a directory".to_owned(),
                    _ => format!("the directory cannot be read: {error}"),
                };
                bundle.trouble(TroubleKind::NoDirectory, "", message);
                return bundle;
            }
        };
        bundle.read_metadata(source);
        bundle.read_manifests(source);
        for entry in root.iter().filter(|entry| is_package(entry)) {
            let text = bundle.text(source, &entry.name);
            let document = text.and_then(|text| bundle.document(&entry.name, &text));
            bundle.packages.extend(document);
        }
        bundle
    }

    fn trouble(&mut self, kind: TroubleKind, file: &str, message: impl Into<String>) {
        self.troubles.push(Trouble::new(kind, file, message));
    }

    fn read_metadata(&mut self, source: &dyn Source) {
        let entries = match source.list(METADATA) {
            Ok(entries) => entries,
            Err(error) => {
                let message = match error.kind() {
                    ErrorKind::NotFound => "the bundle has no folder `metadata`".to_owned(),
                    _ => format!("the folder cannot be read: {error}"),
                };
                self.trouble(TroubleKind::NoMetadata, METADATA, message);
                return;
            }
        };
        let files = entries.iter().filter(|entry| is_yaml(entry));
        for file in files {
            let path = format!("{METADATA}/{}", file.name);
            let text = self.text(source, &path);
            let Some(document) = text.and_then(|text| self.document(&path, &text)) else {
                continue;
            };
            let root = document.root();
            if !root.get("annotations").is_missing() || path == ANNOTATIONS {
                // operator-sdk checks the first, whatever its name is.
                self.annotations.get_or_insert(document);
            } else if !root.get("dependencies").is_missing() || file.name == "dependencies.yaml" {
                self.dependencies = Some(document);
            } else if !root.get("properties").is_missing() || file.name == "properties.yaml" {
                self.properties = Some(document);
            }
        }
        let is_said = self.troubles.iter().any(|it| it.file == ANNOTATIONS);
        if self.annotations.is_none() && !is_said {
            let message = "the bundle has no file `metadata/annotations.yaml`";
            self.trouble(TroubleKind::NoAnnotations, METADATA, message);
        }
    }

    fn read_manifests(&mut self, source: &dyn Source) {
        let named = self.annotations.as_ref().map(|annotations| {
            let named = annotations.root().get("annotations").get(MANIFESTS_KEY);
            // In an image, `/manifests/` is the same folder.
            named.text().trim_matches('/').to_owned()
        });
        // One that is not in the bundle is another rule's.
        if let Some(named) = named
            && is_inside(&named)
            && source.list(&named).is_ok()
        {
            self.folder = named;
        }
        let folder = self.folder.clone();
        let entries = match source.list(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let message = match error.kind() {
                    ErrorKind::NotFound => format!("the bundle has no folder `{folder}`"),
                    _ => format!("the folder cannot be read: {error}"),
                };
                self.trouble(TroubleKind::NoManifests, &folder, message);
                return;
            }
        };
        if !entries.iter().any(is_yaml) {
            let message = "the folder has no YAML file";
            self.trouble(TroubleKind::NoYaml, &folder, message);
        }
        for entry in entries {
            let path = format!("{folder}/{}", entry.name);
            if entry.name.starts_with('.') {
                let message = "the folder of manifests has a hidden file or folder";
                self.trouble(TroubleKind::Hidden, &path, message);
            } else if entry.is_folder {
                let message = "the folder of manifests has a folder in it";
                self.trouble(TroubleKind::Folder, &path, message);
            } else if let Some(text) = self.text(source, &path) {
                self.read_manifest(path, &text);
            }
        }
    }

    fn read_manifest(&mut self, path: String, text: &str) {
        let mut document = self.document(&path, text);
        if let Some(found) = document.take_if(|document| !document.is_object()) {
            let message = "it is not a Kubernetes object: it has no `kind`";
            let trouble = Trouble::new(TroubleKind::NotAnObject, &path, message);
            self.troubles.push(trouble.line(found.root().line));
            if found.is_package() {
                self.packages.push(found);
            }
        }
        if let Some(found) = document.take_if(|document| !document.has_api_version()) {
            let message = "its `apiVersion` is not a group and a version";
            let trouble = Trouble::new(TroubleKind::NotAnObject, &path, message);
            let node = found.root().get("apiVersion");
            self.troubles
                .push(trouble.line(node.line).field(&node.field));
        }
        self.manifests.push(File {
            path,
            size: text.len(),
            packed: packed(text.as_bytes()),
            document,
        });
    }

    /// The text of a file.
    fn text(&mut self, source: &dyn Source, path: &str) -> Option<String> {
        if self.bytes > MOST_BYTES {
            let message = format!("the bundle has more than {} MiB", MOST_BYTES >> 20);
            self.trouble(TroubleKind::Unreadable, path, message);
            return None;
        }
        let read = source.read(path).map(String::from_utf8);
        let message = match read {
            Ok(Ok(text)) => {
                self.bytes += text.len();
                return Some(text);
            }
            Ok(Err(_)) => "the file is not UTF-8 text".to_owned(),
            Err(error) => format!("the file cannot be read: {error}"),
        };
        self.trouble(TroubleKind::Unreadable, path, message);
        None
    }

    fn document(&mut self, path: &str, text: &str) -> Option<Document> {
        Document::read(path, text, &mut self.troubles)
    }

    /// The objects of the manifests.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Document> {
        let documents = self.manifests.iter();
        documents.filter_map(|file| file.document.as_ref())
    }

    /// The objects of a kind.
    pub(crate) fn of_kind(&self, kind: &'static str) -> impl Iterator<Item = &Document> {
        self.objects().filter(move |object| object.kind() == kind)
    }
}

/// Whether a path stays in the bundle.
pub(crate) fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\\')
        && path.split('/').all(|part| !["", ".", ".."].contains(&part))
}

fn is_yaml(entry: &Entry) -> bool {
    let ends = [".yaml", ".yml", ".json"];
    let is_named = ends.iter().any(|end| entry.name.ends_with(end));
    is_named && !entry.is_folder && !entry.name.starts_with('.')
}

fn is_package(entry: &Entry) -> bool {
    is_yaml(entry) && entry.name.contains(".package.")
}

/// The length of a file as base64 of gzip.
pub(crate) fn packed(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_or(0, |packed| packed.len().div_ceil(3) * 4)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Files that are each short enough, and together too much to hold.
    #[test]
    fn a_bundle_is_read_up_to_a_limit() {
        let text = format!("kind: A\n# {}", "a".repeat(8 << 20));
        let paths = (0..12).map(|index| format!("manifests/{index:02}.yaml"));
        let files: BTreeMap<_, _> = paths.map(|path| (path, text.clone())).collect();
        let bundle = Bundle::read(&files);
        let mut unread = bundle.troubles.iter();
        let first = unread
            .find(|trouble| trouble.kind == TroubleKind::Unreadable)
            .expect("a limit");
        assert_eq!(first.file, "manifests/08.yaml");
        assert_eq!(first.message, "the bundle has more than 64 MiB");
        assert_eq!(bundle.objects().count(), 8);
    }
}
