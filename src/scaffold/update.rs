//! A project that another release made: what that release gave, and what its user made of it.

use std::collections::BTreeSet;

use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::plan::{
    File, Ownership, Renames, Tree, has_same_header, is_edited, is_headed, is_rust, merged as merge,
};
use crate::project::FILE_NAME;
use crate::record;
use crate::template;

use super::last::{Last, on_disk};
use super::migrations::Due;
use super::moved::Moved;

/// What an update does beside the steps of every change.
pub(super) struct Update(Due);

impl Update {
    /// Begins the update of a project from which this release makes `after`. Adds the paths that migrations change.
    pub(super) fn begin(view: &View, last: &Last, after: &Tree, renames: &mut Renames) -> Self {
        let due = Due::of(view, last, after);
        due.add_to(renames);
        Self(due)
    }

    /// The sources once this release is merged into them.
    ///
    /// # Errors
    /// A source cannot be read.
    pub(super) fn sources(
        view: &View,
        sources: &View,
        [before, after]: [&Tree; 2],
        moved: &Moved,
    ) -> Result<View> {
        let merged = merged(view, before, after, moved.pairs())?;
        let crds = crds_of_templates(before, after);
        sources.with(merged)?.without(&crds)
    }

    /// Adds notes on what the user has to change.
    ///
    /// # Errors
    /// A source cannot be read.
    pub(super) fn finish(self, view: &View, last: &Last, after: &mut Tree) -> Result<()> {
        for note in self.0.notes(view, last, after)? {
            after.note(note);
        }
        after.add_given(last.files().map(|(path, _)| path.to_owned()));
        Ok(())
    }
}

/// Adds what the project has from rop and `before` lacks: files that this release drops, and files that are generated
/// from sources.
///
/// # Errors
/// A file cannot be read.
pub(super) fn add_given(view: &View, last: &Last, before: &mut Tree, after: &Tree) -> Result<()> {
    before.extend(dropped(view, last, [before, after])?);
    add_former(view, last, before, after)?;
    before.extend(deleted(view, last, [before, after]));
    Ok(())
}

/// The files that the project has from rop. Those of `last` are what this release makes of the same PROJECT; the
/// record has the texts of those that the user may edit, and the disk has the others.
///
/// A file that this release adds is in none of them.
pub(super) fn given(view: &View, last: &mut Last) -> Result<Tree> {
    let conversions: BTreeSet<String> = last
        .project
        .conversions()
        .map(|conversion| conversion.source())
        .collect();
    let mut given = last.tree.clone();
    last.find_former(view)?;
    let last = &*last;
    let has_lost_record = last.has_lost_record(view)?;
    for file in last.tree.files() {
        let path = file.path();
        let text = match file.ownership() {
            // One that is missing is generated again.
            Ownership::Owned if !view.is_file(path) => None,
            Ownership::Owned if manifest::is_crd(path) && !follows_template(view, last, path)? => {
                continue;
            }
            Ownership::Owned => generated(view, file)?,
            Ownership::Seeded | Ownership::Shared
                if path == FILE_NAME || conversions.contains(path) =>
            {
                continue;
            }
            Ownership::Seeded | Ownership::Shared => user_text(view, last, file, has_lost_record)?,
            Ownership::Vendored | Ownership::Recorded => continue,
        };
        match text {
            Some(text) => given.replace(File::on_disk(path, file.ownership(), text)),
            None => given.retain(|other| other.path() != path),
        }
    }
    Ok(given)
}

/// Whether the types of a CRD are those of their templates: then the CRD is too.
fn follows_template(view: &View, last: &Last, crd: &str) -> Result<bool> {
    let kind = last.project.own_kinds().find(|kind| kind.crd() == crd);
    for version in kind.iter().flat_map(|kind| kind.versions()) {
        let path = version.types_file();
        let given = match record::base(view, &path)? {
            Some(base) if base.is_from_sources => None,
            Some(base) => Some(base.text),
            None => last.former.get(&path).map(|file| file.text().to_owned()),
        };
        if given != on_disk(view, &path)? {
            return Ok(false);
        }
    }
    Ok(kind.is_some())
}

/// The CRDs that this release makes of its templates, and not of what is on disk.
fn crds_of_templates(before: &Tree, after: &Tree) -> Vec<String> {
    let crds = before.files().filter(|file| manifest::is_crd(file.path()));
    let other = crds.filter(|crd| after.get(crd.path()).is_some_and(|now| now != *crd));
    other.map(|crd| crd.path().to_owned()).collect()
}

