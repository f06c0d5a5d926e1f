//! The files of an image: what its layers come to, one over the other.

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;

use super::archive::{Entry, Layer, Whiteout, inside};

/// How many links are followed, as Linux does.
const MOST_LINKS: usize = 40;

/// What the links of an image may be copies of, in bytes.
const MOST_WRITTEN: u64 = 64 << 20;

/// What is at each path of an image. A folder need not be listed.
#[derive(Debug, Default)]
pub(super) struct Tree(BTreeMap<PathBuf, Node>);

#[derive(Clone, Debug)]
enum Node {
    Folder,
    File(Bytes),
    Link(PathBuf),
    Special,
}

impl Tree {
    /// Lays a layer over the others. What it removes is theirs, whatever order its entries have.
    pub(super) fn add(&mut self, layer: Layer) {
        for whiteout in layer.whiteouts {
            match whiteout {
                Whiteout::Path(path) => {
                    let path = self.place(&path);
                    self.empty(&path);
                    self.0.remove(&path);
                }
                Whiteout::Content(folder) => {
                    if let Some(folder) = self.resolved(&folder) {
                        self.empty(&folder);
                    }
                }
            }
        }
        for (path, entry) in layer.entries {
            let path = self.place(&path);
            let node = match entry {
                Entry::Folder => Node::Folder,
                Entry::File(text) => Node::File(text),
                Entry::Symlink(target) => Node::Link(target),
                Entry::HardLink(target) => match self.0.get(&self.place(&target)) {
                    Some(node @ (Node::File(_) | Node::Link(_))) => node.clone(),
                    _ => Node::Special,
                },
                Entry::Special => Node::Special,
            };
            if !matches!(node, Node::Folder) {
                self.empty(&path);
            }
            // What is below a file makes it a folder.
            for above in path.ancestors().skip(1) {
                if matches!(self.0.get(above), Some(Node::File(_) | Node::Special)) {
                    self.0.remove(above);
                }
            }
            self.0.insert(path, node);
        }
    }

    /// Removes what is below a path.
    fn empty(&mut self, folder: &Path) {
        let after = (Bound::Excluded(folder), Bound::Unbounded);
        let below: Vec<_> = self
            .0
            .range::<Path, _>(after)
            .map(|(path, _)| path)
            .take_while(|path| path.starts_with(folder))
            .cloned()
            .collect();
        for path in below {
            self.0.remove(&path);
        }
    }

    /// Where a path is, with the links in its folder resolved.
    fn place(&self, path: &Path) -> PathBuf {
        let folder = path.parent().and_then(|folder| self.resolved(folder));
        match (folder, path.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    }

    /// A path with all links resolved. None if they lead in a circle.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let mut left = MOST_LINKS;
        let mut rest: Vec<_> = parts(path);
        let mut resolved = PathBuf::new();
        while let Some(part) = rest.pop() {
            match part.components().next() {
                Some(Component::RootDir) => resolved = PathBuf::new(),
                Some(Component::ParentDir) => drop(resolved.pop()),
                _ => resolved = inside(&resolved, &part),
            }
            if let Some(Node::Link(target)) = self.0.get(&resolved) {
                left = left.checked_sub(1)?;
                resolved.pop();
                rest.extend(parts(target));
            }
        }
        Some(resolved)
    }

    /// Writes all files, and what links to files lead to. In some folders there must be nothing else.
    ///
    /// # Errors
    /// There is, or the disk is full.
    pub(super) fn write(&self, root: &Path, folders: &[&str]) -> io::Result<()> {
        let folders: Vec<_> = folders
            .iter()
            .map(|folder| inside(Path::new(""), Path::new(folder)))
            .collect();
        let mut left = MOST_WRITTEN;
        for (path, node) in &self.0 {
            let is_read = folders.iter().any(|folder| path.starts_with(folder));
            let is_around = folders.iter().any(|folder| folder.starts_with(path));
            let text = match node {
                Node::Folder => {
                    if is_read {
                        make_folder(&root.join(path))?;
                    }
                    continue;
                }
                Node::File(text) => Some(text),
                Node::Link(_) => self.file(path),
                Node::Special => None,
            };
            let Some(text) = text else {
                if is_read || is_around {
                    return Err(io::Error::other(format!(
                        "`{}` is neither a file, nor a link to one in the image, nor a directory",
                        path.display()
                    )));
                }
                continue;
            };
            left = left.checked_sub(text.len() as u64).ok_or_else(|| {
                io::Error::other(format!(
                    "its files have more than {} MiB",
                    MOST_WRITTEN >> 20
                ))
            })?;
            write_file(&root.join(path), text)?;
        }
        Ok(())
    }

    /// The file that a path leads to.
    fn file(&self, path: &Path) -> Option<&Bytes> {
        match self.0.get(&self.resolved(path)?)? {
            Node::File(text) => Some(text),
            _ => None,
        }
    }
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().rev();
    parts.map(|part| PathBuf::from(part.as_os_str())).collect()
}

#[expect(clippy::disallowed_methods, reason = "writes no file of a project")]
fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[expect(clippy::disallowed_methods, reason = "writes no file of a project")]
fn write_file(path: &Path, text: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}
