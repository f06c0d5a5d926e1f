//! The ready objects in order: changed objects before those from a list or resync, and first in,
//! first out within each group.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::controller::cause::Cause;
use crate::key::Key;

/// Every eighth object is from a list or a resync if there is one, so that a steady stream of changes does not starve
/// them.
const SHARE: u64 = 8;

/// The place of an object: whether it can wait, and its arrival number.
pub(super) type Place = (bool, u64);

/// The objects that are ready.
#[derive(Default)]
pub(super) struct Line {
    keys: BTreeMap<Place, Arc<Key>>,
    came: u64,
    taken: u64,
}

impl Line {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Adds an object at the end of its group.
    pub(super) fn push(&mut self, key: &Arc<Key>, cause: &Cause) -> Place {
        self.came += 1;
        let place = (can_wait(cause), self.came);
        self.keys.insert(place, Arc::clone(key));
        place
    }

    /// Removes an object.
    pub(super) fn remove(&mut self, place: Place) {
        self.keys.remove(&place);
    }

    /// Takes the next object.
    pub(super) fn pop(&mut self) -> Option<Arc<Key>> {
        self.taken += 1;
        let first = if self.taken.is_multiple_of(SHARE) {
            self.keys.range((true, 0)..).next()
        } else {
            None
        };
        let (place, _) = first.or_else(|| self.keys.first_key_value())?;
        let place = *place;
        self.keys.remove(&place)
    }
}

/// Whether the object is not known to have changed.
pub(super) fn can_wait(cause: &Cause) -> bool {
    matches!(cause, Cause::Listed | Cause::Resync)
}
