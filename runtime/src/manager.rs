//! Everything that runs: the controllers and the servers. They start, stop and fail together.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use kube::runtime::controller::Action;
use tokio::net::TcpListener;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::builder::Builder;
use super::client::Connection;
use super::health::{self, Checks};
use super::leader::{Elector, Leadership, Lost};
use super::metrics::{Endpoint, Metrics};
use super::{Context, Error, Primary, WatchNamespaces, events};

/// How long running reconciles have to finish. Kubernetes kills a pod after 30 s.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(25);

/// Why the manager ended before it was asked to, or not in time.
#[derive(Debug, thiserror::Error)]
pub enum ManagerError {
    /// A part of it came to an end.
    #[error("{0} stopped unexpectedly")]
    Stopped(String),
    /// Another leads, or may do so at any moment.
    #[error("no longer the leader")]
    Lost(#[from] Lost),
    /// A part of it panicked.
    #[error("a part of the operator panicked")]
    Panicked(#[from] JoinError),
    /// Running reconciles did not finish in time.
    #[error("reconciles were still running {SHUTDOWN_TIMEOUT:?} after the shutdown began")]
    Shutdown,
}

/// What all controllers have in common. Each can have its own in place of most.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which namespaces are watched.
    pub namespaces: WatchNamespaces,
    /// How many objects of a kind are reconciled at the same time, in all namespaces together. 0 means
    /// no limit.
    pub concurrency: u16,
    /// When an object that nothing happened to is looked at again.
    pub resync: Duration,
    /// How long a watch may fail without a success before the process counts as dead.
    pub watch_failure_limit: Duration,
}

/// Everything that runs.
pub struct Manager {
    pub(super) checks: Checks,
    pub(super) context: Arc<Context>,
    pub(super) controllers: Vec<BoxFuture<'static, String>>,
    elector: Option<Elector>,
    pub(super) leadership: Leadership,
    pub(super) metrics: Metrics,
    pub(super) settings: Settings,
    pub(super) shutdown: CancellationToken,
    tasks: JoinSet<String>,
    unguarded: Client,
}

impl Manager {
    /// A manager that runs nothing yet and ends when `shutdown` is cancelled.
    #[must_use]
    pub fn new(connection: Connection, settings: Settings, shutdown: CancellationToken) -> Self {
        let client = connection.client;
        let (context, outbox) = Context::new(client.clone());
        let mut tasks = JoinSet::new();
        let publishing = events::publish(client, outbox, shutdown.clone());
        tasks.spawn(publishing.map(|()| "the sender of events".to_owned()));
        Self {
            checks: Checks::default(),
            context: Arc::new(context),
            controllers: Vec::new(),
            elector: connection.elector,
            leadership: connection.leadership,
            metrics: connection.metrics,
            settings,
            shutdown,
            tasks,
            unguarded: connection.unguarded,
        }
    }

    /// A controller, which [`Builder::start`] starts. `reconcile` is called for each object at the
    /// start and whenever something happened to it or to its children.
    pub fn controller<K, R, F>(&mut self, reconcile: R) -> Builder<'_, K, R>
    where
        K: Primary,
        R: Fn(Arc<K>, Arc<Context>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Action, Error>> + Send + 'static,
    {
        Builder::new(self, reconcile)
    }

    /// Waits until this process leads, and runs until it is shut down. Probes and scrapes are answered
    /// all the while.
    ///
    /// # Errors
    /// Where a part ended by itself, or did not end in time, or where another leads.
    pub async fn run(
        mut self,
        probes: TcpListener,
        metrics: Option<Endpoint>,
    ) -> Result<(), ManagerError> {
        if let Some(endpoint) = metrics {
            let (metrics, client) = (self.metrics.clone(), self.unguarded.clone());
            let serving = endpoint.serve(metrics, client, self.shutdown.clone());
            self.tasks
                .spawn(serving.map(|()| "the server of the metrics".to_owned()));
        }
        let checks = std::mem::take(&mut self.checks);
        let probes = health::serve(probes, checks, self.shutdown.clone());
        self.tasks
            .spawn(probes.map(|()| "the server of the health probes".to_owned()));

        let Some(mut elector) = self.elector.take() else {
            return self.lead().await;
        };
        let shutdown = self.shutdown.clone();
        tokio::select! {
            () = shutdown.cancelled() => return self.stop().await,
            () = elector.acquire() => {}
        }
        let release = CancellationToken::new();
        let mut lease = tokio::spawn(elector.hold(release.clone()));
        tokio::select! {
            biased;
            // Nothing is waited for: it can write nothing any more.
            held = &mut lease => return Ok(held??),
            // Where reconciles did not finish in time the lease is not given back. They may have a write
            // under way, and while the lease runs no other leader is there to contradict it.
            led = self.lead() => led?,
        }
        release.cancel();
        Ok(lease.await??)
    }

    /// Runs the controllers.
    async fn lead(&mut self) -> Result<(), ManagerError> {
        for controller in self.controllers.drain(..) {
            self.tasks.spawn(controller);
        }
        tokio::select! {
            // First, for the parts end as well once it is cancelled.
            biased;
            () = self.shutdown.cancelled() => self.stop().await,
            Some(ended) = self.tasks.join_next() => {
                let ended = ended?;
                self.shutdown.cancel();
                // What it says matters less than what ended.
                let _ = self.stop().await;
                Err(ManagerError::Stopped(ended))
            }
        }
    }

    /// Waits for the end of everything that was told to.
    async fn stop(&mut self) -> Result<(), ManagerError> {
        let rest = async { while self.tasks.join_next().await.is_some() {} };
        let finished = tokio::time::timeout(SHUTDOWN_TIMEOUT, rest).await;
        info!("stopped");
        finished.map_err(|_| ManagerError::Shutdown)
    }
}
