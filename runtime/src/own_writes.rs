//! The last write to each object that its watch has not delivered yet. To reconcile the object as it
//! was before would write the same once more.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::Resource;
use tokio::time::Instant;

use crate::breakage::{Breakage, broken};
use crate::children::version;
use crate::key::Key;

/// How long to wait for a watch. One that takes longer has failed, and children must be repaired all
/// the same.
const PATIENCE: Duration = Duration::from_secs(5);

/// The resource version that the last write to each object gave, and when.
#[derive(Default)]
pub(crate) struct OwnWrites(Mutex<HashMap<(TypeId, Key), (u64, Instant)>>);

impl OwnWrites {
    /// Notes what the API server answered to a write.
    pub(crate) fn insert<K: Resource + 'static>(&self, written: &K) {
        let version = version(written.meta().resource_version.as_deref());
        self.lock().insert(key(written), (version, Instant::now()));
    }

    /// Whether `object` is older than the last write to it, and for how long that is to be expected.
    pub(crate) fn missing_in<K: Resource + 'static>(&self, object: &K) -> Option<Duration> {
        let mut writes = self.lock();
        let key = key(object);
        let (written, at) = *writes.get(&key)?;
        // A wait of nothing would be asked for again and again.
        let left = PATIENCE
            .checked_sub(at.elapsed())
            .filter(|left| !left.is_zero() || broken(Breakage::EndlessWait));
        if left.is_none() || version(object.meta().resource_version.as_deref()) >= written {
            writes.remove(&key);
            return None;
        }
        left
    }

    /// Forgets an object that is gone.
    pub(crate) fn remove<K: 'static>(&self, object: &Key) {
        self.lock().remove(&(TypeId::of::<K>(), object.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(TypeId, Key), (u64, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key<K: Resource + 'static>(object: &K) -> (TypeId, Key) {
    (TypeId::of::<K>(), Key::of(object))
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
        let writes = OwnWrites::default();
        assert_eq!(writes.missing_in(&object("9")), None);
        writes.insert(&object("10"));
        assert!(writes.missing_in(&object("9")).is_some());
        assert_eq!(writes.missing_in(&object("11")), None);
        assert_eq!(writes.missing_in(&object("9")), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_failed_is_not_waited_for() {
        let writes = OwnWrites::default();
        writes.insert(&object("10"));
        tokio::time::advance(PATIENCE / 2).await;
        assert_eq!(writes.missing_in(&object("9")), Some(PATIENCE / 2));
        tokio::time::advance(PATIENCE / 2).await;
        assert_eq!(writes.missing_in(&object("9")), None);
    }
}
