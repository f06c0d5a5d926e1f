//! A project that another release made: what that release gave, and what its user made of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::plan::{
    File, LineEnds, Ownership, Tree, has_same_header, is_edited, is_headed, is_rust,
    merged as merge,
};
use crate::project::FILE_NAME;
use crate::record;
use crate::template;

use super::last::Last;
use super::leftover;

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
    if last.record.is_none() {
        let text = |path: &str| on_disk(view, path).ok().flatten();
        last.former = template::former(&last.project, &last.tree, text)?.unwrap_or_default();
    }
    let last = &*last;
    for file in last.tree.files() {
        let path = file.path();
        let text = match file.ownership() {
            Ownership::Owned if manifest::is_crd(path) && !follows_template(view, last, path)? => {
                continue;
            }
            Ownership::Owned => generated(view, last, file)?,
            Ownership::Seeded | Ownership::Shared
                if path == FILE_NAME || conversions.contains(path) =>
            {
                continue;
            }
            Ownership::Seeded | Ownership::Shared => users(view, last, file)?,
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
pub(super) fn crds_of_templates(before: &Tree, after: &Tree) -> Vec<String> {
    let crds = before.files().filter(|file| manifest::is_crd(file.path()));
    let other = crds.filter(|crd| after.get(crd.path()).is_some_and(|now| now != *crd));
    other.map(|crd| crd.path().to_owned()).collect()
}

/// The text of a file that rop owns, as it was given: with its header, whatever became of it. If this release makes the
/// same, there is nothing to change.
fn generated(view: &View, last: &Last, file: &File) -> Result<Option<String>> {
    let same = || Some(file.text().to_owned());
    Ok(match on_disk(view, file.path())? {
        None => same().filter(|_| is_given(last, file.path())),
        Some(text) if has_same_header(&text, file.text()) => same(),
        Some(text) => Some(text).filter(|text| is_headed(file.path(), text)),
    })
}

/// The text of a file that the user may edit, as it was given.
fn users(view: &View, last: &Last, file: &File) -> Result<Option<String>> {
    let same = || Some(file.text().to_owned());
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
            Some(text) => Some(text)
                .filter(|text| is_headed(file.path(), text) && !is_edited(file.path(), text)),
            None => same().filter(|_| is_given(last, file.path())),
        },
    })
}

/// The files that the project has from rop, by the record or by a release before it.
fn files_of(last: &Last) -> impl Iterator<Item = (&str, Ownership)> {
    let recorded = last.record.iter().flat_map(|record| record.files());
    let former = last.former.files();
    recorded.chain(former.map(|file| (file.path(), file.ownership())))
}

/// Whether rop gave a file to the project.
pub(super) fn is_given(last: &Last, path: &str) -> bool {
    files_of(last).any(|(file, _)| file == path)
}

/// Whether a release before the record made a file that the user may edit.
fn is_former(last: &Last, path: &str) -> bool {
    let file = last.former.get(path);
    file.is_some_and(|file| file.ownership() != Ownership::Owned)
}

fn on_disk(view: &View, path: &str) -> Result<Option<String>> {
    if !view.is_file(path) {
        return Ok(None);
    }
    Ok(view.read(path)?.map(|text| LineEnds::read(&text)))
}

/// The files that the project has from rop, and that this release does not make.
pub(super) fn dropped(view: &View, last: &Last, [before, after]: [&Tree; 2]) -> Result<Tree> {
    let mut dropped = Tree::default();
    for (path, ownership) in files_of(last) {
        if before.get(path).is_some() || after.get(path).is_some() {
            continue;
        }
        let given = match ownership {
            // The record came with the project: only a header says that a file is rop's.
            Ownership::Owned => on_disk(view, path)?.filter(|text| is_headed(path, text)),
            Ownership::Seeded | Ownership::Shared => match record::base(view, path)? {
                Some(base) => Some(base.text).filter(|_| !base.is_from_sources),
                None => last.former.get(path).map(|file| file.text().to_owned()),
            },
            Ownership::Vendored | Ownership::Recorded => None,
        };
        if let Some(text) = given {
            dropped.insert(File::on_disk(path, ownership, text));
        }
    }
    Ok(dropped)
}

