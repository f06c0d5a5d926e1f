//! What is left to do where a kind of another operator has moved to another version.

use std::collections::BTreeMap;

use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::plan::Plan;
use crate::project::layout::POLICIES;
use crate::project::{Project, ProjectKind};

/// How many files a note lists.
const LISTED: usize = 6;

/// Names the files of the user's that still have the version that a kind had: rop replaces it where nobody has
/// edited what it wrote.
pub(super) fn moved_kinds(
    view: &View,
    before: &Project,
    after: &Project,
    plan: &Plan,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let is_listed = |old: &&ProjectKind| {
        after
            .external_kinds()
            .any(|other| other.hub().is(old.hub()))
    };
    let gone: Vec<&ProjectKind> = before
        .external_kinds()
        .filter(|old| !is_listed(old))
        .collect();
    for from in gone {
        let Some(to) = after.external_kinds().find(|new| new.is_same(from)) else {
            continue;
        };
        let files = files(view, plan, from)?;
        if files.is_empty() {
            continue;
        }
        notes.push(format!(
            "replace `{}` with `{}` for {}, in {}",
            from.hub,
            to.hub,
            from.hub().gvk(),
            listed(&files, LISTED)
        ));
    }
    Ok(notes)
}

/// The files that will name both the group of a kind and its version.
fn files(view: &View, plan: &Plan, kind: &ProjectKind) -> Result<Vec<String>> {
    let changed: BTreeMap<&str, Option<&String>> = plan
        .changes
        .iter()
        .map(|change| (&*change.path, change.after.as_ref()))
        .collect();
    let [group, version, _] = kind.modules();
    let names = |text: &str| {
        let is_group = has_word(text, &group) || text.contains(&kind.api_group());
        is_group && (has_word(text, &version) || has_word(text, kind.hub.as_str()))
    };
    let mut found = Vec::new();
    for folder in ["src", "tests", POLICIES] {
        for path in view.files_in(folder)? {
            let text = match changed.get(&*path) {
                Some(after) => after.cloned(),
                None => view.read(&path)?,
            };
            if text.is_some_and(|text| names(&text)) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Whether a word stands in a text by itself.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, _)| {
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !before.ends_with(is_in_word) && !after.starts_with(is_in_word)
    })
}
