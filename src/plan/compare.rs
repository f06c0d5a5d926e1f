//! Compares the tree as it should be with the one on disk.

use std::path::Path;

use crate::error::{Error, Result};

use super::edit::{self, Edit};
use super::place::{Place, Site};
use super::seal::{self, State};
use super::vendor::{self, Sums};
use super::{Action, Change, Class, File, Plan, Tree};

/// A file in the way of a plan.
#[derive(Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where it is, relative to the project.
    pub path: String,
    /// Why rop does not touch it.
    pub reason: String,
    /// Whether `--force` gets over it.
    pub forcible: bool,
}

/// What turns the project at `root` into `after`, where the templates made `before` of it last.
///
/// `before` tells what the project was given already: what is the same in both trees is left alone.
/// `root` has its links resolved.
///
/// # Errors
/// Files are in the way: all of them are named, and nothing is written.
pub fn plan(root: &Path, before: &Tree, after: &Tree, force: bool) -> Result<Plan> {
    let mut plan = Plan::default();
    let mut conflicts = Vec::new();
    let mut site = Site::new(root);
    let mut sums = Sums::default();
    for file in after.files() {
        // What the templates gave last time, they need not give again: a CRD follows its types, not
        // its template. A vendored folder is whole or not.
        let given = before.get(file.path());
        if given == Some(file) && file.class() != Class::Vendored {
            continue;
        }
        let is_users = file.class() == Class::Seeded && given.is_some();
        let outcome = match site.look(file.path())? {
            Place::Blocked(_) | Place::Free(_) if is_users => Outcome::Nothing,
            Place::Blocked(reason) => Outcome::Conflict(reason, false),
            Place::Free(_) => absent(file, given),
            Place::Text(_, text) if text == file.text() => Outcome::Nothing,
            Place::Text(_, text) => match file.class() {
                Class::Owned => {
                    let is_same = seal::is_same(&text, file.text());
                    rops(file, seal::state(file.path(), &text), is_same, text)
                }
                Class::Vendored => {
                    let is_same = vendor::is_same(file, &text);
                    rops(file, sums.state(&mut site, file, &text)?, is_same, text)
                }
                Class::Seeded => users(file, given, text),
                Class::Shared => both(file, given, text)?,
            },
        };
        match outcome {
            Outcome::Nothing => {}
            Outcome::Note(note) => plan.notes.push(note),
            Outcome::Change(change) => plan.changes.push(change),
            Outcome::Conflict(_, true) if force => plan.changes.push(overwrite(&mut site, file)?),
            Outcome::Conflict(reason, forcible) => conflicts.push(Conflict {
                path: file.path().to_owned(),
                reason,
                forcible,
            }),
        }
    }
    for folder in before.vendored().difference(&after.vendored()) {
        if root.join(folder).exists() {
            plan.notes.push(format!(
                "rop no longer updates `{folder}/`: delete it if nothing uses it"
            ));
        }
    }
    match conflicts.is_empty() {
        true => Ok(plan),
        false => Err(refusal(&conflicts)),
    }
}

enum Outcome {
    Nothing,
    Note(String),
    Change(Change),
    Conflict(String, bool),
}

fn absent(file: &File, before: Option<&File>) -> Outcome {
    match (file.class(), before) {
        (Class::Shared, Some(_)) => {
            Outcome::Note(format!("`{}` is gone, so it was not edited", file.path()))
        }
        _ => Outcome::Change(Change {
            path: file.path().to_owned(),
            action: Action::Create,
            class: file.class(),
            before: None,
            after: file.text().to_owned(),
        }),
    }
}

/// A file of rop's with another text than the one that is wanted.
fn rops(file: &File, state: State, is_same: bool, text: String) -> Outcome {
    match state {
        State::Intact if is_same => Outcome::Nothing,
        State::Intact => update(file, text, file.text().to_owned()),
        State::Edited => Outcome::Conflict("is rop's, and was edited".into(), true),
        State::Absent => Outcome::Conflict("is there already".into(), true),
    }
}

/// A file that is the user's by now; one that nobody has edited since follows what it was made from.
fn users(file: &File, before: Option<&File>, text: String) -> Outcome {
    match before {
        Some(given) if given.text() == text => update(file, text, file.text().to_owned()),
        Some(_) => Outcome::Nothing,
        None => Outcome::Conflict("is there already".into(), true),
    }
}

fn both(file: &File, before: Option<&File>, text: String) -> Result<Outcome> {
    let base = before.map_or("", File::text);
    Ok(match edit::merge(file.path(), &text, base, file.text())? {
        Edit::Nothing => Outcome::Nothing,
        Edit::Text(after) => update(file, text, after),
        Edit::NoPlace(reason) => Outcome::Conflict(reason, false),
    })
}

fn update(file: &File, before: String, after: String) -> Outcome {
    Outcome::Change(Change {
        path: file.path().to_owned(),
        action: Action::Update,
        class: file.class(),
        before: Some(before),
        after,
    })
}

fn overwrite(site: &mut Site<'_>, file: &File) -> Result<Change> {
    let Place::Text(_, before) = site.look(file.path())? else {
        return Err(Error::new(format!("`{}` changed meanwhile", file.path())));
    };
    Ok(Change {
        path: file.path().to_owned(),
        action: Action::Overwrite,
        class: file.class(),
        before: Some(before),
        after: file.text().to_owned(),
    })
}

fn refusal(conflicts: &[Conflict]) -> Error {
    let lines: String = conflicts
        .iter()
        .map(|conflict| format!("\n  {} {}", conflict.path, conflict.reason))
        .collect();
    let files = match conflicts {
        [_] => "a file is".to_owned(),
        _ => format!("{} files are", conflicts.len()),
    };
    let error = Error::new(format!(
        "{files} in the way, so nothing was written:{lines}"
    ));
    match conflicts.iter().any(|conflict| conflict.forcible) {
        true => error.hint("move your changes elsewhere, or overwrite them with `--force`"),
        false => error.hint("make room for what rop has to write, and run the command again"),
    }
}
