//! What is known of the children: enough to tell whether an apply would change anything, and no more.
//! The watches and the answers to applies write here, so a repair never waits for a cache.

mod fields;
mod known;
mod live;
mod watch;

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kube::ResourceExt;
use kube::runtime::watcher::Event;

pub use fields::desired;
use known::Owner;
pub use known::{Known, version};
pub use live::Live;
pub use watch::{Ready, watch};

/// The children of every kind that is watched.
#[derive(Default)]
pub struct Children(Mutex<State>);

#[derive(Default)]
struct State {
    known: HashMap<Key, Known>,
    /// The watches that have listed what there is and have not failed since.
    fresh: HashSet<Watched>,
}

/// A child.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Key {
    type_: TypeId,
    namespace: String,
    name: String,
}

impl Key {
    /// The child of type `C` with this name.
    pub fn new<C: 'static>(namespace: &str, name: &str) -> Self {
        Self {
            type_: TypeId::of::<C>(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

/// What one watch sees: a type of child in a namespace, or in all of them.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Watched {
    type_: TypeId,
    namespace: Option<String>,
}

impl Watched {
    /// All children of type `C`, in a namespace or everywhere.
    pub fn new<C: 'static>(namespace: Option<&str>) -> Self {
        Self {
            type_: TypeId::of::<C>(),
            namespace: namespace.map(str::to_owned),
        }
    }

    fn sees(&self, key: &Key) -> bool {
        self.type_ == key.type_
            && self
                .namespace
                .as_ref()
                .is_none_or(|own| *own == key.namespace)
    }

    fn key(&self, child: &Live) -> Key {
        Key {
            type_: self.type_,
            namespace: child.namespace().unwrap_or_default(),
            name: child.name_any(),
        }
    }
}

impl Children {
    /// What is known of a child, where a watch keeps it true. `Some(None)` is: there is none.
    pub fn get(&self, key: &Key) -> Option<Option<Known>> {
        let state = self.lock();
        let is_true = state.fresh.iter().any(|watch| watch.sees(key));
        is_true.then(|| state.known.get(key).cloned())
    }

    /// Notes the answer to an apply, which a watch brings only later. Without a watch it would never
    /// be corrected.
    pub fn applied(&self, key: Key, answer: Known) {
        let mut state = self.lock();
        if !state.fresh.iter().any(|watch| watch.sees(&key)) {
            return;
        }
        match state.known.get_mut(&key) {
            // Somebody changed it since, and the watch was faster.
            Some(known) if known.is_newer(&answer) => known.remember(&answer),
            _ => {
                state.known.insert(key, answer);
            }
        }
    }

    /// Forgets a child that was deleted.
    pub fn deleted(&self, key: &Key) {
        self.lock().known.remove(key);
    }

    /// Notes what a watch saw. `listed` are the children of a list that is not complete yet.
    pub fn seen(&self, watch: &Watched, listed: &mut HashSet<Key>, event: &Event<Live>) {
        let mut state = self.lock();
        match event {
            Event::Init => listed.clear(),
            Event::InitApply(child) => {
                let key = watch.key(child);
                listed.insert(key.clone());
                state.insert(key, child);
            }
            Event::InitDone => {
                state
                    .known
                    .retain(|key, _| !watch.sees(key) || listed.contains(key));
                *listed = HashSet::new();
                state.fresh.insert(watch.clone());
            }
            Event::Apply(child) => {
                state.insert(watch.key(child), child);
                state.fresh.insert(watch.clone());
            }
            Event::Delete(child) => {
                let key = watch.key(child);
                // Another one may have its name by now.
                if state.known.get(&key).is_some_and(|known| known.is(child)) {
                    state.known.remove(&key);
                }
                state.fresh.insert(watch.clone());
            }
        }
    }

    /// The owner that a child had, of which somebody took it off.
    fn former_owner(&self, watch: &Watched, child: &Live) -> Option<Owner> {
        let state = self.lock();
        state.known.get(&watch.key(child))?.former_owner().cloned()
    }

    /// Notes that a watch failed: until it goes on, what is known may be old.
    fn failed(&self, watch: &Watched) {
        self.lock().fresh.remove(watch);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn insert(&mut self, key: Key, child: &Live) {
        match self.known.get_mut(&key) {
            // The answer to an apply was faster.
            Some(known) if known.is_as_new_as(child) => {}
            Some(known) => known.update(Known::new(child)),
            None => {
                self.known.insert(key, Known::new(child));
            }
        }
    }
}

#[cfg(test)]
mod tests;
