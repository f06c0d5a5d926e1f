//! The last write to each object that its watch has not brought yet. To reconcile the object as it
//! was before would write the same once more.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kube::Resource;

use super::children::version;

/// How long to wait for a watch. One that is later than this has failed, and children must not go
/// unrepaired for that.
const PATIENCE: Duration = Duration::from_secs(5);

type Key = (TypeId, Option<String>, Option<String>);

/// The resource version that the last write to each object gave, and when.
#[derive(Default)]
pub struct OwnWrites(Mutex<HashMap<Key, (u64, Instant)>>);

impl OwnWrites {
    /// Notes what the API server answered to a write.
    pub fn insert<K: Resource + 'static>(&self, written: &K) {
        let version = version(written.meta().resource_version.as_deref());
        self.lock().insert(key(written), (version, Instant::now()));
    }

    /// Whether `object` is older than the last write to it, and for how long that is to be expected.
    pub fn missing_in<K: Resource + 'static>(&self, object: &K) -> Option<Duration> {
        let mut writes = self.lock();
        let key = key(object);
        let (written, at) = *writes.get(&key)?;
        let left = PATIENCE.checked_sub(at.elapsed());
        if left.is_none() || version(object.meta().resource_version.as_deref()) >= written {
            writes.remove(&key);
            return None;
        }
        left
    }

    /// Forgets an object that is gone.
    pub fn remove<K: 'static>(&self, namespace: Option<&str>, name: &str) {
        let key = (
            TypeId::of::<K>(),
            namespace.map(str::to_owned),
            Some(name.to_owned()),
        );
        self.lock().remove(&key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, (u64, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key<K: Resource + 'static>(object: &K) -> Key {
    let meta = object.meta();
    (TypeId::of::<K>(), meta.namespace.clone(), meta.name.clone())
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

    #[test]
    fn an_object_is_missing_a_write_until_its_watch_brings_it() {
        let writes = OwnWrites::default();
        assert_eq!(writes.missing_in(&object("9")), None);
        writes.insert(&object("10"));
        assert!(writes.missing_in(&object("9")).is_some());
        assert_eq!(writes.missing_in(&object("11")), None);
        assert_eq!(writes.missing_in(&object("9")), None);
    }

    #[test]
    fn a_watch_that_failed_is_not_waited_for() {
        let writes = OwnWrites::default();
        writes.insert(&object("10"));
        for (_, at) in writes.lock().values_mut() {
            *at -= 2 * PATIENCE;
        }
        assert_eq!(writes.missing_in(&object("9")), None);
    }
}
