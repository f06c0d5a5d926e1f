//! Compares the tree as it should be with the one on disk.

use std::collections::BTreeSet;

use crate::error::Result;

use super::decision::{Conflict, Decision, WayOut, refusal};
use super::disk::{Disk, FileState};
use super::edit::{self, Edit};
use super::header::{self, State};
use super::line_ends::LineEnds;
use super::moves::Moved;
use super::renames::Renames;
use super::seen::Seen;
use super::vendor::{self, Sums};
use super::{Action, Change, File, Ownership, Plan, Tree, is_rust};
use super::{delete, diff, git, merge, moves, put};
use crate::disk::View;
use crate::listed::listed;

/// What is wrong with a file that rop edits, where git found what it cannot merge.
const MERGED: &str = "has merge conflicts: resolve them and run the command again";

/// How many files a note names.
const NAMED: usize = 5;

/// What is wrong with a link in rop's memory, which may lead to what a user wrote.
const LINKED: &str = "is behind a link: remove the link";

/// What turns the project in `view` into `after`, if the templates made `before` of it last.
///
/// `before` tells what the project was given already: what is the same in both trees is left alone.
///
/// # Errors
/// Files are in the way: all of them are named, and nothing is written.
pub fn plan(view: &View, before: &Tree, after: &Tree, force: bool) -> Result<Plan> {
    let mut plan = Plan::noting(after.notes());
    let mut conflicts = Vec::new();
    let mut disk = Disk::new(view);
    let mut sums = Sums::default();
    let seen = Seen::look(view, &mut disk, after);
    let renames = after.renames();
    let has_names = renames.is_some_and(|renames| !renames.is_empty());
    for file in after.files() {
        // What the templates gave last time, they need not give again: a CRD follows its types, not
        // its template. A vendored folder is whole or not, and PROJECT may have been edited since the
        // sources that follow from it were written.
        let given = before.get(file.path());
        let is_same = given == Some(file);
        let is_wiring = is_same && follows_project(file);
        if is_same && !may_differ(file, has_names) || seen.is_same(file) {
            if file.ownership() == Ownership::Shared && is_in_conflict(&mut disk, file.path())? {
                conflicts.push(in_the_way(file, MERGED.into(), WayOut::Said));
            }
            continue;
        }
        if let Some(from) = after.before_move(file.path()) {
            match moves::decision(&mut disk, file, from, renames, force)? {
                Moved::Not => {}
                Moved::Changes(changes) => {
                    plan.changes.extend(changes);
                    continue;
                }
                Moved::Conflict(conflict) => {
                    conflicts.push(conflict);
                    continue;
                }
            }
        }
        let decision = decision(&mut disk, &mut sums, file, given, renames)?;
        let is_update =
            matches!(&decision, Decision::Change(change) if change.action == Action::Update);
        if is_wiring && !is_update {
            continue;
        }
        match whole(decision, after) {
            Decision::Nothing => {}
            Decision::Left(note) | Decision::Note(note) => plan.notes.push(note),
            Decision::Change(change) => plan.changes.push(change),
            Decision::Kept | Decision::Conflict(_, WayOut::Force) if force => {
                plan.changes.push(overwrite(&mut disk, file)?);
            }
            Decision::Kept => plan.notes.push(format!(
                "keeping `{}`, which already exists; `--force` overwrites it",
                file.path()
            )),
            Decision::Conflict(reason, way_out) => {
                conflicts.push(in_the_way(file, reason, way_out));
            }
        }
    }
    conflicts.extend(delete::add(
        &mut disk,
        &mut sums,
        [before, after],
        force,
        &mut plan,
    )?);
    for folder in before.vendored().union(&after.vendored()) {
        let added = vendor::added(&mut disk, &mut sums, folder, [before, after])?;
        if !added.is_empty() {
            let files: Vec<_> = added.iter().map(|path| format!("`{path}`")).collect();
            plan.notes.push(format!(
                "`{folder}/` is generated as a whole, but has files of yours: move them elsewhere: {}",
                listed(&files, NAMED)
            ));
        }
    }
    plan.seen = seen;
    plan.changes
        .sort_by(|left, right| left.path.cmp(&right.path));
    if conflicts.is_empty() {
        Ok(plan)
    } else {
        Err(refusal(&conflicts))
    }
}

