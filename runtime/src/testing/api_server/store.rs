//! The objects and their history.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

/// The type of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happened {
    Added,
    Modified,
    Deleted,
}

/// A change of an object in the history.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) revision: u64,
    pub(super) storage: Arc<str>,
    pub(super) key: String,
    pub(super) happened: Happened,
    /// The written object, or the last state of a deleted one.
    pub(super) object: Arc<Value>,
    pub(super) previous: Option<Arc<Value>>,
}

/// The objects of a resource, by namespace and name.
pub(super) type Objects = BTreeMap<String, Arc<Value>>;

/// The objects and their history.
#[derive(Debug)]
pub(super) struct Store {
    objects: BTreeMap<Arc<str>, Objects>,
    history: Vec<Change>,
    revision: u64,
    compacted: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            history: Vec::new(),
            revision: 1,
            compacted: 0,
        }
    }
}

/// The key of an object. Lists are ordered by keys.
pub(super) fn key(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}

impl Store {
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn compacted(&self) -> u64 {
        self.compacted
    }

    pub(super) fn get(&self, storage: &str, key: &str) -> Option<&Arc<Value>> {
        self.objects.get(storage)?.get(key)
    }

    /// The objects of a resource, in one namespace if it is set.
    pub(super) fn list<'a>(
        &'a self,
        storage: &str,
        namespace: &str,
    ) -> impl Iterator<Item = (&'a String, &'a Arc<Value>)> + use<'a> {
        let prefix = in_namespace(namespace);
        let objects = self.objects.get(storage).into_iter().flat_map({
            let prefix = prefix.clone();
            move |objects| objects.range(prefix.clone()..)
        });
        objects.take_while(move |(key, _)| key.starts_with(&prefix))
    }

    /// The objects as they were at a revision.
    pub(super) fn list_at(&self, storage: &str, namespace: &str, revision: u64) -> Objects {
        let prefix = in_namespace(namespace);
        let now = self.list(storage, namespace);
        let mut objects: Objects = now
            .map(|(key, object)| (key.clone(), Arc::clone(object)))
            .collect();
        for change in self.since(revision).iter().rev() {
            if *change.storage != *storage || !change.key.starts_with(&prefix) {
                continue;
            }
            match &change.previous {
                Some(previous) => objects.insert(change.key.clone(), Arc::clone(previous)),
                None => objects.remove(&change.key),
            };
        }
        objects
    }

    /// The resources that have objects.
    pub(super) fn storages(&self) -> impl Iterator<Item = &Arc<str>> {
        self.objects.keys()
    }

    /// The changes after a revision.
    pub(super) fn since(&self, revision: u64) -> &[Change] {
        let start = self
            .history
            .partition_point(|change| change.revision <= revision);
        &self.history[start..]
    }

    /// Writes an object, and returns it with its new revision.
    pub(super) fn put(&mut self, storage: &str, key: String, mut object: Value) -> Arc<Value> {
        self.revision += 1;
        object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let object = Arc::new(object);
        let storage = self.interned(storage);
        let objects = self.objects.entry(Arc::clone(&storage)).or_default();
        let previous = objects.insert(key.clone(), Arc::clone(&object));
        let happened = match previous {
            Some(_) => Happened::Modified,
            None => Happened::Added,
        };
        self.note(storage, key, happened, Arc::clone(&object), previous);
        object
    }

    /// Deletes an object. Watches get its last state with the revision of the deletion.
    pub(super) fn remove(&mut self, storage: &str, key: &str) -> Option<Arc<Value>> {
        let previous = self.objects.get_mut(storage)?.remove(key)?;
        let mut last = (*previous).clone();
        self.revision += 1;
        last["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        let last = Arc::new(last);
        let storage = self.interned(storage);
        self.note(
            storage,
            key.to_owned(),
            Happened::Deleted,
            Arc::clone(&last),
            Some(previous),
        );
        Some(last)
    }

    fn interned(&self, storage: &str) -> Arc<str> {
        match self.objects.get_key_value(storage) {
            Some((known, _)) => Arc::clone(known),
            None => storage.into(),
        }
    }

    fn note(
        &mut self,
        storage: Arc<str>,
        key: String,
        happened: Happened,
        object: Arc<Value>,
        previous: Option<Arc<Value>>,
    ) {
        self.history.push(Change {
            revision: self.revision,
            storage,
            key,
            happened,
            object,
            previous,
        });
    }

    /// Compacts the history: no watch can start before now, but running ones continue.
    pub(super) fn compact(&mut self) {
        self.compacted = self.revision;
    }
}

/// The key prefix of a namespace.
pub(super) fn in_namespace(namespace: &str) -> String {
    match namespace {
        "" => String::new(),
        namespace => format!("{namespace}/"),
    }
}
