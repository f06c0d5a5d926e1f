//! Files that nothing makes any more.

use std::collections::BTreeSet;

use crate::error::Result;

use super::outcome::Outcome;
use super::place::{Place, Site};
use super::seal::{self, State};
use super::vendor::Sums;
use super::{Action, Change, Class, File, Tree};

/// The files that rop made and `after` does not have: those of `before`, and those that an earlier release
/// wrote into a folder that is rop's as a whole.
pub(super) fn candidates(
    site: &mut Site<'_>,
    sums: &mut Sums,
    before: &Tree,
    after: &Tree,
) -> Result<BTreeSet<String>> {
    let mut made: BTreeSet<String> = before.files().map(|file| file.path().to_owned()).collect();
    for folder in before.vendored().union(&after.vendored()) {
        made.extend(sums.paths(site, folder)?);
    }
    made.retain(|path| after.get(path).is_none() && !after.leaves(path) && !after.moves_from(path));
    Ok(made)
}

/// What becomes of such a file: one that was edited is in the way.
pub(super) fn outcome(
    site: &mut Site<'_>,
    sums: &mut Sums,
    before: &Tree,
    path: &str,
    force: bool,
) -> Result<Outcome> {
    let text = match site.look(path)? {
        Place::Free(_) => return Ok(Outcome::Nothing),
        Place::Blocked(reason) => {
            return Ok(Outcome::Note(format!(
                "nothing makes `{path}` any more, and it stays: it {reason}"
            )));
        }
        Place::Text(_, text) => text,
    };
    let file = before.get(path);
    let class = file.map_or(Class::Vendored, File::class);
    let state = match (class, file) {
        (Class::Owned, _) => seal::state(path, &text),
        (Class::Seeded | Class::Shared, Some(file))
            if text.replace("\r\n", "\n") == file.text() =>
        {
            State::Intact
        }
        (Class::Seeded | Class::Shared, _) => State::Edited,
        (Class::Vendored, Some(file)) => sums.state(site, file, &text)?,
        (Class::Vendored, None) => sums.listed_state(site, path, &text)?,
    };
    Ok(match state {
        // Somebody else's, under a name that rop's file had.
        State::Absent if class == Class::Owned => Outcome::Nothing,
        State::Edited | State::Absent if !force => {
            Outcome::Conflict("is no longer generated but was edited by hand".into(), true)
        }
        _ => Outcome::Change(Change {
            path: path.to_owned(),
            action: Action::Delete,
            class,
            from: None,
            before: Some(text),
            after: None,
        }),
    })
}
