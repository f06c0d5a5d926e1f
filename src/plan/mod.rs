//! From a tree as it should be to a project on disk: what would change, whether it may, and then
//! all of it or nothing. The one module that writes files.

#![expect(clippy::disallowed_methods, reason = "this is the module that writes")]

mod apply;
mod commit;
mod compare;
mod decision;
mod definitions;
mod delete;
mod dependencies;
mod diff;
mod disk;
mod doubled;
mod edit;
mod header;
mod heal;
mod journal;
mod line_ends;
mod line_merge;
mod lock;
mod makefile;
mod matching;
mod merge;
mod missing;
mod moves;
mod new_file;
mod overlap;
mod ownership;
mod pending;
mod place;
mod renames;
mod repeated;
mod seen;
mod step;
mod sum;
mod text;
mod tree;
mod twins;
mod vendor;

pub use commit::{commit, commit_observed};
pub(crate) use compare::in_conflict;
pub use compare::{compare, plan};
pub(crate) use decision::refusal;
pub use decision::{Conflict, WayOut};
pub(crate) use edit::with_changes;
pub(crate) use header::body as without_header;
pub(crate) use header::{above, is_edited, is_headed, is_same as has_same_header, json_body};
pub use heal::{Interrupted, heal, heal_observed, healed_view};
pub(crate) use journal::digest;
pub(crate) use line_ends::LineEnds;
pub use lock::Lock;
pub(crate) use merge::merged;
pub use overlap::Overlap;
pub use ownership::Ownership;
pub(crate) use place::{is_inside, reserved};
pub(crate) use renames::{Renames, with_words};
pub use step::{Observer, Step};
pub(crate) use sum::is_rust;
pub use text::{Packed, Text};
pub use tree::{File, Tree};
pub(crate) use twins::module;

use std::collections::BTreeSet;

use serde::Serialize;

use seen::Seen;

/// What a command would change, in the order of the paths.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that change.
    pub changes: Vec<Change>,
    /// What was left as it is although a change would have been due, and why.
    pub notes: Vec<String>,
    /// What the user has to know or do once the changes are made.
    pub follow_up: Vec<String>,
    /// Outputs that could not be generated: nobody knows whether they are up to date.
    pub(crate) unchecked: Vec<String>,
    seen: Seen,
}

/// A file that changes.
#[derive(Debug)]
pub struct Change {
    /// Where it is, relative to the project.
    pub path: String,
    /// What happens to it.
    pub action: Action,
    /// Whose it is.
    pub ownership: Ownership,
    /// Where it was, if it moves.
    pub from: Option<String>,
    /// What it held, where it was there.
    pub(crate) before: Option<String>,
    /// What it will hold; nothing if it is deleted.
    pub(crate) after: Option<String>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It was not there.
    Create,
    /// It is given another text.
    Update,
    /// It is given another text, and what the user had written there is lost.
    Overwrite,
    /// It goes: nothing makes it any more.
    Delete,
    /// It was elsewhere, and brings along what the user had written there.
    Move,
}

impl Plan {
    /// A plan that changes nothing yet, with the notes of a tree.
    fn noting(after: &Tree) -> Self {
        Self {
            notes: after.notes().to_vec(),
            unchecked: after.unchecked().to_vec(),
            ..Self::default()
        }
    }

    /// Whether there is no change to report.
    pub fn is_empty(&self) -> bool {
        self.reported().next().is_none()
    }

    /// The changes as a person counts them: that a file is here and no longer there is one, and what rop notes for
    /// itself is none.
    pub fn reported(&self) -> impl Iterator<Item = &Change> {
        let left: BTreeSet<_> = self
            .changes
            .iter()
            .filter_map(|c| c.from.as_ref())
            .collect();
        let is_told =
            move |c: &&Change| c.ownership != Ownership::Recorded && !left.contains(&c.path);
        self.changes.iter().filter(is_told)
    }

    /// The changes in the order in which they are made. What says of files how rop wrote them comes last: until then
    /// they are as they were, or as they will be.
    fn in_order(&self) -> Vec<&Change> {
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_by_key(|change| {
            let is_sums = change.ownership == Ownership::Vendored && vendor::is_sums(&change.path);
            (change.ownership == Ownership::Recorded, is_sums)
        });
        changes
    }

    /// All changes as one unified diff.
    pub fn diff(&self) -> String {
        let moved = |change: &Change| {
            let from = change.from.as_ref()?;
            self.changes.iter().find(|other| other.path == *from)
        };
        let diffs = self
            .reported()
            .map(|change| diff::unified(change, moved(change)));
        diffs.collect()
    }
}
