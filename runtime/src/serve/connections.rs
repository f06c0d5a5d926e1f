//! The open connections of a server. One that waits for its client can be closed to make room for
//! another: a client that keeps many open does not keep others out.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::activity::{Activity, Awaited};
use crate::spawn::spawn_on;

/// Maximum number of open connections, except for those that are being closed.
pub(super) const CONNECTIONS: usize = 256;

/// Maximum number of connections, including those that are being closed.
const WITH_CLOSING: usize = 2 * CONNECTIONS;

/// How long a connection can wait for its client before it is closed for another one.
const UNTOUCHED: Duration = Duration::from_millis(300);

/// The open connections of a server.
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: Vec<Open>,
    changed: Arc<Notify>,
    /// When the last connection was accepted.
    accepted: Instant,
}

struct Open {
    peer: IpAddr,
    activity: Arc<Activity>,
    task: AbortHandle,
}

impl Open {
    fn is_closing(&self) -> bool {
        self.activity.close.is_cancelled()
    }
}

/// Whether there is room for another connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    Free,
    /// There is room from this time on, unless something changes.
    At(Instant),
    Full,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            tasks: JoinSet::new(),
            open: Vec::new(),
            changed: Arc::default(),
            accepted: Instant::now(),
        }
    }
}

impl Connections {
    /// Whether there is room for another connection, or can be made.
    pub(super) fn room(&mut self) -> Room {
        self.forget_ended();
        if self.open.len() >= WITH_CLOSING {
            return Room::Full;
        }
        if self.is_below_limit() {
            return Room::Free;
        }
        match self.closable() {
            None => Room::Full,
            Some((_, at)) if at <= Instant::now() => Room::Free,
            Some((_, at)) => Room::At(at),
        }
    }

    /// Waits until there may be more room than `room`.
    pub(super) async fn changed(&mut self, room: Room) {
        let time = async {
            match room {
                Room::At(at) => sleep_until(at).await,
                Room::Free | Room::Full => future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(_) = self.tasks.join_next() => self.forget_ended(),
            () = self.changed.notified(), if !matches!(room, Room::Free) => {}
            () = time => {}
        }
    }

    /// Begins to close a connection if there are too many.
    pub(super) fn make_room(&mut self) {
        self.accepted = Instant::now();
        self.forget_ended();
        if !self.is_below_limit()
            && let Some((index, _)) = self.closable()
        {
            self.open[index].activity.close.cancel();
        }
    }

    /// The activity of a new connection.
    pub(super) fn activity(&self) -> Arc<Activity> {
        Arc::new(Activity::new(&self.changed))
    }

    /// Runs a connection.
    pub(super) fn spawn(
        &mut self,
        peer: IpAddr,
        activity: Arc<Activity>,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        self.open.push(Open {
            peer,
            activity,
            task: spawn_on(&mut self.tasks, connection),
        });
    }

    /// Waits until all connections have ended.
    pub(super) async fn join(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    fn is_below_limit(&self) -> bool {
        let open = self.open.iter().filter(|open| !open.is_closing());
        open.count() < CONNECTIONS
    }

    /// The connection to close for another one, and from when on. It waits for its client, and belongs to the client
    /// with the most connections, so that a flood from one address closes its own. Connections between two requests are
    /// closed first, then those in the middle of a request, then those whose client does not read the response; among
    /// these, those that have waited longest.
    fn closable(&self) -> Option<(usize, Instant)> {
        let mut of_peer = BTreeMap::<_, usize>::new();
        for open in &self.open {
            *of_peer.entry(open.peer).or_default() += 1;
        }
        let candidates = self.open.iter().enumerate().filter_map(|(index, open)| {
            let waiting = (!open.is_closing()).then(|| open.activity.waiting())??;
            let others = usize::MAX - of_peer[&open.peer];
            let at = waiting.since + UNTOUCHED;
            let is_young = at > Instant::now();
            let is_untaken = waiting.what == Awaited::Taking;
            Some((others, is_untaken, is_young, waiting, index))
        });
        let (.., waiting, index) = candidates.min()?;
        // A client that keeps its connections active does not keep others out for longer.
        let at = (waiting.since + UNTOUCHED).min(self.accepted + UNTOUCHED);
        Some((index, at))
    }

    fn forget_ended(&mut self) {
        self.open.retain(|open| !open.task.is_finished());
    }
}
