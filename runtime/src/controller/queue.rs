//! The work queue of a controller: the objects to reconcile, and when. Like client-go's queue, it
//! contains each object once, and never returns an object that is being reconciled.

mod line;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use line::{Line, Place, can_wait};

use super::cause::Cause;
use crate::breakage::{Breakage, broken};
use crate::duration::LONGEST;
use crate::key::Key;
use crate::metrics::ControllerMetrics;

/// The objects that are to be reconciled.
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Something may be ready now, or earlier than before.
    changed: Notify,
    metrics: ControllerMetrics,
}

#[derive(Default)]
struct State {
    /// Whether anything may come in.
    is_open: bool,
    /// Ready to be reconciled.
    ready: Line,
    /// To be reconciled later.
    timers: BTreeSet<(Instant, Arc<Key>)>,
    items: HashMap<Arc<Key>, Item>,
}

/// What is known of one object. There is no item for an object that nothing is to be done for.
#[derive(Default)]
struct Item {
    /// Since when it waits, and why: in `ready`, or for the end of the reconcile that is running.
    waiting: Option<(Instant, Cause)>,
    /// Where it stands in `ready`.
    place: Option<Place>,
    is_running: bool,
    /// When it is due, if it is among the timers.
    due: Option<(Instant, Cause)>,
    /// Whether it waits for what its watch has not delivered yet.
    is_held: bool,
}

impl Queue {
    /// An empty queue, which takes nothing before it is [open](Self::open).
    pub(crate) fn new(metrics: ControllerMetrics) -> Arc<Self> {
        let queue = Arc::new(Self {
            state: Mutex::default(),
            changed: Notify::new(),
            metrics,
        });
        let observed = Arc::downgrade(&queue);
        let depth = move || observed.upgrade().map_or(0, |queue| queue.depth());
        queue.metrics.watch_depth(depth);
        queue
    }

    /// Takes what comes from now on. A replica that does not lead may have caches, and would keep all that ever changed
    /// in them.
    pub(crate) fn open(&self) {
        self.lock().is_open = true;
    }

    /// Has an object reconciled as soon as possible: after the reconcile that is running, if one is.
    pub(crate) fn add(&self, key: Key, cause: Cause) {
        let mut state = self.lock();
        if !state.is_open {
            return;
        }
        let key = Arc::new(key);
        if state.add(&key, cause, Instant::now()) {
            self.metrics.added();
            self.changed.notify_one();
        }
    }

    /// Has an object reconciled after a while, unless it is to be reconciled earlier anyway.
    pub(crate) fn add_after(&self, key: &Arc<Key>, delay: Duration, cause: Cause) {
        let at = Instant::now() + delay.min(LONGEST);
        let mut state = self.lock();
        let item = state.items.entry(Arc::clone(key)).or_default();
        let is_earlier = item.waiting.is_some() || item.due.as_ref().is_some_and(|due| due.0 <= at);
        if is_earlier {
            return;
        }
        let before = item.due.replace((at, cause));
        if let Some((before, _)) = before {
            state.timers.remove(&(before, Arc::clone(key)));
        }
        state.timers.insert((at, Arc::clone(key)));
        self.changed.notify_one();
    }

    /// Has an object reconciled when its watch has [delivered](Self::release) it, and after a while at the
    /// latest.
    pub(crate) fn hold(&self, key: &Arc<Key>, limit: Duration, cause: Cause) {
        if let Some(item) = self.lock().items.get_mut(key) {
            item.is_held = true;
        }
        self.add_after(key, limit, cause);
    }

    /// An object that is held was delivered.
    pub(crate) fn release(&self, key: &Key) {
        let held = {
            let state = self.lock();
            let item = state.items.get(key).filter(|item| item.is_held);
            item.and_then(|item| item.due.as_ref().map(|(_, cause)| cause.clone()))
        };
        if let Some(cause) = held {
            self.add(key.clone(), cause);
        }
    }