/// What comes of a file that is wanted.
fn decision(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    file: &File,
    given: Option<&File>,
    renames: Option<&Renames>,
) -> Result<Decision> {
    if file.ownership() == Ownership::Recorded && disk.view().is_linked(file.path()) {
        return Ok(Decision::Conflict(LINKED.into(), WayOut::Said));
    }
    let is_users = file.ownership() == Ownership::Seeded && given.is_some();
    Ok(match disk.look(file.path())? {
        FileState::Blocked(_) | FileState::Free(_) if is_users => Decision::Nothing,
        FileState::Blocked(reason) => Decision::Conflict(reason, WayOut::Move),
        FileState::Free(_) => absent(file, given),
        FileState::Text(_, text) => {
            let ends = LineEnds::of(&text);
            let state = match file.ownership() {
                Ownership::Vendored => Some(sums.state(disk, file, &text)?),
                _ => None,
            };
            ends.keep(text, |text| there(file, given, text, state, renames))?
        }
    })
}

fn in_the_way(file: &File, reason: String, way_out: WayOut) -> Conflict {
    Conflict {
        path: file.path().to_owned(),
        reason,
        way_out,
        is_gone: false,
    }
}

/// What is left to the user is in the way where the other files would not fit it.
fn whole(decision: Decision, after: &Tree) -> Decision {
    match decision {
        Decision::Left(_) if after.leaves_nothing() => Decision::Conflict(
            "was edited, and would not match the other files".into(),
            WayOut::Force,
        ),
        decision => decision,
    }
}

/// Whether a file that is made as it was may have to change all the same. `has_names` says that names change.
fn may_differ(file: &File, has_names: bool) -> bool {
    match file.ownership() {
        Ownership::Vendored => true,
        Ownership::Seeded | Ownership::Shared => has_names,
        Ownership::Owned | Ownership::Recorded => follows_project(file),
    }
}

/// Whether a file is a source that follows from PROJECT alone.
fn follows_project(file: &File) -> bool {
    file.ownership() == Ownership::Owned && is_rust(file.path())
}

/// What comes of a file that exists. `state` is that of a vendored one.
fn there(
    file: &File,
    given: Option<&File>,
    text: String,
    state: Option<State>,
    renames: Option<&Renames>,
) -> Result<Decision> {
    if text == file.text() {
        return Ok(Decision::Nothing);
    }
    Ok(match (file.ownership(), state) {
        (Ownership::Vendored, Some(state)) => rops(file, state, vendor::is_same(file, &text), text),
        (Ownership::Owned | Ownership::Vendored, _) => {
            let is_same = header::is_same(&text, file.text());
            rops(file, header::state(file.path(), &text), is_same, text)
        }
        (Ownership::Recorded, _) => update(file, text, file.text().to_owned()),
        (Ownership::Seeded, _) => users(file, given, text, renames),
        (Ownership::Shared, _) => both(file, given, text, renames)?,
    })
}

fn absent(file: &File, before: Option<&File>) -> Decision {
    match (file.ownership(), before) {
        (Ownership::Shared, Some(_)) => Decision::Note(format!(
            "`{}` does not exist, so it was not updated",
            file.path()
        )),
        _ => Decision::Change(Change {
            path: file.path().to_owned(),
            action: Action::Create,
            ownership: file.ownership(),
            from: None,
            before: None,
            after: Some(file.text().to_owned()),
        }),
    }
}

/// Whether git found conflicts in a file.
fn is_in_conflict(disk: &mut Disk<'_>, path: &str) -> Result<bool> {
    Ok(match disk.look(path)? {
        FileState::Text(_, text) => git::sides(&text).is_some(),
        FileState::Free(_) | FileState::Blocked(_) => false,
    })
}