/// Adds what a release before the record gave of the user's files that are generated from sources.
pub(super) fn add_former(view: &View, last: &Last, before: &mut Tree, after: &Tree) -> Result<()> {
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
pub(super) fn deleted(view: &View, last: &Last, [before, after]: [&Tree; 2]) -> Tree {
    let mut deleted = Tree::default();
    for file in after.files() {
        let path = file.path();
        let is_users = file.ownership() == Ownership::Seeded && before.get(path).is_none();
        if is_users && !view.is_file(path) && is_given(last, path) {
            deleted.insert(file.clone());
        }
    }
    deleted
}

/// Files that the user moved and this release changes: as they were given and as this release makes them, each under
/// the user's path. Their former paths count as up to date.
pub(super) fn moved(
    view: &View,
    last: &Last,
    before: &mut Tree,
    after: &Tree,
) -> Result<Vec<[File; 2]>> {
    let is_missing = |file: &&File| {
        let is_users = file.ownership() == Ownership::Seeded && !view.is_file(file.path());
        is_users && after.get(file.path()).is_some_and(|now| now != *file)
    };
    let missing: Vec<File> = before.files().filter(is_missing).cloned().collect();
    let mut moved = Vec::new();
    if missing.is_empty() {
        return Ok(moved);
    }
    let mut others = BTreeMap::new();
    for path in leftover::texts(view) {
        if !is_given(last, &path) && after.get(&path).is_none() {
            // What is not UTF-8 is no text of rop's.
            let text = view.read_own(&path).ok().flatten();
            let text = text.filter(|text| !is_headed(&path, text));
            others.extend(text.map(|text| (path, LineEnds::read(&text))));
        }
    }
    for given in missing {
        let Some(now) = after.get(given.path()) else {
            continue;
        };
        if let Some(path) = moved_to(&given, &others) {
            others.remove(&path);
            let pair = [&given, now];
            moved.push(
                pair.map(|file| File::new(&*path, Ownership::Seeded, file.text().to_owned())),
            );
            before.replace(now.clone());
        }
    }
    Ok(moved)
}

/// The least share of lines that a moved file has in common with the one that was given, as git's default.
const SIMILAR: f64 = 0.5;

/// Where a file was moved to: to the other path of its Rust module, or else to the most similar file.
fn moved_to(given: &File, others: &BTreeMap<String, String>) -> Option<String> {
    let extension = |path: &str| path.rsplit_once('.').map(|(_, name)| name.to_owned());
    let alike = others
        .iter()
        .filter(|(path, _)| extension(path) == extension(given.path()));
    let scored = alike.map(|(path, text)| {
        let is_module = is_rust(path) && module(path) == module(given.path());
        let score = if is_module {
            1.0
        } else {
            similarity(given.text(), text)
        };
        (path, score)
    });
    let best = scored.max_by(|(_, left), (_, right)| left.total_cmp(right));
    let (path, _) = best.filter(|(_, score)| *score > SIMILAR)?;
    Some(path.clone())
}

/// The module that a Rust source is.
fn module(path: &str) -> &str {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    path.strip_suffix("/mod").unwrap_or(path)
}

/// The share of lines that two texts have in common, without those that say nothing.
fn similarity(left: &str, right: &str) -> f64 {
    let lines = |text: &str| {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| line.contains(char::is_alphanumeric));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in lines {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        counts
    };
    let (left, right) = (lines(left), lines(right));
    let common = left
        .iter()
        .map(|(line, count)| right.get(line).map_or(0, |other| *count.min(other)));
    let all = left.values().chain(right.values()).sum::<usize>();
    #[expect(clippy::cast_precision_loss, reason = "numbers of lines are small")]
    let share = |common: usize| 2.0 * common as f64 / all.max(1) as f64;
    share(common.sum())
}

/// The user's sources with the changes of this release, if they can be merged: markers are read from these.
pub(super) fn merged(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_file_is_found() {
        let given = File::new(
            "src/controller/app/status.rs",
            Ownership::Seeded,
            "use a::b;\n\nfn a() {\n    one();\n    two();\n}\n".to_owned(),
        );
        let similar = given.text().replace("two", "three");
        let other = "fn a() {\n    other();\n    more();\n    still_more();\n}\n";
        for (files, expected) in [
            (
                vec![("src/status.rs", &*similar), ("src/b.rs", other)],
                "src/status.rs",
            ),
            (
                vec![("src/status.rs", &similar), ("src/x.rs", given.text())],
                "src/x.rs",
            ),
            (
                vec![("src/controller/app/status/mod.rs", other)],
                "src/controller/app/status/mod.rs",
            ),
            (vec![("src/b.rs", other)], ""),
            (vec![("src/status.txt", given.text())], ""),
        ] {
            let files = files.into_iter();
            let others = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
            let found = moved_to(&given, &others.collect());
            assert_eq!(found.unwrap_or_default(), expected);
        }
    }
}
