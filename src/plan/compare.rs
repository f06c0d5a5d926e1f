//! Compares the desired files with those on disk.

use std::collections::{BTreeSet, HashSet};
use std::mem;

use crate::error::Result;

use super::decision::{Conflict, Decision, MERGED, WayOut, refusal};
use super::disk::{Disk, FileState};
use super::edit::{self, Edit};
use super::header::{self, State};
use super::line_ends::LineEnds;
use super::moves::Moved;
use super::overlap::{Cause, Overlaps, merge_unknown};
use super::repeated::{is_kustomization, without_repeated};
use super::seen::Seen;
use super::vendor::{self, Sums};
use super::{Action, Change, File, Ownership, Plan, Tree, is_rust};
use super::{apply, delete, dependencies, diff, merge, moves, twins};
use crate::disk::View;
use crate::git;

/// The conflict of lines that both the user and this release changed.
const OVERLAPS: &str = "was edited in lines that this release changes";

/// The conflict of names that both the user and this release added.
const DOUBLED: &str = "defines names that this release adds elsewhere in it";

/// The conflict of the user's lines with names that this release removes.
const MISSING: &str = "uses names that this release removes";

/// The conflict of lines in a file that exists where this release creates one.
const UNKNOWN: &str = "already exists, rop did not write it, and this release has other lines";

/// The conflict of lines in a file of which `.rop/base` should have the text that a release gave.
const WITHOUT_BASE: &str =
    "has lines that differ from this release, and `.rop/base` does not have its generated text";

/// The conflict of a link in `.rop`, which may point to a user's file.
const LINKED: &str = "is behind a link: remove the link";

/// Plans the changes from the project in `view` to `after`. `before` are the files as last generated.
///
/// A file that is the same in both trees is left alone.
///
/// # Errors
/// There are conflicts: the error lists all of them, and nothing is written.
pub fn plan(view: &View, before: &Tree, after: &Tree, force: bool) -> Result<Plan> {
    let (plan, conflicts) = compare(view, before, after, force)?;
    if conflicts.is_empty() {
        Ok(plan)
    } else {
        Err(refusal(&conflicts, usize::MAX))
    }
}

