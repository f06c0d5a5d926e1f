//! The cache of a controller's children: only what is needed to decide whether an apply would
//! change anything. Both the watches and the responses to applies update it, so a repair never
//! waits for the watch.
//!
//! Entries are ordered by the revision of the watch: a response with an older revision is ignored,
//! because the child may have been deleted since.

mod fields;
mod known;
mod live;
mod names;
mod owned;
mod sink;
mod sum;
mod summed;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::{Resource, ResourceExt};

use crate::breakage::{Breakage, broken};
use crate::informer::Raw;
use crate::key::name_from;

pub(crate) use fields::desired;
pub(crate) use known::{Known, Owner, version};
pub(crate) use live::Live;
pub(crate) use names::Names;
pub(crate) use owned::Owned;
pub(crate) use sink::{ChildSink, Keep, Owners};

/// The children of a controller, of every type that it watches.
pub(crate) struct Children {
    pub(crate) names: Names,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Ordered, because owners of deleted children are reconciled in this order.
    known: BTreeMap<ChildKey, Known>,
    watches: BTreeMap<Scope, Progress>,
}

/// The progress of a watch.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The watch has begun after a complete list, and has not failed since.
    is_fresh: bool,
    /// A list is complete, but the watch has not begun after it: the revision of the list is not known yet.
    is_open: bool,
    /// The newest revision of its events.
    revision: u64,
}

/// Whether the response to an apply is current, compared with the events of the watch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// The child has this state or a newer one, or is not watched.
    Holds,
    /// The child may have been deleted since, without an event for its owner: its watch has reached this revision.
    Unsure(u64),
}

#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct ChildKey {
    kind: Arc<str>,
    namespace: Option<String>,
    name: String,
}

impl ChildKey {
    /// Its namespace and name.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn parts(&self) -> (Option<&str>, &str) {
        (self.namespace.as_deref(), &self.name)
    }

    /// The child of a type, as in `deployments.apps`, with this name.
    pub(crate) fn new(kind: &Arc<str>, namespace: Option<&str>, name: &str) -> Self {
        Self {
            kind: Arc::clone(kind),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its name from the view of its owner: with its namespace if that differs.
    pub(crate) fn name_from(&self, owner: Option<&str>) -> String {
        name_from(owner, self.namespace(), &self.name)
    }

    /// Its namespace, if it is in one.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }
}

/// The scope of a watch: a type of child in a namespace, or in all.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Scope {
    pub(crate) kind: Arc<str>,
    pub(crate) namespace: Option<String>,
}

impl Scope {
    /// Whether it covers a type of child in a namespace.
    fn covers(&self, kind: &str, namespace: Option<&str>) -> bool {
        let own = self.namespace.as_deref();
        *self.kind == *kind && (own.is_none() || own == namespace)
    }

    fn sees(&self, key: &ChildKey) -> bool {
        self.covers(&key.kind, key.namespace())
    }

    fn key(&self, child: &impl Resource) -> ChildKey {
        let namespace = child.meta().namespace.as_deref();
        ChildKey::new(&self.kind, namespace, &child.name_any())
    }
}

/// The owner that an event of a child concerns.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct OwnerChange {
    /// The owner of the child, or the last one if its owner reference was removed.
    pub(crate) owner: Option<Owner>,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    /// Whether the child was deleted.
    pub(crate) is_gone: bool,
}

impl Children {
    /// Creates an empty cache.
    pub(crate) fn new(names: Names) -> Self {
        Self {
            names,
            state: Mutex::default(),
        }
    }

    /// The cached data of a child, if a watch keeps it current. `Some(None)` means that the child does not exist.
    pub(crate) fn get(&self, key: &ChildKey) -> Option<Option<Known>> {
        let state = self.lock();
        let known = || state.known.get(key).cloned();
        state.is_fresh(key).then(known)
    }

    /// Whether a child is cached.
    fn has(&self, key: &ChildKey) -> bool {
        self.lock().known.contains_key(key)
    }

    /// The data to cache from the response to an apply with the hash `desired`.
    pub(crate) fn answered(&self, key: &ChildKey, answer: &Raw, desired: u64) -> Known {
        let state = self.lock();
        // The watch may have been faster.
        let seen = state.known.get(key);
        let known = match seen.filter(|known| known.has_version(answer)) {
            Some(known) => known.clone(),
            None => Known::new(answer.live(), &self.names),
        };
        known.with_applied(desired)
    }

