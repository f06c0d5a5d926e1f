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

/// The objects to reconcile.
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Notified when an object may be ready now, or earlier than before.
    changed: Notify,
    metrics: ControllerMetrics,
}

#[derive(Default)]
struct State {
    /// Whether objects are accepted.
    is_open: bool,
    /// Ready to be reconciled.
    ready: Line,
    /// To be reconciled later.
    timers: BTreeSet<(Instant, Arc<Key>)>,
    items: HashMap<Arc<Key>, Item>,
}

/// The state of one object. An object without work has no item.
#[derive(Default)]
struct Item {
    /// Since when and why it waits: in `ready`, or for the running reconcile to end.
    waiting: Option<(Instant, Cause)>,
    /// Its place in `ready`.
    place: Option<Place>,
    is_running: bool,
    /// When and why it is due, if it has a timer.
    due: Option<(Instant, Cause)>,
    /// Whether it waits for an event of its watch.
    is_held: bool,
}

impl Queue {
    /// Creates an empty queue, which accepts nothing before it is [open](Self::open).
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

    /// Accepts objects from now on. A replica that is not the leader may have caches, and would keep every object that
    /// ever changed.
    pub(crate) fn open(&self) {
        self.lock().is_open = true;
    }

    /// Queues an object to be reconciled as soon as possible: after its running reconcile, if there is one.
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

    /// Queues an object to be reconciled after a delay, unless it is due earlier anyway.
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

    /// Queues an object to be reconciled when its watch has [delivered](Self::release) it, and after `limit` at the
    /// latest.
    pub(crate) fn hold(&self, key: &Arc<Key>, limit: Duration, cause: Cause) {
        if let Some(item) = self.lock().items.get_mut(key) {
            item.is_held = true;
        }
        self.add_after(key, limit, cause);
    }

    /// Reports that the watch has delivered an object, which may be held.
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

    /// Waits for the next object. It is not returned again before [`Queue::done`]. Dropping the future loses nothing.
    pub(crate) async fn next(&self) -> (Arc<Key>, Cause) {
        loop {
            let changed = self.changed.notified();
            let wake = {
                let mut state = self.lock();
                let now = Instant::now();
                for _ in 0..state.promote_due(now) {
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

    /// Marks the reconcile of an object as done.
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

    /// Removes the timer of a deleted object.
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
    /// Adds an object to the line. Returns false if it was already waiting there.
    fn add(&mut self, key: &Arc<Key>, cause: Cause, now: Instant) -> bool {
        let item = self.items.entry(Arc::clone(key)).or_default();
        if let Some((_, known)) = &mut item.waiting {
            let is_urgent = can_wait(known) && !can_wait(&cause);
            if let Some(place) = item.place.filter(|_| is_urgent) {
                self.ready.remove(place);
                item.place = Some(self.ready.push(key, &cause));
            }
            // The only cause that changes how the object is reconciled.
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

    /// Moves objects that are due to `ready`. Returns their number.
    fn promote_due(&mut self, now: Instant) -> usize {
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

    /// Takes the first ready object, with since when and why it waited.
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