/// A file of rop's with another text than the one that is wanted.
fn rops(file: &File, state: State, is_same: bool, text: String) -> Decision {
    let is_rops = |side: &String| header::state(file.path(), side) == State::Intact;
    if git::sides(&text).is_some_and(|sides| sides.iter().all(is_rops)) {
        return update(file, text, file.text().to_owned());
    }
    match state {
        State::Intact if is_same => Decision::Nothing,
        State::Intact => {
            let after = below_license(file, &text);
            update(file, text, after)
        }
        State::Edited => {
            Decision::Conflict("is generated but was edited by hand".into(), WayOut::Force)
        }
        State::Absent => Decision::Conflict("already exists".into(), WayOut::Force),
    }
}

/// A file that is the user's by now; one that nobody has edited since follows what it was made from.
fn users(file: &File, before: Option<&File>, text: String, renames: Option<&Renames>) -> Decision {
    match before {
        Some(given) => {
            let diff = diff::of(given.text(), file.text());
            if diff.is_none() && renames.is_none() {
                return Decision::Nothing;
            }
            let after = match header::above(file.path(), given.text(), &text) {
                Some(above) => Some(format!("{above}{}", file.text())),
                None => renames.and_then(|renames| merge::merge(given, &text, file, renames)),
            };
            match (after, diff) {
                (Some(after), _) if after == text => Decision::Nothing,
                (Some(after), _) => update(file, text, after),
                (None, diff) => Decision::Left(format!(
                    "you edited `{}`: make this change yourself:\n{}",
                    file.path(),
                    diff.unwrap_or_default()
                )),
            }
        }
        None if file.path().ends_with(".md") => Decision::Kept,
        None => Decision::Conflict("already exists".into(), WayOut::Force),
    }
}

fn both(
    file: &File,
    before: Option<&File>,
    text: String,
    renames: Option<&Renames>,
) -> Result<Decision> {
    if git::sides(&text).is_some() {
        return Ok(Decision::Conflict(MERGED.into(), WayOut::Said));
    }
    let base = before.map_or("", File::text);
    if text == base && !words(base).is_subset(&words(file.text())) {
        // Nobody edited it: what goes leaves nothing behind, not even an order.
        return Ok(update(file, text, file.text().to_owned()));
    }
    let [base, renamed] = [base, &text].map(|text| match renames {
        Some(renames) => renames.apply(file.path(), text),
        None => text.to_owned(),
    });
    Ok(
        match edit::merge(file.path(), &renamed, &base, file.text())? {
            Edit::Nothing if renamed == text => Decision::Nothing,
            Edit::Nothing => update(file, text, renamed),
            Edit::Text(after) => update(file, text, after),
            Edit::NoPlace(reason) => Decision::Conflict(reason, WayOut::Move),
        },
    )
}

/// The words of a list, a key or a value, whichever way it is written.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| c.is_whitespace() || "[]{},".contains(c))
        .collect()
}

fn update(file: &File, before: String, after: String) -> Decision {
    Decision::Change(Change {
        path: file.path().to_owned(),
        action: Action::Update,
        ownership: file.ownership(),
        from: None,
        before: Some(before),
        after: Some(after),
    })
}

/// The text of a file of rop's, below what its user put above the one on disk.
fn below_license(file: &File, text: &str) -> String {
    let above = match file.ownership() {
        Ownership::Owned => header::split(text).0,
        Ownership::Seeded | Ownership::Shared | Ownership::Vendored | Ownership::Recorded => "",
    };
    format!("{above}{}", file.text())
}

fn overwrite(disk: &mut Disk<'_>, file: &File) -> Result<Change> {
    let FileState::Text(_, before) = disk.look(file.path())? else {
        return Err(put::changed(file.path()));
    };
    Ok(Change {
        path: file.path().to_owned(),
        action: Action::Overwrite,
        ownership: file.ownership(),
        from: None,
        after: Some(LineEnds::of(&before).put(&below_license(file, &before))),
        before: Some(before),
    })
}
