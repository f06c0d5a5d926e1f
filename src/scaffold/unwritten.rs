//! Files that a change does not write.

use std::borrow::Cow;

use crate::disk::View;
use crate::plan::{Ownership, Tree};

/// The desired files as they are recorded. A file of the user's that is missing, or behind a link that leads out of the
/// project, is not written, and what was given last stays the base of its next merge.
pub(super) fn as_written<'a>(view: &View, before: &Tree, after: &'a Tree) -> Cow<'a, Tree> {
    let mut written = Cow::Borrowed(after);
    for given in before.files() {
        let path = given.path();
        let is_users = [Ownership::Seeded, Ownership::Shared].contains(&given.ownership());
        let is_other = after.get(path).is_some_and(|now| now != given);
        let is_written = || view.is_file(path) && view.own(path).is_ok();
        if is_users && is_other && !is_written() {
            written.to_mut().replace(given.clone());
        }
    }
    written
}