/// As [`plan`], with a list of the conflicts. If all of them are [overlaps](WayOut::Choose), the plan puts both texts
/// into the files, between conflict markers.
///
/// # Errors
/// A file cannot be read.
pub fn compare(
    view: &View,
    before: &Tree,
    after: &Tree,
    force: bool,
) -> Result<(Plan, Vec<Conflict>)> {
    let mut plan = Plan::noting(after);
    let mut conflicts = Vec::new();
    let mut disk = Disk::new(view);
    let mut sums = Sums::default();
    let seen = Seen::look(view, &mut disk, after);
    let renames = after.renames();
    let has_names = renames.is_some_and(|renames| !renames.is_empty());
    for file in after.files() {
        // A file that renders as last time is left alone: a CRD follows its types, not its template.
        // Vendored folders are always checked, and so are sources that depend on PROJECT, which may
        // have been edited since.
        let base = before.get(file.path());
        let is_same = base == Some(file);
        let is_wiring = is_same && follows_project(file);
        if is_same && !may_differ(file, has_names) || seen.is_same(file) {
            let may_be_in_conflict = match file.ownership() {
                Ownership::Shared => true,
                Ownership::Seeded => after.is_update(),
                Ownership::Owned | Ownership::Vendored | Ownership::Recorded => false,
            };
            if may_be_in_conflict && is_in_conflict(&mut disk, file.path())? {
                conflicts.push(conflict(file, MERGED.into(), WayOut::Said));
                continue;
            }
            if !is_repeated(&mut disk, file)? {
                continue;
            }
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
        let decision = decide(&mut disk, &mut sums, file, base, after)?;
        let is_update =
            matches!(&decision, Decision::Change(change) if change.action == Action::Update);
        if is_wiring && !is_update {
            continue;
        }
        match conflict_if_left(decision, after) {
            Decision::Nothing => {}
            Decision::Left(note) | Decision::Note(note) => plan.notes.push(note),
            Decision::Change(change) => plan.changes.push(change),
            Decision::Kept | Decision::Conflict(_, WayOut::Force | WayOut::Side) if force => {
                overwrite(&mut disk, file, &mut plan)?;
            }
            Decision::Kept => plan.notes.push(format!(
                "keeping `{}`, which already exists; `--force` overwrites it",
                file.path()
            )),
            Decision::Conflict(reason, way_out) => {
                conflicts.push(conflict(file, reason, way_out));
            }
            Decision::Overlaps(overlaps, change) => {
                conflicts.push(overlap(file, overlaps, [before, after]));
                plan.changes.push(change);
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
    conflicts.extend(twins::find(view, &plan));
    dependencies::keep_used(view, &mut plan)?;
    vendor::note_added(&mut disk, &mut sums, [before, after], &mut plan)?;
    plan.seen = seen;
    plan.changes
        .sort_by(|left, right| left.path.cmp(&right.path));
    Ok((plan, conflicts))
}

/// Decides what to do with a desired file. `base` is the file as last generated.
fn decide(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    file: &File,
    base: Option<&File>,
    after: &Tree,
) -> Result<Decision> {
    if file.ownership() == Ownership::Recorded && disk.view().is_linked(file.path()) {
        return Ok(Decision::Conflict(LINKED.into(), WayOut::Said));
    }
    let belongs_to_user = file.ownership() == Ownership::Seeded && base.is_some();
    let was_deleted = match file.ownership() {
        Ownership::Owned | Ownership::Seeded | Ownership::Shared => base.is_some(),
        Ownership::Vendored | Ownership::Recorded => false,
    };
    Ok(match disk.look(file.path())? {
        FileState::Free(_) if was_deleted && after.is_update() => {
            if base == Some(file) {
                Decision::Nothing
            } else {
                not_updated(file)
            }
        }
        FileState::Blocked(reason) if belongs_to_user && after.is_update() => {
            Decision::Note(format!("`{}` is not updated: it {reason}", file.path()))
        }
        FileState::Blocked(_) | FileState::Free(_) if belongs_to_user => Decision::Nothing,
        FileState::Blocked(reason) => Decision::Conflict(reason, WayOut::Move),
        FileState::Free(_) => decide_missing(file, base),
        FileState::Text(_, text) => {
            let ends = LineEnds::of(&text);
            let state = match file.ownership() {
                Ownership::Vendored => Some(sums.state(disk, file, &text)?),
                _ => None,
            };
            ends.preserve(text, |text| decide_existing(file, base, text, state, after))?
        }
    })
}

/// The conflict of a file in which lines differ. Without a record, nobody knows who wrote it.
fn overlap(file: &File, overlaps: Overlaps, [before, after]: [&Tree; 2]) -> Conflict {
    let mut files = before.files();
    let has_record = files.any(|file| file.ownership() == Ownership::Recorded);
    let reason = match overlaps.cause {
        Cause::Doubled => DOUBLED,
        Cause::Missing => MISSING,
        Cause::Lines if before.get(file.path()).is_some() || !has_record => OVERLAPS,
        Cause::Lines if after.is_given(file.path()) => WITHOUT_BASE,
        Cause::Lines => UNKNOWN,
    };
    Conflict {
        overlaps: overlaps.places,
        ..conflict(file, reason.to_owned(), WayOut::Choose)
    }
}

fn conflict(file: &File, reason: String, way_out: WayOut) -> Conflict {
    Conflict {
        path: file.path().to_owned(),
        reason,
        way_out,
        is_gone: false,
        overlaps: Vec::new(),
    }
}

/// Makes an edited file a conflict if the other files would not compile with it.
fn conflict_if_left(decision: Decision, after: &Tree) -> Decision {
    match decision {
        Decision::Left(_) if after.leaves_nothing() => Decision::Conflict(
            "was edited, and would not match the other files".into(),
            WayOut::Force,
        ),
        decision => decision,
    }
}

/// Whether a file may need a change although its template renders the same. `has_names` says that names change.
fn may_differ(file: &File, has_names: bool) -> bool {
    match file.ownership() {
        Ownership::Vendored => true,
        Ownership::Seeded | Ownership::Shared => has_names,
        Ownership::Owned | Ownership::Recorded => follows_project(file),
    }
}

/// Whether a file is a source that depends only on PROJECT.
fn follows_project(file: &File) -> bool {
    file.ownership() == Ownership::Owned && is_rust(file.path())
}

/// Decides what to do with a file that exists. `state` is that of a vendored file.
fn decide_existing(
    file: &File,
    base: Option<&File>,
    text: String,
    state: Option<State>,
    after: &Tree,
) -> Result<Decision> {
    if text == file.text() {
        return Ok(Decision::Nothing);
    }
    Ok(match (file.ownership(), state) {
        (Ownership::Vendored, Some(state)) => {
            decide_generated(file, state, vendor::is_same(file, &text), text)
        }
        (Ownership::Owned | Ownership::Vendored, _) => {
            let is_same = header::is_same(&text, file.text());
            decide_generated(file, header::state(file.path(), &text), is_same, text)
        }
        (Ownership::Recorded, _) => update(file, text, file.text().to_owned()),
        (Ownership::Seeded, _) => decide_seeded(file, base, text, after),
        (Ownership::Shared, _) => decide_shared(file, base, text, after)?,
    })
}

fn decide_missing(file: &File, base: Option<&File>) -> Decision {
    match (file.ownership(), base) {
        (Ownership::Shared, Some(_)) => not_updated(file),
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

fn not_updated(file: &File) -> Decision {
    Decision::Note(format!(
        "`{}` does not exist, so it was not updated",
        file.path()
    ))
}

/// Whether a file has git's conflict markers.
fn is_in_conflict(disk: &mut Disk<'_>, path: &str) -> Result<bool> {
    Ok(match disk.look(path)? {
        FileState::Text(_, text) => git::is_in_conflict(&text),
        FileState::Free(_) | FileState::Blocked(_) => false,
    })
}

/// Whether a list has entries of `file` twice.
fn is_repeated(disk: &mut Disk<'_>, file: &File) -> Result<bool> {
    if file.ownership() != Ownership::Shared || !is_kustomization(file.path()) {
        return Ok(false);
    }
    Ok(match disk.look(file.path())? {
        FileState::Text(_, text) => without_repeated(file, &text) != text,
        FileState::Free(_) | FileState::Blocked(_) => false,
    })
}

/// The files of a tree that have git's conflict markers and that the user edits: a command changes them only where it
/// has to, so it may pass them over.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn in_conflict(view: &View, tree: &Tree) -> Result<Vec<String>> {
    let mut disk = Disk::new(view);
    let mut paths = Vec::new();
    for file in tree.files() {
        let is_users = [Ownership::Seeded, Ownership::Shared].contains(&file.ownership());
        if is_users && is_in_conflict(&mut disk, file.path())? {
            paths.push(file.path().to_owned());
        }
    }
    Ok(paths)
}

/// Decides what to do with a generated file that differs from the desired text.
fn decide_generated(file: &File, state: State, is_same: bool, text: String) -> Decision {
    if git::sides(&text).is_some_and(|sides| sides.iter().all(|side| is_generated(file, side))) {
        return update(file, text, file.text().to_owned());
    }
    match state {
        State::Intact if is_same => Decision::Nothing,
        State::Intact => {
            let after = below_license(file, &text);
            update(file, text, after)
        }
        // Perhaps of two releases, or one side was edited.
        State::Edited | State::Absent if git::is_in_conflict(&text) => Decision::Conflict(
            "is generated and has merge conflicts, and its text may have edits".into(),
            WayOut::Side,
        ),
        State::Edited => {
            Decision::Conflict("is generated but was edited by hand".into(), WayOut::Force)
        }
        State::Absent => Decision::Conflict("already exists".into(), WayOut::Force),
    }
}

/// Whether rop generated a side of a conflict. Git may have merged other parts of the file, and then its sum is that of
/// neither side: every line is one of the desired text.
fn is_generated(file: &File, side: &str) -> bool {
    match header::state(file.path(), side) {
        State::Intact => true,
        State::Edited => {
            let desired: HashSet<&str> = header::body(file.text()).lines().collect();
            header::body(side)
                .lines()
                .all(|line| desired.contains(line))
        }
        State::Absent => false,
    }
}

/// Decides what to do with a file that belongs to the user. If it was not edited, it is updated.
fn decide_seeded(file: &File, base: Option<&File>, text: String, after: &Tree) -> Decision {
    let renames = after.renames();
    if after.is_update() && git::is_in_conflict(&text) {
        return Decision::Conflict(MERGED.into(), WayOut::Said);
    }
    match base {
        Some(base) => {
            let diff = diff::of(base.text(), file.text());
            if diff.is_none() && renames.is_none() {
                return Decision::Nothing;
            }
            let merged = match header::above(file.path(), base.text(), &text) {
                Some(above) => Some(Ok(format!("{above}{}", file.text()))),
                None => renames.map(|renames| merge::merge(base, &text, file, renames)),
            };
            match merged {
                Some(Ok(merged)) if merged == text => Decision::Nothing,
                Some(Ok(_)) if git::is_in_conflict(&text) => {
                    Decision::Conflict(MERGED.into(), WayOut::Said)
                }
                Some(Ok(merged)) => update(file, text, merged),
                Some(Err(overlaps)) if after.is_update() => overlapping(file, text, overlaps),
                _ => Decision::Left(format!(
                    "you edited `{}`: make this change yourself:\n{}",
                    file.path(),
                    diff.unwrap_or_default()
                )),
            }
        }
        None if file.path().ends_with(".md") => Decision::Kept,
        None if after.is_update() => match merge_unknown(&text, file.text()) {
            Ok(merged) if merged == text => Decision::Nothing,
            Ok(merged) => update(file, text, merged),
            Err(overlaps) => overlapping(file, text, overlaps),
        },
        None => Decision::Conflict("already exists".into(), WayOut::Force),
    }
}

fn decide_shared(file: &File, base: Option<&File>, text: String, after: &Tree) -> Result<Decision> {
    if git::is_in_conflict(&text) {
        return Ok(Decision::Conflict(MERGED.into(), WayOut::Said));
    }
    let base = base.map_or("", File::text);
    if text == base && (after.renames().is_some() || !words(base).is_subset(&words(file.text()))) {
        // Nobody edited it: what goes leaves nothing behind, not even an order, and Cargo.lock has no merge.
        return Ok(update(file, text, file.text().to_owned()));
    }
    let [base, renamed] = [base, &text].map(|text| match after.renames() {
        Some(renames) => renames.apply(file.path(), text),
        None => text.to_owned(),
    });
    let renamed = without_repeated(file, &renamed);
    Ok(
        match edit::merge(file.path(), &renamed, &base, file.text())? {
            Edit::Nothing if renamed == text => Decision::Nothing,
            Edit::Nothing => update(file, text, renamed),
            Edit::Text(after) => update(file, text, after),
            Edit::NoPlace(reason) => Decision::Conflict(reason, WayOut::Move),
        },
    )
}

/// The words of a list, a key or a value, whatever its formatting.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| c.is_whitespace() || "[]{},".contains(c))
        .collect()
}

fn update(file: &File, before: String, after: String) -> Decision {
    Decision::Change(new_text(file, before, after))
}

/// The lines that both sides changed, with the file that has both texts.
fn overlapping(file: &File, before: String, mut overlaps: Overlaps) -> Decision {
    let marked = new_text(file, before, mem::take(&mut overlaps.marked));
    Decision::Overlaps(overlaps, marked)
}

fn new_text(file: &File, before: String, after: String) -> Change {
    Change {
        path: file.path().to_owned(),
        action: Action::Update,
        ownership: file.ownership(),
        from: None,
        before: Some(before),
        after: Some(after),
    }
}

/// The desired text, below the license that the user put above the text on disk.
fn below_license(file: &File, text: &str) -> String {
    let above = match file.ownership() {
        Ownership::Owned => header::split(text).0,
        Ownership::Seeded | Ownership::Shared | Ownership::Vendored | Ownership::Recorded => "",
    };
    format!("{above}{}", file.text())
}

fn overwrite(disk: &mut Disk<'_>, file: &File, plan: &mut Plan) -> Result<()> {
    let FileState::Text(_, before) = disk.look(file.path())? else {
        return Err(apply::changed(file.path()));
    };
    plan.notes.extend(disk.link_note(file.path()));
    plan.changes.push(Change {
        path: file.path().to_owned(),
        action: Action::Overwrite,
        ownership: file.ownership(),
        from: None,
        after: Some(LineEnds::of(&before).restore(&below_license(file, &before))),
        before: Some(before),
    });
    Ok(())
}
