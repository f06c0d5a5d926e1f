//! A project as rop made it last.

use crate::disk::View;
use crate::error::Result;
use crate::plan::{File, LineEnds, Ownership, Tree, has_same_header, is_edited, is_headed};
use crate::project::{Project, Runtime, release};
use crate::record::Record;
use crate::template;

use super::{as_built, render};

/// A project as rop made it last.
pub(super) struct Last {
    pub(super) project: Project,
    pub(super) tree: Tree,
    /// What it says of itself, if it does.
    pub(super) record: Option<Record>,
    /// What a release before the record made of it, if one did. An update looks for that.
    pub(super) former: Tree,
    /// What PROJECT lists, also if it does not exist.
    listed: Project,
}

impl Last {
    /// Reads what is recorded of a project. `project` is what PROJECT says now, or what it said
    /// in another branch, which the record does not say.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn read(view: &View, project: &Project, is_former: bool) -> Result<Self> {
        let record = Record::read(view)?.filter(|_| !is_former);
        let built = as_built(view, project)?;
        let listed = built.as_laid_out(view);
        let project = match &record {
            Some(record) => {
                record.check(project)?;
                let library = project.library;
                let last = Project {
                    library,
                    // A user may have another one in Cargo.toml.
                    runtime: built.runtime,
                    ..record.project.clone()
                };
                // Somebody may have moved the files by hand.
                last.as_laid_out(view)
            }
            // An older release made it, or somebody deleted the record. What PROJECT lists and exists was made.
            None => listed.present(view),
        };
        Ok(Self {
            tree: render(view, &project)?,
            project,
            record,
            former: Tree::default(),
            listed,
        })
    }

    /// Looks for what a release before the record made of it.
    ///
    /// # Errors
    /// As [`template::former`].
    pub(super) fn find_former(&mut self, view: &View) -> Result<()> {
        if self.record.is_some() {
            return Ok(());
        }
        let text = |path: &str| on_disk(view, path).ok().flatten();
        if let Some(mut former) = template::former(&self.listed, &self.tree, text)? {
            if !has_library(view)? {
                // A release before that one made it: what is missing was never there, and of what differs nobody knows
                // the text that it gave.
                former.retain(|file| {
                    file.ownership() == Ownership::Seeded
                        && text(file.path()).as_deref() == Some(file.text())
                });
                self.former = former;
                return Ok(());
            }
            // A release did make what is missing: the user moved or deleted it.
            self.former = former;
            self.tree = render(view, &self.listed)?;
            self.project = self.listed.clone();
        }
        Ok(())
    }

    /// Whether this build made it, and somebody deleted the record.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn has_lost_record(&self, view: &View) -> Result<bool> {
        let exists = view.is_file("Cargo.toml");
        let is_current = exists && self.project.cli_version == release();
        Ok(self.record.is_none() && is_current && !self.is_of_other_build(view)?)
    }

    /// Whether the files of a project without a record are those of another build.
    fn is_of_other_build(&self, view: &View) -> Result<bool> {
        if self.former.files().next().is_some() {
            return Ok(true);
        }
        let sums = format!("{}/SUMS", Runtime::FOLDER);
        let Some(own) = self.tree.get(&sums) else {
            return Ok(false);
        };
        let Some(text) = on_disk(view, &sums)? else {
            // Releases before the library made it.
            return Ok(!has_library(view)?);
        };
        let is_intact = is_headed(&sums, &text) && !is_edited(&sums, &text);
        Ok(is_intact && !has_same_header(&text, own.text()))
    }

    /// Whether another build than this one made it, or a part of it.
    ///
    /// # Errors
    /// As [`Self::find_former`].
    pub(super) fn has_other_templates(&mut self, view: &View) -> Result<bool> {
        if let Some(record) = &self.record {
            return Ok(record.has_other_templates());
        }
        self.find_former(view)?;
        self.is_of_other_build(view)
    }

    /// The files that it has from rop, by the record or by a release before it.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, Ownership)> {
        let recorded = self.record.iter().flat_map(Record::files);
        let former = self.former.files();
        recorded.chain(former.map(|file| (file.path(), file.ownership())))
    }

    /// Whether it has a file from rop.
    pub(super) fn is_given(&self, path: &str) -> bool {
        let record = self.record.as_ref();
        record.is_some_and(|record| record.has(path)) || self.former.get(path).is_some()
    }
}

/// Files that rop owned before it had a library.
const BEFORE_LIBRARY: [&str; 3] = ["api/src/testing.rs", "api/tests/crd.rs", "src/runtime/"];

impl Last {
    /// The files that rop owned before it had a library, if such a release made the project: with their headers, for
    /// nothing else says that they are rop's.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn before_library(&self, view: &View) -> Result<Tree> {
        let mut tree = Tree::default();
        if self.record.is_some() || has_library(view)? {
            return Ok(tree);
        }
        for place in BEFORE_LIBRARY {
            let paths = match place.strip_suffix('/') {
                Some(folder) => view.own_files_in(folder)?,
                None => vec![place.to_owned()],
            };
            for path in paths {
                let text = on_disk(view, &path)?.filter(|text| is_headed(&path, text));
                if let Some(text) = text {
                    tree.insert(File::on_disk(path, Ownership::Owned, text));
                }
            }
        }
        Ok(tree)
    }
}

/// Whether a project depends on the library, as those of releases before it do not. Nothing of it may exist yet.
fn has_library(view: &View) -> Result<bool> {
    let manifest = on_disk(view, "Cargo.toml")?;
    Ok(manifest.is_none_or(|text| Runtime::in_manifest(&text).is_some()))
}

/// The text of a file, with the line ends that rop writes.
pub(super) fn on_disk(view: &View, path: &str) -> Result<Option<String>> {
    if !view.is_file(path) {
        return Ok(None);
    }
    Ok(view.read(path)?.map(|text| LineEnds::read(&text)))
}
