//! The operator's sources, in which markers are.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use crate::disk::{self, View};
use crate::error::{Context, Result};
use crate::plan::{Ownership, Tree, above};
use crate::project::layout::{API_SOURCES, SOURCES};

use super::marker::Source;

/// The Rust sources of the operator, by path.
#[derive(Debug)]
pub struct Sources(BTreeMap<String, String>);

impl Sources {
    /// Reads those on disk, with what `after` adds to `before` over them: so what a kind that is about to be made
    /// needs is known before a file of it is written.
    ///
    /// # Errors
    /// A source cannot be read.
    pub fn read(view: &View, before: &Tree, after: &Tree) -> Result<Self> {
        let mut texts = on_disk(view, SOURCES)?;
        for file in after.files().filter(|file| is_source(file.path())) {
            // What nobody has edited follows, below what stands above it: that may be a marker.
            let above = match (file.ownership(), before.get(file.path())) {
                (Ownership::Seeded, Some(given)) if given.text() == file.text() => None,
                (Ownership::Seeded, Some(given)) => {
                    let text = texts.get(file.path());
                    text.and_then(|text| above(file.path(), given.text(), text))
                }
                _ => Some(""),
            };
            if let Some(above) = above {
                let text = format!("{above}{}", file.text());
                texts.insert(file.path().to_owned(), text);
            }
        }
        Ok(Self(texts))
    }

    /// Those of the types in `api/`.
    ///
    /// # Errors
    /// A source cannot be read.
    pub(super) fn of_api(view: &View) -> Result<Self> {
        on_disk(view, API_SOURCES).map(Self)
    }

    /// Those on disk.
    ///
    /// # Errors
    /// A source cannot be read.
    pub(super) fn on_disk(view: &View) -> Result<Self> {
        on_disk(view, SOURCES).map(Self)
    }

    /// All of them.
    pub(super) fn list(&self) -> Vec<Source<'_>> {
        let sources = self.0.iter();
        sources.map(|(path, text)| Source { path, text }).collect()
    }
}

fn is_source(path: &str) -> bool {
    is_below(path, SOURCES) && path.ends_with(".rs")
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// The Rust sources that are on disk by path, those behind links too: rustc compiles them.
fn on_disk(view: &View, folder: &str) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let is_source = |path: &str| is_below(path, folder) && path.ends_with(".rs");
    let folder = view.root().join(folder);
    for entry in disk::walk(&folder) {
        let entry = entry?;
        let path = relative(entry.path().strip_prefix(view.root()).unwrap_or(&folder));
        if entry.file_type().is_file() && is_source(&path) {
            let resolved = entry.path().canonicalize().unreadable(&path)?;
            match view.read_resolved(&resolved) {
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                text => {
                    drop(texts.insert(path.clone(), text.unreadable(&path)?));
                }
            }
        }
    }
    let added = view.added().map(|(path, text)| (relative(path), text));
    for (path, text) in added.filter(|(path, _)| is_source(path)) {
        texts.insert(path, text.to_owned());
    }
    Ok(texts)
}

fn relative(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
