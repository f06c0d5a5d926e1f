//! The cached objects of a type.

mod conditions;
mod index;
mod sink;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::Resource;

use crate::children::version;
use crate::key::Key;
pub(crate) use conditions::ConditionCount;
use conditions::Conditions;
#[cfg(test)]
pub(crate) use conditions::Status;
pub(crate) use index::Id;
pub use index::Index;
use index::{Built, Keys};
pub(crate) use sink::CacheSink;
pub use store::Store;

/// A change of a cached object.
pub(crate) enum Change<'a, T> {
    /// The object is new or changed.
    Applied {
        /// The state before, if the object was cached.
        old: Option<&'a T>,
        /// The current state.
        new: &'a Arc<T>,
        /// Whether it comes from a list: it may be unchanged.
        listed: bool,
    },
    /// The object was deleted.
    Deleted(&'a Arc<T>),
    /// The object exists, but the watch no longer selects it.
    Left(&'a Arc<T>),
}

/// Called with every change.
type Handler<T> = Box<dyn Fn(&Change<'_, T>) + Send + Sync>;

/// The cached objects of a type.
pub(crate) struct Cache<T> {
    contents: Mutex<Contents<T>>,
    handlers: Mutex<Vec<Handler<T>>>,
}

struct Contents<T> {
    objects: BTreeMap<Key, Arc<T>>,
    indexes: HashMap<Id, Built<T>>,
    /// Objects that could not be read, and why.
    unreadable: BTreeMap<Key, String>,
    /// The conditions of all objects, if they are counted.
    conditions: Option<Conditions>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        let contents = Contents {
            objects: BTreeMap::new(),
            indexes: HashMap::new(),
            unreadable: BTreeMap::new(),
            conditions: None,
        };
        Self {
            contents: Mutex::new(contents),
            handlers: Mutex::default(),
        }
    }
}

impl<T: Resource> Cache<T> {
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<T>> {
        self.lock().objects.get(key).cloned()
    }

    /// Whether the watch has delivered it, readable or not.
    fn has(&self, key: &Key) -> bool {
        let contents = self.lock();
        contents.objects.contains_key(key) || contents.unreadable.contains_key(key)
    }

    pub(crate) fn list(&self) -> Vec<Arc<T>> {
        self.lock().objects.values().cloned().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().objects.len()
    }

    pub(crate) fn unreadable(&self) -> usize {
        self.lock().unreadable.len()
    }

    /// Counts the conditions of the objects from now on.
    pub(crate) fn count_conditions(&self) {
        self.lock().conditions.get_or_insert_default();
    }

    /// The number of objects by condition.
    pub(crate) fn conditions(&self) -> Vec<ConditionCount> {
        let contents = self.lock();
        let conditions = contents.conditions.as_ref();
        conditions.map(Conditions::count).unwrap_or_default()
    }

    /// Reads the conditions of an object from its JSON, if they are counted.
    fn keep_conditions(&self, key: Key, json: &str) {
        if let Some(conditions) = &mut self.lock().conditions {
            conditions.insert(key, json);
        }
    }

    /// Calls `handler` with every change from now on. It is called after the cache has the change.
    pub(crate) fn subscribe(&self, handler: impl Fn(&Change<'_, T>) + Send + Sync + 'static) {
        self.handlers().push(Box::new(handler));
    }

    /// Adds an index of the runtime.
    pub(crate) fn add_index(&self, keys: impl Fn(&T) -> Vec<String> + Send + Sync + 'static) -> Id {
        let mut contents = self.lock();
        let id = Id::Own(contents.indexes.len());
        contents.build(id, Arc::new(keys));
        id
    }

    /// The keys of the objects under `entry` in an index.
    pub(crate) fn keys_by(&self, id: Id, entry: &str) -> Vec<Key> {
        let contents = self.lock();
        let index = contents.indexes.get(&id);
        index.map_or_else(Vec::new, |index| index.get(entry).cloned().collect())
    }

    fn by(&self, index: &Index<T>, entry: &str) -> Vec<Arc<T>>
    where
        T: 'static,
    {
        let mut contents = self.lock();
        if !contents.indexes.contains_key(&index.id()) {
            contents.build(index.id(), Arc::new(index.keys()));
        }
        let Contents {
            objects, indexes, ..
        } = &*contents;
        let found = indexes.get(&index.id());
        let keys = found.into_iter().flat_map(|index| index.get(entry));
        keys.filter_map(|key| objects.get(key).cloned()).collect()
    }

    /// Caches an object, unless the cached state is newer, and calls the handlers.
    pub(crate) fn apply(&self, new: Arc<T>, listed: bool) {
        let key = Key::of(&*new);
        let old = {
            let mut contents = self.lock();
            let old = contents.objects.get(&key).cloned();
            if old.as_ref().is_some_and(|old| is_newer(&**old, &*new)) {
                return;
            }
            contents.unreadable.remove(&key);
            contents.insert(&key, &new);
            old
        };
        self.notify(&Change::Applied {
            old: old.as_deref(),
            new: &new,
            listed,
        });
    }

    /// Removes a deleted object, and calls the handlers.
    pub(crate) fn delete(&self, key: &Key) {
        if let Some(object) = self.forget(key) {
            self.notify(&Change::Deleted(&object));
        }
    }

    /// Removes an object that is no longer selected, and calls the handlers.
    pub(crate) fn leave(&self, key: &Key) {
        if let Some(object) = self.forget(key) {
            self.notify(&Change::Left(&object));
        }
    }

    fn forget(&self, key: &Key) -> Option<Arc<T>> {
        let mut contents = self.lock();
        contents.unreadable.remove(key);
        if let Some(conditions) = &mut contents.conditions {
            conditions.remove(key);
        }
        contents.remove(key)
    }

    /// Removes an object that can no longer be read. Returns whether the error is new.
    pub(crate) fn cannot_read(&self, key: &Key, error: &str) -> bool {
        let mut contents = self.lock();
        contents.remove(key);
        let before = contents.unreadable.insert(key.clone(), error.to_owned());
        before.as_deref() != Some(error)
    }

    /// The keys of all objects in a namespace, or in all namespaces, including unreadable ones.
    fn keys_in(&self, namespace: Option<&str>) -> Vec<Key> {
        let contents = self.lock();
        let keys = contents.objects.keys().chain(contents.unreadable.keys());
        let is_in = |key: &&Key| namespace.is_none() || key.namespace.as_deref() == namespace;
        keys.filter(is_in).cloned().collect()
    }

    fn notify(&self, change: &Change<'_, T>) {
        for handler in &*self.handlers() {
            handler(change);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Contents<T>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handlers(&self) -> MutexGuard<'_, Vec<Handler<T>>> {
        self.handlers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Contents<T> {
    fn build(&mut self, id: Id, keys: Keys<T>) {
        let mut built = Built::new(keys);
        for (key, object) in &self.objects {
            built.insert(key, object);
        }
        self.indexes.insert(id, built);
    }

    fn insert(&mut self, key: &Key, object: &Arc<T>) {
        let before = self.objects.insert(key.clone(), Arc::clone(object));
        for index in self.indexes.values_mut() {
            if let Some(before) = &before {
                index.remove(key, before);
            }
            index.insert(key, object);
        }
    }

    fn remove(&mut self, key: &Key) -> Option<Arc<T>> {
        let removed = self.objects.remove(key)?;
        for index in self.indexes.values_mut() {
            index.remove(key, &removed);
        }
        Some(removed)
    }
}

/// Whether `left` is a newer state of the same object than `right`.
fn is_newer<T: Resource>(left: &T, right: &T) -> bool {
    let revision = |object: &T| version(object.meta().resource_version.as_deref());
    left.meta().uid == right.meta().uid && revision(left) > revision(right)
}
