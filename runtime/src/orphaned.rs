//! Owners that are deleted and orphan their children: `kubectl delete --cascade=orphan`.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::ObjectMeta;

use crate::cache::{Cache, Change};
use crate::kinds::Reconciled;

/// The finalizer of a deleted object whose children are kept.
const ORPHAN: &str = "orphan";

/// The uids of owners that a watch has delivered with this finalizer. The garbage collector removes the finalizer once
/// no owner reference is left, which can be before the cleanup runs, and it does not see all children.
#[derive(Default)]
pub(crate) struct Orphaned(Mutex<HashSet<String>>);

impl Orphaned {
    /// Records the owners that this cache gets from now on.
    pub(crate) fn of<K: Reconciled>(cache: &Cache<K>) -> Arc<Self> {
        let all = Arc::<Self>::default();
        let orphaned = Arc::clone(&all);
        cache.subscribe(move |change| match change {
            Change::Applied { old, new, .. } => {
                let (old, new) = (old.map(K::meta), new.meta());
                if let Some(old) = old
                    && old.uid != new.uid
                {
                    orphaned.forget(old);
                }
                if is_orphaned(new) {
                    orphaned.lock().extend(new.uid.clone());
                }
            }
            Change::Deleted(object) | Change::Left(object) => orphaned.forget(object.meta()),
        });
        all
    }

    /// Whether the children of this owner are kept when it is deleted.
    pub(crate) fn has(&self, owner: &ObjectMeta) -> bool {
        let is_known = |uid: &String| self.lock().contains(uid);
        is_orphaned(owner) || owner.uid.as_ref().is_some_and(is_known)
    }

    fn forget(&self, owner: &ObjectMeta) {
        if let Some(uid) = &owner.uid {
            self.lock().remove(uid);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_orphaned(owner: &ObjectMeta) -> bool {
    let mut finalizers = owner.finalizers.iter().flatten();
    finalizers.any(|name| name == ORPHAN)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::key::Key;

    fn map(uid: &str, finalizers: &[&str]) -> Arc<ConfigMap> {
        let metadata = json!({ "name": "a", "uid": uid, "finalizers": finalizers });
        Arc::new(serde_json::from_value(json!({ "metadata": metadata })).unwrap())
    }

    #[test]
    fn what_was_shown_once_is_known_until_the_owner_is_gone() {
        let cache = Cache::default();
        let orphaned = Orphaned::of(&cache);
        let has = |finalizers: &[&str]| {
            let map = map("1", finalizers);
            cache.apply(Arc::clone(&map), false);
            orphaned.has(&map.metadata)
        };
        assert!(!has(&["ours"]));
        assert!(has(&[ORPHAN, "ours"]));
        assert!(has(&["ours"]), "garbage collection was first");

        // Another object has its name now.
        cache.apply(map("2", &[ORPHAN]), false);
        assert!(!orphaned.has(&map("1", &["ours"]).metadata));
        assert!(orphaned.has(&map("2", &["ours"]).metadata));
        cache.delete(&Key::of(&*map("2", &[])));
        assert!(!orphaned.has(&map("2", &[]).metadata));
        assert!(orphaned.lock().is_empty());
    }
}
