//! Deletes files that are no longer generated.

use std::collections::BTreeSet;

use crate::error::Result;

use super::decision::{Conflict, Decision, WayOut};
use super::disk::{Disk, FileState};
use super::header::{self, State};
use super::line_ends::LineEnds;
use super::vendor::{self, Sums};
use super::{Action, Change, File, Ownership, Plan, Tree};

/// Adds the deletion of files that are no longer generated to the plan. Returns the conflicts.
pub(super) fn add(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    [before, after]: [&Tree; 2],
    force: bool,
    plan: &mut Plan,
) -> Result<Vec<Conflict>> {
    let mut conflicts = Vec::new();
    for path in candidates(disk, sums, before, after)? {
        match decide(disk, sums, before, &path, force)? {
            Decision::Nothing | Decision::Kept | Decision::Overlaps(..) => {}
            // Nothing of this release refers to it.
            Decision::Conflict(..) if after.is_update() => plan.notes.push(format!(
                "`{path}` is no longer generated; it was kept because you edited it"
            )),
            Decision::Left(note) | Decision::Note(note) => plan.notes.push(note),
            Decision::Change(change) => plan.changes.push(change),
            Decision::Conflict(reason, way_out) => conflicts.push(Conflict {
                path,
                reason,
                way_out,
                is_gone: true,
                overlaps: Vec::new(),
            }),
        }
    }
    Ok(conflicts)
}

/// The generated files that `after` does not have: those of `before`, and those that an earlier release
/// wrote into a vendored folder.
fn candidates(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    before: &Tree,
    after: &Tree,
) -> Result<BTreeSet<String>> {
    let mut generated: BTreeSet<String> =
        before.files().map(|file| file.path().to_owned()).collect();
    for folder in before.vendored().union(&after.vendored()) {
        generated.extend(sums.paths(disk, folder)?);
    }
    generated.retain(|path| {
        after.get(path).is_none() && !is_left(after, path) && !after.moves_from(path)
    });
    Ok(generated)
}

/// Whether a file is in a folder that is left to the user. Its sums are not: they say that the folder is rop's.
fn is_left(after: &Tree, path: &str) -> bool {
    after.leaves(path) && !vendor::is_sums(path)
}

/// Decides what to do with such a file: an edited file is a conflict.
fn decide(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    before: &Tree,
    path: &str,
    force: bool,
) -> Result<Decision> {
    let file = before.get(path);
    let ownership = file.map_or(Ownership::Vendored, File::ownership);
    if ownership == Ownership::Recorded && disk.view().is_linked(path) {
        return Ok(Decision::Nothing);
    }
    let text = match disk.look(path)? {
        FileState::Free(_) => return Ok(Decision::Nothing),
        FileState::Blocked(reason) => {
            return Ok(Decision::Note(format!(
                "`{path}` is no longer generated; it was kept because it {reason}"
            )));
        }
        FileState::Text(_, text) => text,
    };
    let ends = LineEnds::read(&text);
    let state = match (ownership, file) {
        (Ownership::Owned, _) => match header::state(path, &text) {
            State::Intact if !header::is_license(header::split(&text).0) => State::Edited,
            state => state,
        },
        (Ownership::Recorded, _) => State::Intact,
        (Ownership::Seeded | Ownership::Shared, Some(file))
            if header::above(path, file.text(), &ends).is_some_and(header::is_license) =>
        {
            State::Intact
        }
        (Ownership::Seeded | Ownership::Shared, _) => State::Edited,
        (Ownership::Vendored, Some(file)) => sums.state(disk, file, &text)?,
        (Ownership::Vendored, None) => sums.listed_state(disk, path, &text)?,
    };
    Ok(match state {
        // A user's file with the name of a generated one.
        State::Absent if ownership == Ownership::Owned => Decision::Nothing,
        State::Edited | State::Absent if !force => {
            Decision::Conflict("would be deleted, but you edited it".into(), WayOut::Force)
        }
        _ => Decision::Change(Change {
            path: path.to_owned(),
            action: Action::Delete,
            ownership,
            from: None,
            before: Some(text),
            after: None,
        }),
    })
}