/// The text of a file that rop owns, as it was given: with its header, whatever became of it. If this release makes the
/// same, there is nothing to change.
fn generated(view: &View, file: &File) -> Result<Option<String>> {
    let text = on_disk(view, file.path())?;
    Ok(text.and_then(|text| {
        if has_same_header(&text, file.text()) {
            Some(file.text().to_owned())
        } else {
            Some(text).filter(|text| is_headed(file.path(), text))
        }
    }))
}

/// The text of a file that the user may edit, as it was given.
fn user_text(
    view: &View,
    last: &Last,
    file: &File,
    has_lost_record: bool,
) -> Result<Option<String>> {
    let same = || Some(file.text().to_owned());
    record::check_base(view, file.path())?;
    Ok(match record::base(view, file.path())? {
        // Templates do not know what was made of the user's own sources.
        Some(base) if base.is_from_sources => same(),
        Some(base) => Some(base.text),
        None => match on_disk(view, file.path())? {
            Some(text) if text == file.text() => same(),
            _ if is_former(last, file.path()) => {
                let former = last.former.get(file.path());
                former.map(|former| former.text().to_owned())
            }
            // Another release owned it, and nobody edited it.
            Some(text) if is_headed(file.path(), &text) && !is_edited(file.path(), &text) => {
                Some(text)
            }
            None if last.is_given(file.path()) => same(),
            _ if has_lost_record => same(),
            _ => None,
        },
    })
}

/// Whether a release before the record made a file that the user may edit.
fn is_former(last: &Last, path: &str) -> bool {
    let file = last.former.get(path);
    file.is_some_and(|file| file.ownership() != Ownership::Owned)
}

/// The files that the project has from rop, and that this release does not make.
fn dropped(view: &View, last: &Last, [before, after]: [&Tree; 2]) -> Result<Tree> {
    let mut dropped = Tree::default();
    let known = template::dropped(&last.project)?;
    for (path, ownership) in last.files() {
        if before.get(path).is_some() || after.get(path).is_some() {
            continue;
        }
        let given = match ownership {
            // The record came with the project and may name files of the user's: a header says that a file is rop's,
            // and of the others only those are that a release made.
            Ownership::Owned => on_disk(view, path)?.filter(|text| is_headed(path, text)),
            Ownership::Seeded | Ownership::Shared => match record::base(view, path)? {
                Some(base) => {
                    Some(base.text).filter(|_| !base.is_from_sources && known.contains(path))
                }
                None => last.former.get(path).map(|file| file.text().to_owned()),
            },
            Ownership::Vendored | Ownership::Recorded => None,
        };
        if let Some(text) = given {
            dropped.insert(File::on_disk(path, ownership, text));
        }
    }
    for file in last.before_library(view)?.files() {
        if [before, after, &dropped]
            .iter()
            .all(|tree| tree.get(file.path()).is_none())
        {
            dropped.insert(file.clone());
        }
    }
    Ok(dropped)
}

/// Adds what a release before the record gave of the user's files that are generated from sources.
fn add_former(view: &View, last: &Last, before: &mut Tree, after: &Tree) -> Result<()> {
    for file in last.former.files() {
        let path = file.path();
        let is_users = after
            .get(path)
            .is_some_and(|now| now.ownership() == Ownership::Seeded);
        let is_generated = is_users && last.tree.get(path).is_none() && view.is_file(path);
        if is_generated && record::base(view, path)?.is_none() {
            before.replace(file.clone());
        }
    }
    Ok(())
}

/// The user's files that are generated from sources, which the user deleted: as if they were up to date.
fn deleted(view: &View, last: &Last, [before, after]: [&Tree; 2]) -> Tree {
    let mut deleted = Tree::default();
    for file in after.files() {
        let path = file.path();
        let is_users = file.ownership() == Ownership::Seeded && before.get(path).is_none();
        if is_users && !view.is_file(path) && last.is_given(path) {
            deleted.insert(file.clone());
        }
    }
    deleted
}

/// The user's sources with the changes of this release, if they can be merged: markers are read from these.
fn merged(
    view: &View,
    before: &Tree,
    after: &Tree,
    moved: &[[File; 2]],
) -> Result<Vec<(String, String)>> {
    let kept = before.files().filter_map(|given| {
        let now = after.get(given.path())?;
        Some([given, now])
    });
    let moved = moved.iter().map(|[given, now]| [given, now]);
    let mut merged = Vec::new();
    for [given, now] in kept.chain(moved) {
        let path = given.path();
        if given.ownership() == Ownership::Seeded && is_rust(path) && given != now {
            let text = on_disk(view, path)?.and_then(|text| merge(given, &text, now));
            merged.extend(text.map(|text| (path.to_owned(), text)));
        }
    }
    Ok(merged)
}
