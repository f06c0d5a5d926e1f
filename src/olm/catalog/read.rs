//! The files of a catalog.

use std::fmt;
use std::path::Path;

use crate::disk::View;
use crate::error::{Code, Context, Error, Result};
use crate::yaml;

use super::blob::{BUNDLE, Blob, CHANNEL, PACKAGE};
use super::finding::Finding;
use super::ignore::Ignore;
use super::rule::Rule;

const IGNORE: &str = ".indexignore";

/// The most files of a catalog.
const MOST_FILES: usize = 20_000;

/// The most bytes in them.
const MOST_BYTES: usize = 512 << 20;

/// A file-based catalog.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// Path of the catalog, relative to the root of the view.
    folder: String,
    /// Each file that belongs to it, with its text.
    pub(crate) files: Vec<(String, String)>,
    /// The documents of the files, in their order.
    pub(super) blobs: Vec<Blob>,
    /// What cannot be read.
    pub(super) unreadable: Vec<Finding>,
}

/// How much is in a catalog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) packages: usize,
    pub(crate) channels: usize,
    pub(crate) bundles: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.packages, "package"),
            (self.channels, "channel"),
            (self.bundles, "bundle"),
        ];
        let part = |(count, what): (usize, &str)| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        formatter.write_str(&parts.map(part).join(", "))
    }
}

impl Catalog {
    /// Reads the catalog in a folder of the view, but for what `.indexignore` excludes.
    ///
    /// # Errors
    /// The folder does not exist, or is too large.
    pub(crate) fn read(view: &View, folder: &str) -> Result<Self> {
        let root = view.root().join(folder);
        if !root.is_dir() {
            return Err(Error::new(
                Code::UnreadableFile,
                format!("there is no catalog in `{folder}`"),
            )
            .hint("create a catalog with `rop catalog init PACKAGE`, or pass the path of an existing one"));
        }
        // What cannot be read is found, too.
        let mut paths = view.files_in(folder)?;
        paths.extend(view.irregular_in(folder)?);
        if paths.len() > MOST_FILES {
            return Err(too_large(
                folder,
                &format!("has more than {MOST_FILES} files"),
            ));
        }
        let root = root.canonicalize().unreadable(folder)?;
        let mut catalog = Self {
            folder: folder.to_owned(),
            ..Self::default()
        };
        let ignore = catalog.ignored(view, folder, &root, &paths);
        let mut bytes = 0;
        for path in &paths {
            let name = within(path, folder);
            if is_ignore(name) || ignore.has(name) {
                continue;
            }
            if let Some(text) = catalog.text(view, path, &root) {
                bytes += text.len();
                if bytes > MOST_BYTES {
                    let most = MOST_BYTES >> 20;
                    return Err(too_large(folder, &format!("has more than {most} MiB")));
                }
                catalog.add(path, text);
            }
        }
        Ok(catalog)
    }

    /// The text of a file that belongs to it.
    pub(crate) fn text_of(&self, path: &str) -> Option<&str> {
        let mut files = self.files.iter();
        let (_, text) = files.find(|(known, _)| known == path)?;
        Some(text)
    }

    /// Its files by their paths in it.
    pub(crate) fn contents(&self) -> Vec<(&str, &str)> {
        let files = self.files.iter();
        files
            .map(|(path, text)| (within(path, &self.folder), &**text))
            .collect()
    }

    /// Whether it has a package of a name.
    pub(crate) fn has_package(&self, name: &str) -> bool {
        let mut blobs = self.blobs.iter();
        blobs.any(|blob| blob.schema() == PACKAGE && blob.package() == name)
    }

    /// How much is in it.
    pub(crate) fn counts(&self) -> Counts {
        let count = |schema: &str| {
            let blobs = self.blobs.iter();
            blobs.filter(|blob| blob.schema() == schema).count()
        };
        Counts {
            packages: count(PACKAGE),
            channels: count(CHANNEL),
            bundles: count(BUNDLE),
        }
    }

    /// The same catalog with another text in some of its files.
    pub(super) fn with(&self, changed: &[(String, String)]) -> Self {
        let mut files = self.files.clone();
        for (path, text) in changed {
            match files.iter_mut().find(|(known, _)| known == path) {
                Some(file) => file.1.clone_from(text),
                None => files.push((path.clone(), text.clone())),
            }
        }
        let mut catalog = Self::default();
        for (path, text) in files {
            catalog.add(&path, text);
        }
        catalog
    }

    fn ignored(&mut self, view: &View, folder: &str, root: &Path, paths: &[String]) -> Ignore {
        let mut ignore = Ignore::default();
        for path in paths {
            let name = within(path, folder);
            let Some(within) = name.strip_suffix(IGNORE) else {
                continue;
            };
            if !(within.is_empty() || within.ends_with('/')) {
                continue;
            }
            let Some(text) = self.text(view, path, root) else {
                continue;
            };
            if let Err(reason) = ignore.add(within, &text) {
                let message = format!("the file {reason}");
                let finding = Finding::in_file(Rule::FileUnreadable, path, 0, message);
                self.unreadable.push(finding);
            }
            self.files.push((path.clone(), text));
        }
        ignore
    }

    /// The text of a file, if it can be read and no link leads out of the catalog.
    fn text(&mut self, view: &View, path: &str, root: &Path) -> Option<String> {
        let resolved = view.root().join(path).canonicalize();
        let reason = match resolved {
            Ok(resolved) if !resolved.starts_with(root) => {
                "a link leads out of the catalog".to_owned()
            }
            _ => match view.read(path) {
                Ok(Some(text)) => return Some(text),
                Ok(None) => "it is a link to nothing".to_owned(),
                Err(error) => error.chain().collect::<Vec<_>>().join(": "),
            },
        };
        let finding = Finding::in_file(Rule::FileUnreadable, path, 0, reason);
        self.unreadable.push(finding);
        None
    }

    fn add(&mut self, path: &str, text: String) {
        for document in yaml::located(&text) {
            match document {
                Ok(document) => self.blobs.push(Blob::new(path, document)),
                Err(error) => self.unreadable.push(Finding::in_file(
                    Rule::FileMalformed,
                    path,
                    error.line(),
                    error.to_string(),
                )),
            }
        }
        self.files.push((path.to_owned(), text));
    }
}

/// Whether a file says which others do not belong to the catalog.
pub(super) fn is_ignore(path: &str) -> bool {
    path.rsplit('/').next() == Some(IGNORE)
}

/// A path of the project as one of the catalog.
fn within<'a>(path: &'a str, folder: &str) -> &'a str {
    let rest = path.strip_prefix(folder).unwrap_or(path);
    rest.trim_start_matches('/')
}

fn too_large(folder: &str, reason: &str) -> Error {
    Error::new(
        Code::UnreadableFile,
        format!("the catalog `{folder}` {reason}"),
    )
    .hint("is it the folder of a catalog? `.indexignore` excludes files of others")
}
