//! What is known of the statuses that were written.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::key::Key;

/// What a status was applied as, and what became of it: another manager's conditions are in the one and not
/// in the other.
#[derive(Default)]
pub(crate) struct Reported(Mutex<HashMap<(TypeId, Key), (u64, u64)>>);

impl Reported {
    /// Whether that is what was applied last, and what became of it.
    pub(crate) fn is(&self, object: &(TypeId, Key), applied: u64, seen: u64) -> bool {
        self.lock().get(object) == Some(&(applied, seen))
    }

    /// Whether something else was applied last.
    pub(crate) fn is_other(&self, object: &(TypeId, Key), applied: u64) -> bool {
        self.lock()
            .get(object)
            .is_some_and(|(last, _)| *last != applied)
    }

    /// Keeps what was applied.
    pub(crate) fn insert(&self, object: (TypeId, Key), applied: u64, seen: u64) {
        self.lock().insert(object, (applied, seen));
    }

    /// Forgets an object that is gone.
    pub(crate) fn remove<K: 'static>(&self, object: &Key) {
        self.lock().remove(&(TypeId::of::<K>(), object.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(TypeId, Key), (u64, u64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
