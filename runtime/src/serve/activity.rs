//! The activity of a connection, which determines whether it can be closed for another one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// How far a handshake or a request has got.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stage {
    /// The client is sending the request since then.
    Arriving(Instant),
    /// The request is complete, and its response is being computed.
    Answering,
    /// The response is being sent since then.
    Sending(Instant),
}

/// The activity of a connection, which determines whether it can be closed for another one.
pub(super) struct Activity {
    state: Mutex<State>,
    /// Notified when the connection is no longer in use.
    changed: Notify,
    /// Shared by all connections of a server.
    any_changed: Arc<Notify>,
    /// Cancelled to make room for another connection.
    pub(super) close: CancellationToken,
}

struct State {
    stages: Vec<(u64, Stage)>,
    next: u64,
    /// The end of the last request. At first, the time when the connection was accepted.
    idle_since: Instant,
}

/// A connection that waits for its client.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Waiting {
    pub(super) what: Awaited,
    pub(super) since: Instant,
}

/// What it waits for, in the order in which connections are closed.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Awaited {
    /// The next request.
    Request,
    /// The remainder of a handshake or request.
    Rest,
    /// The client to read a response.
    Taking,
}

impl Activity {
    pub(super) fn new(any_changed: &Arc<Notify>) -> Self {
        let state = State {
            stages: Vec::new(),
            next: 0,
            idle_since: Instant::now(),
        };
        Self {
            state: Mutex::new(state),
            changed: Notify::new(),
            any_changed: Arc::clone(any_changed),
            close: CancellationToken::new(),
        }
    }

    /// Begins a handshake or a request.
    pub(super) fn begin(self: &Arc<Self>) -> Exchange {
        let id = self.change(|state| {
            let id = state.next;
            state.next += 1;
            state.stages.push((id, Stage::Arriving(Instant::now())));
            id
        });
        let activity = Arc::clone(self);
        Exchange { activity, id }
    }

    /// Since when it waits for its client. `None` while a response is computed.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let state = self.state();
        let mut waiting = Waiting {
            what: Awaited::Request,
            since: state.idle_since,
        };
        for (_, stage) in &state.stages {
            let (what, since) = match *stage {
                Stage::Arriving(since) => (Awaited::Rest, since),
                Stage::Answering => return None,
                Stage::Sending(since) => (Awaited::Taking, since),
            };
            // A connection that keeps starting requests waits since the first of them.
            waiting.since = match waiting.what {
                Awaited::Request => since,
                Awaited::Rest | Awaited::Taking => waiting.since.min(since),
            };
            waiting.what = waiting.what.max(what);
        }
        Some(waiting)
    }

    /// Whether it only waits for its client to read a response.
    pub(super) fn is_untaken(&self) -> bool {
        let waiting = self.waiting();
        waiting.is_some_and(|waiting| waiting.what == Awaited::Taking)
    }

    /// Waits until no request has been handled for some time.
    pub(super) async fn unused_for(&self, time: Duration) {
        loop {
            let changed = self.changed.notified();
            let waiting = self.waiting().filter(|it| it.what != Awaited::Taking);
            let Some(waiting) = waiting else {
                changed.await;
                continue;
            };
            let until = waiting.since + time;
            if until <= Instant::now() {
                return;
            }
            tokio::select! {
                biased;
                () = changed => {}
                () = sleep_until(until) => {}
            }
        }
    }

    /// Waits until a response has taken too long to be sent.
    pub(super) async fn stuck_for(&self, time: Duration) {
        loop {
            let changed = self.changed.notified();
            let sending = |(_, stage): &(u64, Stage)| match stage {
                Stage::Sending(since) => Some(*since),
                _ => None,
            };
            let first = self.state().stages.iter().filter_map(sending).min();
            let Some(first) = first else {
                changed.await;
                continue;
            };
            if first + time <= Instant::now() {
                return;
            }
            sleep_until(first + time).await;
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let changed = change(&mut state);
        drop(state);
        self.changed.notify_waiters();
        self.any_changed.notify_one();
        changed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handshake, or a request and its response. It ends when it is dropped.
pub(super) struct Exchange {
    activity: Arc<Activity>,
    id: u64,
}

impl Exchange {
    /// The request is complete.
    pub(super) fn arrived(&self) {
        self.reach(Stage::Answering);
    }

    /// The response is ready.
    pub(super) fn sending(&self) {
        self.reach(Stage::Sending(Instant::now()));
    }

    /// Cancelled to close the connection and make room for another one.
    pub(super) fn close(&self) -> CancellationToken {
        self.activity.close.clone()
    }

    fn reach(&self, reached: Stage) {
        let id = self.id;
        self.activity.change(|state| {
            let mut stages = state.stages.iter_mut();
            if let Some((_, stage)) = stages.find(|(known, _)| *known == id) {
                *stage = reached;
            }
        });
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let id = self.id;
        self.activity.change(|state| {
            state.stages.retain(|(known, _)| *known != id);
            state.idle_since = Instant::now();
        });
    }
}
