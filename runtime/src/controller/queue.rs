//! The work queue of a controller: which objects are to be reconciled, and when. As client-go's queue, it
//! holds each object once, and hands out none that is being reconciled.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::cause::Cause;
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
    /// Ready to be reconciled, first come first served.
    ready: VecDeque<Arc<Key>>,
    /// To be reconciled later.
    timers: BTreeSet<(Instant, Arc<Key>)>,
    items: HashMap<Arc<Key>, Item>,
}

/// What is known of one object. There is no item for an object that nothing is to be done for.
#[derive(Default)]
struct Item {
    /// Since when it waits, and why: in `ready`, or for the end of the reconcile that is running.
    waiting: Option<(Instant, Cause)>,
    is_running: bool,
    /// When it is due, if it is among the timers.
    due: Option<(Instant, Cause)>,
    /// Whether it waits for what its watch has not delivered yet.
    is_held: bool,
}

impl Queue {
    /// An empty queue.
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

    /// Has an object reconciled as soon as possible: after the reconcile that is running, if one is.
    pub(crate) fn add(&self, key: Key, cause: Cause) {
        let mut state = self.lock();
        let key = Arc::new(key);
        if state.add(&key, cause, Instant::now()) {
            self.metrics.added();
            self.changed.notify_one();
        }
    }

    /// Has an object reconciled after a while, unless it is to be reconciled earlier anyway.
    pub(crate) fn add_after(&self, key: &Arc<Key>, delay: Duration, cause: Cause) {
        let at = Instant::now() + delay;
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
        let Some(item) = state.items.get_mut(key) else {
            return;
        };
        item.is_running = false;
        if item.waiting.is_some() {
            state.ready.push_back(Arc::clone(key));
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
    /// Puts an object behind those that are ready, unless it waits there. Returns whether it did not.
    fn add(&mut self, key: &Arc<Key>, cause: Cause, now: Instant) -> bool {
        let item = self.items.entry(Arc::clone(key)).or_default();
        if item.waiting.is_some() {
            return false;
        }
        item.waiting = Some((now, cause));
        item.is_held = false;
        if !item.is_running {
            self.ready.push_back(Arc::clone(key));
        }
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
        let key = self.ready.pop_front()?;
        let item = self.items.get_mut(&key)?;
        item.is_running = true;
        let (since, cause) = item.waiting.take()?;
        Some((key, since, cause))
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn queue() -> Arc<Queue> {
        Queue::new(ControllerMetrics::for_tests())
    }

    fn key(name: &str) -> Key {
        Key::new(Some("shop"), name)
    }

    /// What is ready now.
    fn ready(queue: &Queue) -> Option<(String, Cause)> {
        let (key, cause) = queue.next().now_or_never()?;
        Some((key.name.clone(), cause))
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_is_there_once_in_the_order_in_which_it_came() {
        let queue = queue();
        for name in ["a", "b", "a"] {
            queue.add(key(name), Cause::Changed);
        }
        assert_eq!(queue.depth(), 2);
        assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Changed)));
        assert_eq!(ready(&queue), Some(("b".to_owned(), Cause::Changed)));
        assert_eq!(ready(&queue), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_is_handed_out_once_until_it_is_done() {
        let queue = queue();
        queue.add(key("a"), Cause::Listed);
        let (handed_out, _) = queue.next().await;
        queue.add(key("a"), Cause::Changed);
        queue.add(key("a"), Cause::Requeued);
        assert_eq!(ready(&queue), None);
        queue.done(&handed_out);
        assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Changed)));
        assert_eq!(ready(&queue), None);
    }