    /// Waits for the next object and hands it out. Nobody else gets it before [`Queue::done`].
    /// Dropping the future loses nothing.
    pub(crate) async fn next(&self) -> (Arc<Key>, Cause) {
        loop {
            let changed = self.changed.notified();
            let wake = {
                let mut state = self.lock();
                let now = Instant::now();
                for _ in 0..state.ripen(now) {
                    self.metrics.added();
                }
                if let Some((key, since, cause)) = state.take() {
                    self.metrics.waited(now - since);
                    return (key, cause);
                }
                state.timers.first().map(|(at, _)| *at)
            };
            match wake {
                None => changed.await,
                Some(at) => tokio::select! {
                    biased;
                    () = changed => {}
                    () = sleep_until(at) => {}
                },
            }
        }
    }

    /// Ends the reconcile of an object that was handed out.
    pub(crate) fn done(&self, key: &Arc<Key>) {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(item) = state.items.get_mut(key) else {
            return;
        };
        item.is_running = false;
        if let Some((_, cause)) = &item.waiting {
            item.place = Some(state.ready.push(key, cause));
            self.changed.notify_one();
        } else if item.due.is_none() {
            state.items.remove(key);
        }
    }

    /// Forgets when an object was to be reconciled later: it is gone.
    pub(crate) fn forget(&self, key: &Key) {
        let mut state = self.lock();
        let Some((key, item)) = state.items.get_key_value(key) else {
            return;
        };
        let (key, is_idle) = (Arc::clone(key), item.waiting.is_none() && !item.is_running);
        let due = state.items.get_mut(&key).and_then(|item| item.due.take());
        if let Some((at, _)) = due {
            state.timers.remove(&(at, Arc::clone(&key)));
        }
        if is_idle {
            state.items.remove(&key);
        }
    }

    fn depth(&self) -> usize {
        self.lock().ready.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Puts an object in line, unless it waits there. Returns whether it did not.
    fn add(&mut self, key: &Arc<Key>, cause: Cause, now: Instant) -> bool {
        let item = self.items.entry(Arc::clone(key)).or_default();
        if let Some((_, known)) = &mut item.waiting {
            let is_urgent = can_wait(known) && !can_wait(&cause);
            if let Some(place) = item.place.filter(|_| is_urgent) {
                self.ready.remove(place);
                item.place = Some(self.ready.push(key, &cause));
            }
            // The one cause that a reconcile is made in another way for.
            if is_urgent || matches!(cause, Cause::Gone { .. }) {
                *known = cause;
            }
            return false;
        }
        if item.is_running && broken(Breakage::EventLost) {
            return false;
        }
        if !item.is_running || broken(Breakage::TwiceAtOnce) {
            item.place = Some(self.ready.push(key, &cause));
        }
        item.waiting = Some((now, cause));
        item.is_held = false;
        if let Some((at, _)) = item.due.take() {
            self.timers.remove(&(at, Arc::clone(key)));
        }
        true
    }

    /// Moves what is due to what is ready. Returns how many objects that were.
    fn ripen(&mut self, now: Instant) -> usize {
        let mut count = 0;
        while let Some((at, _)) = self.timers.first()
            && *at <= now
            && let Some((_, key)) = self.timers.pop_first()
        {
            let due = self.items.get_mut(&key).and_then(|item| item.due.take());
            let cause = due.map_or(Cause::Resync, |(_, cause)| cause);
            count += usize::from(self.add(&key, cause, now));
        }
        count
    }

    /// Takes the first that is ready, since when it waited, and why.
    fn take(&mut self) -> Option<(Arc<Key>, Instant, Cause)> {
        let key = self.ready.pop()?;
        let item = self.items.get_mut(&key)?;
        item.place = None;
        item.is_running = true;
        let (since, cause) = item.waiting.take()?;
        Some((key, since, cause))
    }
}

#[cfg(test)]
mod tests;
