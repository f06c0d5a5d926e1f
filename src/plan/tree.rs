use std::collections::{BTreeMap, BTreeSet};

use super::renames::Renames;
use super::{Ownership, Text, header};

/// A file as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    path: String,
    ownership: Ownership,
    text: Text,
}

impl File {
    /// A file at `path`, relative to the project and with `/` between its parts. One of rop's gets
    /// its header.
    pub fn new(path: impl Into<String>, ownership: Ownership, text: impl Into<Text>) -> Self {
        let (path, text) = (path.into(), text.into());
        let text = match ownership {
            Ownership::Owned => header::add(&path, &text).into(),
            Ownership::Seeded | Ownership::Shared | Ownership::Vendored | Ownership::Recorded => {
                text
            }
        };
        Self {
            path,
            ownership,
            text,
        }
    }

    /// A file as it is on disk, with the header that it has there.
    pub(crate) fn on_disk(path: impl Into<String>, ownership: Ownership, text: String) -> Self {
        Self {
            path: path.into(),
            ownership,
            text: text.into(),
        }
    }

    /// A file of rop's.
    pub fn owned(path: impl Into<String>, text: String) -> Self {
        Self::new(path, Ownership::Owned, text)
    }

    /// A file that rop and the user both edit.
    pub fn shared(path: impl Into<String>, text: String) -> Self {
        Self::new(path, Ownership::Shared, text)
    }

    /// Where it is, relative to the project.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whose it is.
    pub fn ownership(&self) -> Ownership {
        self.ownership
    }

    /// Its text, without the header that rop's files have.
    pub fn body(&self) -> &str {
        match self.ownership {
            Ownership::Owned => header::body(&self.text),
            Ownership::Seeded | Ownership::Shared | Ownership::Vendored | Ownership::Recorded => {
                &self.text
            }
        }
    }

    /// Its whole text: with the header in front, where it is rop's.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Files as they should be, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, File>,
    /// Folders whose files are the user's, whoever wrote them.
    left: BTreeSet<String>,
    /// Files as they were made elsewhere, by where they are made now.
    moved: BTreeMap<String, File>,
    /// Files whose texts are made of the user's own sources, and not of templates alone.
    of_sources: BTreeSet<String>,
    /// What is left to the user.
    notes: Vec<String>,
    /// Outputs that cannot be generated: nobody knows whether they are up to date.
    unchecked: Vec<String>,
    /// Whether all files fit each other only as they are made: an edit is in the way then.
    is_whole: bool,
    /// Whether what a user wrote is merged with what changes, and which names change in it.
    renames: Option<Renames>,
    /// Whether the other tree is what another release made.
    is_update: bool,
    /// Files that an earlier release made, whether or not their texts are known.
    given: BTreeSet<String>,
}

impl Tree {
    /// Says what is left to the user.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Says that an output cannot be generated, and that its files are left as they are.
    pub(crate) fn leave_unchecked(&mut self, output: &str) {
        self.unchecked.push(output.to_owned());
    }

    /// Outputs that cannot be generated.
    pub(super) fn unchecked(&self) -> &[String] {
        &self.unchecked
    }

    /// Says that no file may be left to the user that changes: the others would not fit it.
    pub(crate) fn leave_nothing(&mut self) {
        self.is_whole = true;
    }

    /// Whether no file may be left to the user that changes.
    pub(super) fn leaves_nothing(&self) -> bool {
        self.is_whole
    }

    /// What is left to the user.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Lets what a user wrote be merged with what changes, and names change in it.
    pub(crate) fn merge_edits(&mut self, renames: Renames) {
        self.renames = Some(renames);
    }

    /// Says that another release made the other tree. Each file may differ, and no edit is passed over: what cannot be
    /// merged is a conflict, what was deleted stays deleted, and what is no longer made stays if it was edited.
    pub(crate) fn update(&mut self) {
        self.is_update = true;
    }

    /// Whether the other tree is what another release made.
    pub(crate) fn is_update(&self) -> bool {
        self.is_update
    }

    /// Says which files an earlier release made.
    pub(crate) fn add_given(&mut self, paths: impl IntoIterator<Item = String>) {
        self.given.extend(paths);
    }

