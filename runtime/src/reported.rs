//! What is known of the statuses that were written.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::key::Key;

/// So many objects of other types are known at most: nobody says when one of them is gone. When there are more,
/// all are forgotten, and what is applied to one is sent once more.
const OTHERS: usize = 1024;

/// What a status was applied as, and what became of it: another manager's conditions are in the one and not
/// in the other.
#[derive(Default)]
pub(crate) struct Reported {
    /// The type of the controller, which says when an object is gone.
    own: Option<TypeId>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    own: Sums,
    others: Sums,
}

type Sums = HashMap<(TypeId, Key), (u64, u64)>;

impl Reported {
    /// For a controller of a type.
    pub(crate) fn by<K: 'static>() -> Self {
        Self {
            own: Some(TypeId::of::<K>()),
            state: Mutex::default(),
        }
    }

    /// Whether that is what was applied last, and what became of it.
    pub(crate) fn is(&self, object: &(TypeId, Key), applied: u64, seen: u64) -> bool {
        self.get(object) == Some((applied, seen))
    }

    /// Whether something else was applied last.
    pub(crate) fn is_other(&self, object: &(TypeId, Key), applied: u64) -> bool {
        self.get(object).is_some_and(|(last, _)| last != applied)
    }

    /// Keeps what was applied.
    pub(crate) fn insert(&self, object: (TypeId, Key), applied: u64, seen: u64) {
        let state = &mut *self.lock();
        if self.own == Some(object.0) {
            state.own.insert(object, (applied, seen));
            return;
        }
        if state.others.len() >= OTHERS && !state.others.contains_key(&object) {
            state.others.clear();
        }
        state.others.insert(object, (applied, seen));
    }

    /// Forgets an object that is gone.
    pub(crate) fn remove<K: 'static>(&self, object: &Key) {
        let object = (TypeId::of::<K>(), object.clone());
        let state = &mut *self.lock();
        state.own.remove(&object);
        state.others.remove(&object);
    }

    fn get(&self, object: &(TypeId, Key)) -> Option<(u64, u64)> {
        let state = self.lock();
        let sums = state.own.get(object);
        sums.or_else(|| state.others.get(object)).copied()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Own;
    struct Other;

    fn key<K: 'static>(number: usize) -> (TypeId, Key) {
        (TypeId::of::<K>(), Key::new(None, &number.to_string()))
    }

    #[test]
    fn of_other_types_a_bounded_number_is_known() {
        let reported = Reported::by::<Own>();
        for number in 0..=(OTHERS * 3) {
            reported.insert(key::<Own>(number), 1, 1);
            reported.insert(key::<Other>(number), 1, 1);
        }
        let known = |state: &State| (state.own.len(), state.others.len());
        assert_eq!(known(&reported.lock()), (OTHERS * 3 + 1, 1));
        assert!(reported.is(&key::<Other>(OTHERS * 3), 1, 1));
        assert!(reported.is(&key::<Own>(0), 1, 1));
        reported.remove::<Own>(&Key::new(None, "0"));
        assert!(!reported.is(&key::<Own>(0), 1, 1));
    }
}
