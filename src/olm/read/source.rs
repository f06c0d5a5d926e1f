//! Where the files of a bundle come from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk;

/// The most files and folders in a folder of a bundle.
const MOST_ENTRIES: usize = 1000;

/// The longest file of a bundle that is read, in bytes. A whole bundle must fit into 1 MiB, compressed.
const LONGEST: usize = 16 << 20;

/// The most bytes of a bundle that are read, in all files.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name in its folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// The files of a bundle, by paths with `/` that start at the bundle's directory.
pub trait Source {
    /// What a folder holds, sorted by name. The path of the bundle's directory is empty.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be read.
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>>;

    /// What a file holds.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
}

/// Files in memory, by their paths.
impl Source for BTreeMap<String, String> {
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let prefix = match folder {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let paths = self.keys().filter_map(|path| path.strip_prefix(&prefix));
        let entries: BTreeSet<_> = paths
            .map(|path| match path.split_once('/') {
                Some((name, _)) => (name, true),
                None => (path, false),
            })
            .collect();
        if entries.is_empty() && !folder.is_empty() {
            return Err(ErrorKind::NotFound.into());
        }
        let entry = |(name, is_folder): (&str, bool)| Entry {
            name: name.to_owned(),
            is_folder,
        };
        Ok(entries.into_iter().map(entry).collect())
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let text = self.get(path).ok_or(ErrorKind::NotFound)?;
        Ok(text.clone().into_bytes())
    }
}

/// A directory on disk. Links that lead out of it are not followed.
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// The directory of a bundle.
    pub fn new(path: &Path) -> Self {
        Self(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    fn inside(&self, path: &str) -> io::Result<PathBuf> {
        let resolved = self.0.join(path).canonicalize()?;
        if resolved.starts_with(&self.0) {
            Ok(resolved)
        } else {
            Err(io::Error::other(
                "it is a link that leads out of the bundle",
            ))
        }
    }
}

impl Source for Directory {
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.inside(folder)?)? {
            let entry = entry?;
            if entries.len() == MOST_ENTRIES {
                let message = format!("it has more than {MOST_ENTRIES} entries");
                return Err(io::Error::other(message));
            }
            entries.push(Entry {
                name: entry.file_name().to_string_lossy().into_owned(),
                is_folder: entry.path().is_dir(),
            });
        }
        entries.sort();
        Ok(entries)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let path = self.inside(path)?;
        if fs::metadata(&path)?.len() > LONGEST as u64 {
            let limit = LONGEST >> 20;
            return Err(io::Error::other(format!("it is longer than {limit} MiB")));
        }
        disk::read(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_have_folders() {
        let paths = ["manifests/a.yaml", "manifests/sub/b.yaml", "x"];
        let files: BTreeMap<_, _> = paths
            .map(|path| (path.to_owned(), String::new()))
            .into_iter()
            .collect();
        let names = |folder: &str| {
            let entries = files.list(folder).expect("a folder").into_iter();
            let names = entries.map(|entry| (entry.name, entry.is_folder));
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(""), [("manifests".into(), true), ("x".into(), false)]);
        assert_eq!(
            names("manifests"),
            [("a.yaml".into(), false), ("sub".into(), true)]
        );
        assert!(files.list("metadata").is_err());
    }
}
