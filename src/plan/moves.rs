//! Files that are made elsewhere than before.

use crate::error::Result;
use crate::git;

use super::decision::{Conflict, MERGED, WayOut};
use super::disk::{Disk, FileState};
use super::header::{self, State};
use super::line_ends::LineEnds;
use super::renames::Renames;
use super::{Action, Change, File, Ownership, merge};

/// What becomes of a file that was made elsewhere.
pub(super) enum Moved {
    /// It is not there, or something else is where it would go.
    Not,
    /// It goes here, and from there.
    Changes([Change; 2]),
    Conflict(Conflict),
}

/// Brings a file to where it is made now, with the edits that its user made to it. `from` is what was made of
/// it last.
pub(super) fn decision(
    disk: &mut Disk<'_>,
    file: &File,
    from: &File,
    renames: Option<&Renames>,
    force: bool,
) -> Result<Moved> {
    let FileState::Free(_) = disk.look(file.path())? else {
        return Ok(Moved::Not);
    };
    let FileState::Text(_, before) = disk.look(from.path())? else {
        return Ok(Moved::Not);
    };
    let conflict = |reason: String, way_out| {
        Ok(Moved::Conflict(Conflict {
            path: from.path().to_owned(),
            reason,
            way_out,
            is_gone: false,
            overlaps: Vec::new(),
        }))
    };
    let text = LineEnds::read(&before);
    let is_users = [Ownership::Seeded, Ownership::Shared].contains(&file.ownership());
    if is_users && git::is_in_conflict(&text) {
        return conflict(MERGED.into(), WayOut::Said);
    }
    let is_edited = match file.ownership() {
        Ownership::Owned => header::state(from.path(), &text) != State::Intact,
        Ownership::Seeded | Ownership::Shared | Ownership::Vendored => text != from.text(),
        Ownership::Recorded => false,
    };
    let after = match file.ownership() {
        Ownership::Owned if !is_edited => format!("{}{}", header::split(&text).0, file.text()),
        _ if !is_edited => file.text().to_owned(),
        Ownership::Owned | Ownership::Vendored | Ownership::Recorded if force => {
            file.text().to_owned()
        }
        Ownership::Owned | Ownership::Vendored | Ownership::Recorded => {
            return conflict("is generated but was edited by hand".into(), WayOut::Force);
        }
        Ownership::Seeded | Ownership::Shared => {
            let unchanged = Renames::default();
            let renames = renames.unwrap_or(&unchanged);
            let Ok(merged) = merge::merge(from, &text, file, renames) else {
                let reason = "was edited in lines that change when it moves to";
                return conflict(format!("{reason} `{}`", file.path()), WayOut::Move);
            };
            merged
        }
    };
    let change = |path: &str, action| Change {
        path: path.to_owned(),
        action,
        ownership: file.ownership(),
        from: None,
        before: None,
        after: None,
    };
    Ok(Moved::Changes([
        Change {
            from: Some(from.path().to_owned()),
            after: Some(LineEnds::of(&before).restore(&after)),
            ..change(file.path(), Action::Move)
        },
        Change {
            before: Some(before),
            ..change(from.path(), Action::Delete)
        },
    ]))
}
