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
    /// In order, for who owned what is gone is told in it.
    known: BTreeMap<ChildKey, Known>,
    watches: BTreeMap<Scope, Progress>,
}

/// How far a watch is.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// It has listed what there is and has not failed since.
    is_fresh: bool,
    /// It has listed what there is and has not begun since: nobody knows yet which revision the list is of.
    is_open: bool,
    /// The newest revision that it has seen.
    revision: u64,
}

/// What the answer to an apply says of a child, beside what its watch has seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// The child is as it says, or newer, or nobody watches it.
    Holds,
    /// The child may be gone since, and its owner may not have been told: its watch has seen this revision.
    Unsure(u64),
}

/// A child.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct ChildKey {
    kind: Arc<str>,
    namespace: Option<String>,
    name: String,
}

impl ChildKey {
    /// The child of a type, as in `deployments.apps`, with this name.
    pub(crate) fn new(kind: &Arc<str>, namespace: Option<&str>, name: &str) -> Self {
        Self {
            kind: Arc::clone(kind),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its name for its owner: with its namespace if that is not the one of the owner.
    pub(crate) fn name_from(&self, owner: Option<&str>) -> String {
        name_from(owner, self.namespace(), &self.name)
    }

    /// Its namespace, if it is in one.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }
}

/// What one watch sees: a type of child in a namespace, or everywhere.
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

/// What an event says of the owner of its child.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct News {
    /// Who owns the child, or owned it before somebody took that off.
    pub(crate) owner: Option<Owner>,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    /// Whether the child is no longer there.
    pub(crate) is_gone: bool,
}

impl Children {
    /// Nothing is known yet.
    pub(crate) fn new(names: Names) -> Self {
        Self {
            names,
            state: Mutex::default(),
        }
    }

    /// What is known of a child, if a watch keeps it true. `Some(None)` is: there is none.
    pub(crate) fn get(&self, key: &ChildKey) -> Option<Option<Known>> {
        let state = self.lock();
        let known = || state.known.get(key).cloned();
        state.is_fresh(key).then(known)
    }

    /// Whether there is a child, as far as is known.
    fn has(&self, key: &ChildKey) -> bool {
        self.lock().known.contains_key(key)
    }

    /// What is to be kept of the answer to an apply of what has the sum `desired`.
    pub(crate) fn answered(&self, key: &ChildKey, answer: &Raw, desired: u64) -> Known {
        let state = self.lock();
        // The watch may have been faster.
        let seen = state.known.get(key);
        let known = match seen.filter(|known| known.is_at(answer)) {
            Some(known) => known.clone(),
            None => Known::new(answer.live(), &self.names),
        };
        known.with_applied(desired)
    }

    /// Keeps the answer to an apply, which a watch brings only later. Without a watch it would never be
    /// corrected. While a watch does not go on, what is kept is not used, but its next list tells who owns what
    /// is gone. `there` is the revision that the watch had seen when the child was looked for, and was there.
    pub(crate) fn applied(&self, key: &ChildKey, answer: &Known, there: Option<u64>) -> Verdict {
        let mut state = self.lock();
        let Some(progress) = state.progress(key) else {
            return Verdict::Holds;
        };
        match state.known.get_mut(key) {
            // Somebody changed it since, and the watch was faster.
            Some(known) if known.is_newer(answer) => known.remember(answer),
            // Another has taken its name since.
            Some(known) if known.version() > answer.version() => {}
            None if broken(Breakage::LateAnswerKept) => {
                state.known.insert(key.clone(), answer.clone());
            }
            // It is not in what the watch has seen, which may be newer.
            None if (progress.is_open || progress.revision >= answer.version())
                && there != Some(progress.revision) =>
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

    /// A watch has begun at a revision: what is known is as it was then, or newer.
    pub(crate) fn begun(&self, scope: &Scope, revision: u64) {
        let mut state = self.lock();
        let progress = state.watches.entry(scope.clone()).or_default();
        // It begins after a complete list, or where it was cut.
        progress.is_fresh = true;
        progress.is_open = false;
        progress.revision = progress.revision.max(revision);
    }

    /// A watch has failed: until it begins again, what is known may be old.
    pub(crate) fn failed(&self, scope: &Scope) {
        if let Some(progress) = self.lock().watches.get_mut(scope) {
            progress.is_fresh = false;
        }
    }

    /// A list is complete: what it does not have is gone. Returns who owned that.
    fn listed(&self, scope: &Scope, listed: &HashSet<ChildKey>) -> Vec<News> {
        let mut state = self.lock();
        let progress = state.watches.entry(scope.clone()).or_default();
        (progress.is_fresh, progress.is_open) = (true, true);
        let mut gone = Vec::new();
        state.known.retain(|key, known| {
            let stays = !scope.sees(key) || listed.contains(key);
            if !stays && !broken(Breakage::VanishedUntold) {
                gone.push(News::of(key, Some(known)).gone());
            }
            stays
        });
        gone
    }

    /// A child was seen as it is. Returns who should know, unless it brings nothing new.
    fn seen(&self, scope: &Scope, child: &Raw) -> Option<News> {
        let mut state = self.lock();
        state.at(scope, child);
        let key = scope.key(child);
        match state.known.get_mut(&key) {
            // The answer to an apply was faster.
            Some(known) if known.is_as_new_as(child) => return None,
            Some(known) => known.update(Known::new(child.live(), &self.names)),
            None => {
                let known = Known::new(child.live(), &self.names);
                state.known.insert(key.clone(), known);
            }
        }
        Some(News::of(&key, state.known.get(&key)))
    }

    /// A child was deleted. Returns who should know.
    fn gone(&self, scope: &Scope, child: &Raw) -> News {
        let mut state = self.lock();
        state.at(scope, child);
        let key = scope.key(child);
        let before = state.known.get(&key).filter(|known| known.is(child));
        let known = before.cloned();
        // Another one may have its name by now.
        if known.is_some() {
            state.known.remove(&key);
        }
        let known = known.unwrap_or_else(|| Known::new(child.live(), &self.names));
        News::of(&key, Some(&known)).gone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether a watch keeps a child true.
    fn is_fresh(&self, key: &ChildKey) -> bool {
        let mut watches = self.watches.iter();
        watches.any(|(scope, progress)| progress.is_fresh && scope.sees(key))
    }

    /// How far the watch of a child is that is furthest, if it has any.
    fn progress(&self, key: &ChildKey) -> Option<Progress> {
        let watches = self.watches.iter().filter(|(scope, _)| scope.sees(key));
        let progress = watches.map(|(_, progress)| *progress);
        progress.max_by_key(|progress| progress.revision)
    }

    /// A watch has come to the revision of a child.
    fn at(&mut self, scope: &Scope, child: &Raw) {
        let revision = version(child.meta().resource_version.as_deref());
        let progress = self.watches.entry(scope.clone()).or_default();
        progress.revision = progress.revision.max(revision);
    }
}

impl News {
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
