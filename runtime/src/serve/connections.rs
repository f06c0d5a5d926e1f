//! The open connections of a server. One that waits for its client can be closed to make room for
//! another: a client that keeps many open does not keep others out.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use crate::spawn::spawn_on;

/// Maximum number of open connections.
pub(super) const CONNECTIONS: usize = 64;

/// Whether a connection has a request that is being answered, and if not, since when.
pub(super) struct Activity {
    /// None while a request is being answered.
    idle_since: Mutex<Option<Instant>>,
    became_idle: Arc<Notify>,
}

impl Activity {
    /// Counts the connection as busy until the guard is dropped.
    pub(super) fn begin(activity: &Arc<Self>) -> Busy {
        *activity.idle_since() = None;
        Busy(Arc::clone(activity))
    }

    fn idle_since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.idle_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that is being answered.
pub(super) struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.idle_since() = Some(Instant::now());
        self.0.became_idle.notify_one();
    }
}

/// The open connections of a server.
#[derive(Default)]
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: Vec<Open>,
    became_idle: Arc<Notify>,
}

struct Open {
    peer: IpAddr,
    activity: Arc<Activity>,
    task: AbortHandle,
}

impl Connections {
    /// Whether there is room for another connection, or can be made.
    pub(super) fn has_room(&self) -> bool {
        let is_idle = |open: &Open| open.activity.idle_since().is_some();
        self.open.len() < CONNECTIONS || self.open.iter().any(is_idle)
    }

    /// The activity of a new connection, which counts as idle until its first request.
    pub(super) fn activity(&self) -> Arc<Activity> {
        Arc::new(Activity {
            idle_since: Mutex::new(Some(Instant::now())),
            became_idle: Arc::clone(&self.became_idle),
        })
    }

    /// If there are too many connections, closes an idle one: of the client that has most of them, so
    /// that a flood from one address closes its own, the one that has been idle for longest.
    /// Returns whether it did.
    pub(super) fn make_room(&mut self) -> bool {
        self.forget_ended();
        if self.open.len() < CONNECTIONS {
            return false;
        }
        let mut of_peer = BTreeMap::<_, usize>::new();
        for open in &self.open {
            *of_peer.entry(open.peer).or_default() += 1;
        }
        let idle = self.open.iter().enumerate().filter_map(|(index, open)| {
            let since = (*open.activity.idle_since())?;
            Some((usize::MAX - of_peer[&open.peer], since, index))
        });
        let Some((_, _, index)) = idle.min() else {
            return false;
        };
        self.open.remove(index).task.abort();
        true
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

    /// Waits until a connection has ended, or has become idle while there was no room.
    pub(super) async fn changed(&mut self) {
        let has_room = self.has_room();
        tokio::select! {
            biased;
            Some(_) = self.tasks.join_next() => self.forget_ended(),
            () = self.became_idle.notified(), if !has_room => {}
            else => future::pending().await,
        }
    }

    /// Waits for the end of all connections.
    pub(super) async fn join(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    fn forget_ended(&mut self) {
        self.open.retain(|open| !open.task.is_finished());
    }
}