    /// Whether an earlier release made a file.
    pub(super) fn is_given(&self, path: &str) -> bool {
        self.given.contains(path)
    }

    /// The names that change in what a user wrote, if that is merged with what changes.
    pub(super) fn renames(&self) -> Option<&Renames> {
        self.renames.as_ref()
    }

    /// Adds a file.
    ///
    /// # Panics
    /// Two files for one path: a defect of the templates.
    pub fn insert(&mut self, file: File) {
        let path = file.path.clone();
        let before = self.files.insert(path.clone(), file);
        assert!(before.is_none(), "two templates generate `{path}`");
    }

    /// Puts a file in place of the one that has its path.
    pub(crate) fn replace(&mut self, file: File) {
        self.files.insert(file.path.clone(), file);
    }

    /// As [`Self::replace`], with a file that is made of the user's own sources.
    pub(crate) fn replace_from_sources(&mut self, file: File) {
        if self.get(&file.path) != Some(&file) {
            self.of_sources.insert(file.path.clone());
        }
        self.replace(file);
    }

    /// Whether a file is made of the user's own sources.
    pub(crate) fn is_from_sources(&self, path: &str) -> bool {
        self.of_sources.contains(path)
    }

    /// Leaves a folder to the user: what rop wrote there is not deleted.
    pub(crate) fn leave(&mut self, folder: &str) {
        let parts = folder.split('/');
        let parts: Vec<_> = parts.filter(|part| !["", "."].contains(part)).collect();
        self.left.insert(parts.join("/"));
    }

    /// Whether a file is in a folder that is left to the user.
    pub(super) fn leaves(&self, path: &str) -> bool {
        let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        folders.any(|folder| self.left.contains(folder))
    }

    /// Says that the file at `path` was made elsewhere before: it is moved if it is there.
    pub fn moves(&mut self, path: &str, before: File) {
        self.moved.insert(path.to_owned(), before);
    }

    /// The file that is made at `path` now, as it was made elsewhere.
    pub(super) fn before_move(&self, path: &str) -> Option<&File> {
        self.moved.get(path)
    }

    /// Whether what was made at a path is made elsewhere now.
    pub(super) fn moves_from(&self, path: &str) -> bool {
        self.moved.values().any(|file| file.path == path)
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// Adds the files of another tree.
    ///
    /// # Panics
    /// As [`Self::insert`].
    pub fn extend(&mut self, other: Self) {
        for file in other.files.into_values() {
            self.insert(file);
        }
        self.left.extend(other.left);
        self.moved.extend(other.moved);
        self.of_sources.extend(other.of_sources);
        self.notes.extend(other.notes);
        self.given.extend(other.given);
        self.unchecked.extend(other.unchecked);
        self.is_whole |= other.is_whole;
        self.is_update |= other.is_update;
    }

    /// The files that are not the same in this tree and another, as each has them.
    pub fn differences(&self, other: &Self) -> (Self, Self) {
        let differing = |tree: &Self, other: &Self| {
            let files = tree
                .files
                .iter()
                .filter(|(path, file)| other.get(path) != Some(file));
            Self {
                files: files
                    .map(|(path, file)| (path.clone(), file.clone()))
                    .collect(),
                left: tree.left.clone(),
                moved: tree.moved.clone(),
                of_sources: tree.of_sources.clone(),
                notes: tree.notes.clone(),
                unchecked: tree.unchecked.clone(),
                is_whole: tree.is_whole,
                renames: tree.renames.clone(),
                is_update: tree.is_update,
                given: tree.given.clone(),
            }
        };
        (differing(self, other), differing(other, self))
    }

    /// Leaves out the files that `is_kept` does not hold for.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&File) -> bool) {
        self.files.retain(|_, file| is_kept(file));
    }

    /// The folders that are rop's as a whole.
    pub(super) fn vendored(&self) -> BTreeSet<&str> {
        let files = self
            .files()
            .filter(|file| file.ownership == Ownership::Vendored);
        files
            .filter_map(|file| Some(file.path.split_once('/')?.0))
            .collect()
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values()
    }
}
