//! Indexes of a cache by other keys than the name.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::key::Key;
use crate::user_code;

/// An index of objects of type `T`. It is built on first use, and then kept up to date.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use rop_runtime::Index;
///
/// /// Pods by the node that they run on.
/// const BY_NODE: Index<Pod> = Index::new("node", |pod| {
///     let spec = pod.spec.as_ref();
///     spec.and_then(|spec| spec.node_name.clone()).into_iter().collect()
/// });
/// ```
pub struct Index<T> {
    name: &'static str,
    keys: fn(&T) -> Vec<String>,
}

impl<T> Index<T> {
    /// Creates an index. Use each name for only one index of a type. `keys` must always return the
    /// same keys for the same object.
    pub const fn new(name: &'static str, keys: fn(&T) -> Vec<String>) -> Self {
        Self { name, keys }
    }

    pub(super) fn id(&self) -> Id {
        Id::Named(self.name)
    }

    pub(super) fn keys(&self) -> fn(&T) -> Vec<String> {
        self.keys
    }
}

impl<T> fmt::Debug for Index<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Index").field(&self.name).finish()
    }
}

/// Identifies an index.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Id {
    /// An index of the user.
    Named(&'static str),
    /// An index of the runtime, by number.
    Own(usize),
}

/// Returns the keys of an object.
pub(super) type Keys<T> = Arc<dyn Fn(&T) -> Vec<String> + Send + Sync>;

/// An index and its entries.
pub(super) struct Built<T> {
    keys: Keys<T>,
    entries: HashMap<String, BTreeSet<Key>>,
}

impl<T> Built<T> {
    pub(super) fn new(keys: Keys<T>) -> Self {
        Self {
            keys,
            entries: HashMap::new(),
        }
    }

    pub(super) fn insert(&mut self, key: &Key, object: &T) {
        for entry in self.keys(object) {
            self.entries.entry(entry).or_default().insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &Key, object: &T) {
        for entry in self.keys(object) {
            if let Some(keys) = self.entries.get_mut(&entry) {
                keys.remove(key);
                if keys.is_empty() {
                    self.entries.remove(&entry);
                }
            }
        }
    }

    fn keys(&self, object: &T) -> Vec<String> {
        user_code::call("an index", Vec::new(), || (self.keys)(object))
    }

    /// The keys of the objects under `entry`, in order.
    pub(super) fn get(&self, entry: &str) -> impl Iterator<Item = &Key> {
        self.entries.get(entry).into_iter().flatten()
    }
}
