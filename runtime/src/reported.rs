//! The last written status of each object.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::key::Key;
use crate::kinds::ChildKind;

/// Maximum number of objects of other types: no event removes them. At the maximum, all are removed, and the next apply
/// of each is sent again.
const OTHERS: usize = 1024;

/// The hashes of the applied and of the resulting status: only the result has the conditions of other managers.
#[derive(Default)]
pub(crate) struct Reported {
    /// The type of the controller, whose deleted objects are removed.
    own: Option<Arc<str>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    own: Sums,
    others: Sums,
}

/// The name of a kind, such as `deployments.apps`, and the key of the object.
type Object = (Arc<str>, Key);

type Sums = HashMap<Object, (u64, u64)>;

impl Reported {
    /// Creates a record for the controller of a kind.
    pub(crate) fn by(kind: &ChildKind) -> Self {
        Self {
            own: Some(Arc::clone(&kind.name)),
            state: Mutex::default(),
        }
    }

    /// Whether this is the status that was applied last, with this result.
    pub(crate) fn is(&self, object: &Object, applied: u64, seen: u64) -> bool {
        self.get(object) == Some((applied, seen))
    }

    /// Whether another status was applied last.
    pub(crate) fn is_other(&self, object: &Object, applied: u64) -> bool {
        self.get(object).is_some_and(|(last, _)| last != applied)
    }

    /// Records an applied status and its result.
    pub(crate) fn insert(&self, object: Object, applied: u64, seen: u64) {
        let state = &mut *self.lock();
        if self.own.as_ref() == Some(&object.0) {
            state.own.insert(object, (applied, seen));
            return;
        }
        if state.others.len() >= OTHERS && !state.others.contains_key(&object) {
            state.others.clear();
        }
        state.others.insert(object, (applied, seen));
    }

    /// Removes a deleted object of the controller.
    pub(crate) fn remove(&self, object: &Key) {
        if let Some(own) = &self.own {
            let object = (Arc::clone(own), object.clone());
            self.lock().own.remove(&object);
        }
    }

    fn get(&self, object: &Object) -> Option<(u64, u64)> {
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
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn key(kind: &str, number: usize) -> Object {
        (kind.into(), Key::new(None, &number.to_string()))
    }

    #[test]
    fn of_other_kinds_a_bounded_number_is_known() {
        let reported = Reported::by(&ChildKind::of::<ConfigMap>());
        for number in 0..=(OTHERS * 3) {
            reported.insert(key("configmaps", number), 1, 1);
            reported.insert(key("secrets", number), 1, 1);
        }
        let known = |state: &State| (state.own.len(), state.others.len());
        assert_eq!(known(&reported.lock()), (OTHERS * 3 + 1, 1));
        assert!(reported.is(&key("secrets", OTHERS * 3), 1, 1));
        assert!(reported.is(&key("configmaps", 0), 1, 1));
        reported.remove(&Key::new(None, "0"));
        assert!(!reported.is(&key("configmaps", 0), 1, 1));
    }
}
