//! The last write to each object that its watch has not delivered yet. Reconciling the stale object
//! would repeat the write.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::Resource;
use tokio::time::Instant;

use crate::breakage::{Breakage, broken};
use crate::children::version;
use crate::key::Key;

/// How long to wait for a watch. A watch that takes longer has failed, and children must be repaired all the same.
const PATIENCE: Duration = Duration::from_secs(5);

/// The resource version and the time of the last write to each object. Only records objects of the controller's own
/// type: nothing waits for others, and no event removes them.
#[derive(Default)]
pub(crate) struct OwnWrites {
    own: Option<TypeId>,
    writes: Mutex<HashMap<Key, (u64, Instant)>>,
}

impl OwnWrites {
    /// Creates a record for the controller of a type.
    pub(crate) fn by<K: 'static>() -> Self {
        Self {
            own: Some(TypeId::of::<K>()),
            writes: Mutex::default(),
        }
    }

    /// Records the response to a write.
    pub(crate) fn insert<K: Resource + 'static>(&self, written: &K) {
        if self.own == Some(TypeId::of::<K>()) {
            let version = version(written.meta().resource_version.as_deref());
            let mut writes = self.lock();
            writes.insert(Key::of(written), (version, Instant::now()));
        }
    }

    /// Whether `object` is older than the last write to it, and for how long to wait for the watch.
    pub(crate) fn missing_in(&self, object: &impl Resource) -> Option<Duration> {
        let mut writes = self.lock();
        let key = Key::of(object);
        let (written, at) = *writes.get(&key)?;
        // A wait of zero would be repeated without end.
        let left = PATIENCE
            .checked_sub(at.elapsed())
            .filter(|left| !left.is_zero() || broken(Breakage::EndlessWait));
        if left.is_none() || version(object.meta().resource_version.as_deref()) >= written {
            writes.remove(&key);
            return None;
        }
        left
    }

    /// Removes a deleted object.
    pub(crate) fn remove(&self, object: &Key) {
        self.lock().remove(object);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, (u64, Instant)>> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn object(version: &str) -> ConfigMap {
        let mut object = ConfigMap::default();
        object.metadata.name = Some("web".to_owned());
        object.metadata.resource_version = Some(version.to_owned());
        object
    }

    #[tokio::test]
    async fn an_object_is_missing_a_write_until_its_watch_delivers_it() {
        let writes = OwnWrites::by::<ConfigMap>();
        assert_eq!(writes.missing_in(&object("9")), None);
        writes.insert(&object("10"));
        assert!(writes.missing_in(&object("9")).is_some());
        assert_eq!(writes.missing_in(&object("11")), None);
        assert_eq!(writes.missing_in(&object("9")), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_failed_is_not_waited_for() {
        let writes = OwnWrites::by::<ConfigMap>();
        writes.insert(&object("10"));
        tokio::time::advance(PATIENCE / 2).await;
        assert_eq!(writes.missing_in(&object("9")), Some(PATIENCE / 2));
        tokio::time::advance(PATIENCE / 2).await;
        assert_eq!(writes.missing_in(&object("9")), None);
    }

    #[tokio::test]
    async fn writes_to_other_types_are_not_kept() {
        let writes = OwnWrites::by::<k8s_openapi::api::core::v1::Secret>();
        writes.insert(&object("10"));
        assert!(writes.lock().is_empty());
    }
}