    /// Caches the response to an apply, which the watch delivers later. Without a watch, the entry would never be
    /// corrected. While the watch is interrupted, the entry is not used, but the next list finds the owner of a deleted
    /// child in it. `confirmed` is the revision of the watch when the child was last read from the API server, if it
    /// existed.
    pub(crate) fn applied(
        &self,
        key: &ChildKey,
        answer: &Known,
        confirmed: Option<u64>,
    ) -> Verdict {
        let mut state = self.lock();
        let Some(progress) = state.progress(key) else {
            return Verdict::Holds;
        };
        match state.known.get_mut(key) {
            // Another client changed it since, and the watch was faster.
            Some(known) if known.is_newer(answer) => known.remember(answer),
            // Another object has its name by now.
            Some(known) if known.version() > answer.version() => {}
            None if broken(Breakage::LateAnswerKept) => {
                state.known.insert(key.clone(), answer.clone());
            }
            // The watch has reached this revision or a newer one, and does not have the child.
            None if (progress.is_open || progress.revision >= answer.version())
                && confirmed != Some(progress.revision) =>
            {
                return Verdict::Unsure(progress.revision);
            }
            _ => {
                state.known.insert(key.clone(), answer.clone());
            }
        }
        Verdict::Holds
    }

    /// Forgets a child that was deleted.
    pub(crate) fn deleted(&self, key: &ChildKey) {
        self.lock().known.remove(key);
    }

    /// A watch has begun at a revision: cached children have the state of that revision or a newer one.
    pub(crate) fn begun(&self, scope: &Scope, revision: u64) {
        let mut state = self.lock();
        let progress = state.watches.entry(scope.clone()).or_default();
        // A watch begins after a complete list, or where it was interrupted.
        progress.is_fresh = true;
        progress.is_open = false;
        progress.revision = progress.revision.max(revision);
    }

    /// A watch has failed: until it begins again, cached children may be stale.
    pub(crate) fn failed(&self, scope: &Scope) {
        if let Some(progress) = self.lock().watches.get_mut(scope) {
            progress.is_fresh = false;
        }
    }

    /// A list is complete: children that it does not contain were deleted. Returns their owners.
    fn listed(&self, scope: &Scope, listed: &HashSet<ChildKey>) -> Vec<OwnerChange> {
        let mut state = self.lock();
        let progress = state.watches.entry(scope.clone()).or_default();
        (progress.is_fresh, progress.is_open) = (true, true);
        let mut gone = Vec::new();
        state.known.retain(|key, known| {
            let stays = !scope.sees(key) || listed.contains(key);
            if !stays && !broken(Breakage::VanishedUntold) {
                gone.push(OwnerChange::of(key, Some(known)).gone());
            }
            stays
        });
        gone
    }

    /// Caches a child from a watch. Returns its owner, unless the state is not new.
    fn seen(&self, scope: &Scope, child: &Raw) -> Option<OwnerChange> {
        let mut state = self.lock();
        state.at(scope, child);
        let key = scope.key(child);
        match state.known.get_mut(&key) {
            // The response to an apply was faster.
            Some(known) if known.includes(child) => return None,
            Some(known) => known.update(Known::new(child.live(), &self.names)),
            None => {
                let known = Known::new(child.live(), &self.names);
                state.known.insert(key.clone(), known);
            }
        }
        Some(OwnerChange::of(&key, state.known.get(&key)))
    }

    /// Removes a deleted child. Returns its owner.
    fn gone(&self, scope: &Scope, child: &Raw) -> OwnerChange {
        let mut state = self.lock();
        state.at(scope, child);
        let key = scope.key(child);
        let before = state.known.get(&key).filter(|known| known.is(child));
        let known = before.cloned();
        // Another child may have its name by now.
        if known.is_some() {
            state.known.remove(&key);
        }
        let known = known.unwrap_or_else(|| Known::new(child.live(), &self.names));
        OwnerChange::of(&key, Some(&known)).gone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether a watch keeps a child current.
    fn is_fresh(&self, key: &ChildKey) -> bool {
        let mut watches = self.watches.iter();
        watches.any(|(scope, progress)| progress.is_fresh && scope.sees(key))
    }

    /// The progress of the watch of a child that is furthest, if there is any.
    fn progress(&self, key: &ChildKey) -> Option<Progress> {
        let watches = self.watches.iter().filter(|(scope, _)| scope.sees(key));
        let progress = watches.map(|(_, progress)| *progress);
        progress.max_by_key(|progress| progress.revision)
    }

    /// A watch has reached the revision of a child.
    fn at(&mut self, scope: &Scope, child: &Raw) {
        let revision = version(child.meta().resource_version.as_deref());
        let progress = self.watches.entry(scope.clone()).or_default();
        progress.revision = progress.revision.max(revision);
    }
}

impl OwnerChange {
    fn of(key: &ChildKey, known: Option<&Known>) -> Self {
        Self {
            owner: known.and_then(Known::owner).cloned(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            is_gone: false,
        }
    }

    fn gone(self) -> Self {
        Self {
            is_gone: true,
            ..self
        }
    }
}