    #[tokio::test(start_paused = true)]
    async fn later_means_later_and_the_earlier_of_two_times_counts() {
        let queue = queue();
        let a = Arc::new(key("a"));
        queue.add_after(&a, 10 * SECOND, Cause::Resync);
        queue.add_after(&a, 2 * SECOND, Cause::Retried);
        queue.add_after(&a, 5 * SECOND, Cause::Requeued);
        assert_eq!(ready(&queue), None);
        let start = Instant::now();
        let (_, cause) = queue.next().await;
        assert_eq!((start.elapsed(), cause), (2 * SECOND, Cause::Retried));
        queue.done(&a);
        let again = tokio::time::timeout(60 * SECOND, queue.next()).await;
        assert!(again.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_happens_now_takes_the_place_of_what_was_for_later() {
        let queue = queue();
        let a = Arc::new(key("a"));
        queue.add_after(&a, SECOND, Cause::Resync);
        queue.add(key("a"), Cause::Changed);
        assert!(ready(&queue).is_some());
        queue.done(&a);
        assert!(queue.lock().items.is_empty() && queue.lock().timers.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_comes_due_during_a_reconcile_waits_for_its_end() {
        let queue = queue();
        let a = Arc::new(key("a"));
        queue.add(key("a"), Cause::Changed);
        let _ = queue.next().await;
        queue.add_after(&a, SECOND, Cause::Requeued);
        tokio::time::advance(2 * SECOND).await;
        assert_eq!(ready(&queue), None);
        queue.done(&a);
        assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Requeued)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_that_is_held_is_ready_when_it_is_delivered() {
        let queue = queue();
        let a = Arc::new(key("a"));
        queue.add(key("a"), Cause::Listed);
        let _ = queue.next().await;
        queue.hold(&a, 5 * SECOND, Cause::Changed);
        queue.done(&a);
        assert_eq!(ready(&queue), None);
        queue.release(&a);
        assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Changed)));
        // What merely waits for its time is not held.
        queue.add_after(&a, SECOND, Cause::Resync);
        queue.done(&a);
        queue.release(&a);
        assert_eq!(ready(&queue), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_that_is_gone_has_no_timer() {
        let queue = queue();
        let a = Arc::new(key("a"));
        queue.add_after(&a, SECOND, Cause::Resync);
        queue.forget(&a);
        assert!(queue.lock().items.is_empty() && queue.lock().timers.is_empty());
        // One that is running still ends.
        queue.add(key("a"), Cause::Changed);
        let (handed_out, _) = queue.next().await;
        queue.forget(&a);
        queue.add(key("a"), Cause::Changed);
        queue.done(&handed_out);
        assert!(ready(&queue).is_some());
    }

    /// Whatever happens in whatever order: never two at once for one object, and nothing is lost.
    #[tokio::test(start_paused = true)]
    async fn at_random_no_two_reconciles_of_one_object_meet() {
        fastrand::seed(7);
        let queue = queue();
        let names = ["a", "b", "c", "d"];
        let mut running: Vec<Arc<Key>> = Vec::new();
        let mut wanted = BTreeSet::new();
        for _ in 0..20_000 {
            let name = names[fastrand::usize(..names.len())];
            match fastrand::u8(..5) {
                0 => {
                    queue.add(key(name), Cause::Changed);
                    wanted.insert(name.to_owned());
                }
                1 => {
                    let delay = SECOND * fastrand::u32(..5);
                    queue.add_after(&Arc::new(key(name)), delay, Cause::Requeued);
                }
                2 => tokio::time::advance(SECOND).await,
                3 => {
                    if let Some((key, _)) = queue.next().now_or_never() {
                        assert!(!running.contains(&key), "{key} twice");
                        wanted.remove(&key.name);
                        running.push(key);
                    }
                }
                _ => {
                    if !running.is_empty() {
                        let ended = running.swap_remove(fastrand::usize(..running.len()));
                        queue.done(&ended);
                    }
                }
            }
        }
        for ended in running {
            queue.done(&ended);
        }
        while let Some((key, _)) = queue.next().now_or_never() {
            wanted.remove(&key.name);
            queue.done(&key);
        }
        assert!(wanted.is_empty(), "lost: {wanted:?}");
    }
}
