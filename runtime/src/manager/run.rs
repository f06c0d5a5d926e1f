//! Starts, runs and stops a manager.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::tasks::{RunsOn, Work};
use super::watches;
use super::{Controller, Manager, ManagerError, SHUTDOWN_TIMEOUT, Servers};
use crate::breakage::{Breakage, broken};
use crate::controller;
use crate::events::{self, Message};
use crate::health::{self, Check, Checks};
use crate::leader::{Elector, Leadership};
use crate::metrics::Metrics;
use crate::spawn::{spawn, spawn_on};
use crate::synced::Synced;
use crate::telemetry::Telemetry;
#[cfg(feature = "webhook")]
use crate::webhook;

/// The time after which a task reports what it waits for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running manager, whatever the type of the state: compiled here, and not with each operator.
pub(super) struct Running {
    name: &'static str,
    client: Client,
    unguarded: Client,
    metrics: Metrics,
    shutdown: CancellationToken,
    checks: Checks,
    leadership: Leadership,
    elector: Option<Elector>,
    /// Whether the caches of the controllers fill before this process leads.
    is_warm: bool,
    outbox: Option<Receiver<Message>>,
    servers: Option<Servers>,
    #[cfg(feature = "webhook")]
    keeper: Option<webhook::Keeper>,
    #[cfg(feature = "webhook")]
    migration: Option<webhook::Migration>,
    /// The first lists of all caches, with their kinds.
    synced: Vec<(Arc<str>, Synced)>,
    watches: Vec<watches::Work>,
    beside: Vec<BoxFuture<'static, ()>>,
    controllers: Vec<(Arc<dyn Controller>, Vec<Synced>)>,
    tasks: Vec<Work>,
    parts: JoinSet<String>,
    _telemetry: Option<Telemetry>,
}

impl<S: Send + Sync + 'static> Manager<S> {
    /// Runs the operator until it is shut down. If leader election is enabled, the controllers
    /// start when this process becomes the leader. Health probes and metrics are served from the
    /// beginning.
    ///
    /// # Errors
    /// Returns an error if controllers are in conflict with each other, a component stopped by
    /// itself or did not shut down in time, or another replica became the leader.
    pub async fn run(mut self) -> Result<(), ManagerError> {
        if !self.faults.is_empty() {
            return Err(ManagerError::Registration(self.faults));
        }
        #[cfg(feature = "webhook")]
        let handlers = std::mem::take(&mut self.webhooks);
        #[cfg(feature = "webhook")]
        handlers.view.open(self.client.clone(), self.reads.clone());
        #[cfg(feature = "webhook")]
        if let Some(servers) = &mut self.servers {
            let options = &self.options.webhook;
            let client = self.unguarded.clone();
            let managed = webhook::Managed::of(options, &self.identity, client, &handlers);
            servers.webhooks = webhook::Endpoint::bind(options, managed, handlers)?;
        } else {
            #[cfg(any(test, feature = "testing"))]
            {
                self.checks.has_webhooks = !handlers.is_empty();
                webhook::in_memory(handlers);
            }
        }
        let tasks = std::mem::take(&mut self.tasks)
            .into_iter()
            .map(|task| task.work(self.context()))
            .collect();
        let watches = self.informers();
        let caches = self.caches.values().flat_map(|shared| {
            let kind = |synced: &Synced| (Arc::clone(&shared.kind), synced.clone());
            shared.synced.iter().map(kind)
        });
        let running = Running {
            name: self.identity.name(),
            client: self.client,
            unguarded: self.unguarded,
            metrics: self.metrics,
            shutdown: self.shutdown,
            checks: self.checks,
            leadership: self.leadership,
            elector: self.elector,
            is_warm: self.options.election.leader_elect_warm_standby,
            outbox: self.outbox,
            servers: self.servers,
            #[cfg(feature = "webhook")]
            keeper: None,
            #[cfg(feature = "webhook")]
            migration: None,
            synced: caches.collect(),
            watches,
            beside: self.beside,
            controllers: self.controllers,
            tasks,
            parts: JoinSet::new(),
            _telemetry: self.telemetry,
        };
        running.boxed().await
    }
}

impl Running {
    /// Boxed here, because a future is compiled where it is boxed.
    fn boxed(self) -> BoxFuture<'static, Result<(), ManagerError>> {
        Box::pin(self.run())
    }

    async fn run(mut self) -> Result<(), ManagerError> {
        if let Some(outbox) = self.outbox.take() {
            let client = self.client.clone();
            let stop = self.shutdown.clone();
            let publishing = events::publish(self.name, client, outbox, stop);
            self.spawn("the event publisher", publishing);
        }
        self.check_caches();
        self.serve();
        self.start_watches(RunsOn::EveryReplica);
        if self.is_warm {
            self.start_watches(RunsOn::Leader);
        }
        self.start_tasks(RunsOn::EveryReplica);

        let Some(mut elector) = self.elector.take() else {
            return self.lead().await;
        };
        let shutdown = self.shutdown.clone();
        tokio::select! {
            biased;
            () = shutdown.cancelled() => return self.stop().await,
            Some(ended) = self.parts.join_next() => return self.ended(ended).await,
            () = elector.acquire() => {}
        }
        let release = CancellationToken::new();
        let mut lease = spawn(elector.hold(release.clone()));
        tokio::select! {
            biased;
            // No need to wait: this process can no longer write.
            held = &mut lease => return Ok(held??),
            () = self.shutdown.clone().cancelled_owned(), if broken(Breakage::EarlyRelease) => {
                release.cancel();
                return self.stop().await;
            }
            // If reconciles did not finish in time, the Lease is not released. They may have writes in progress, and
            // until the Lease expires, no other leader can contradict them.
            led = self.lead() => led?,
        }
        release.cancel();
        Ok(lease.await??)
    }

    /// The leader is ready when its caches have synced. A standby replica is ready to take over.
    fn check_caches(&mut self) {
        for (controller, synced) in &self.controllers {
            let (leadership, synced) = (self.leadership.clone(), synced.clone());
            let is_filled = Synced::is_set;
            let check = Check::new(format!("caches of {}", controller.name()), move || {
                if !leadership.may_write() || synced.iter().all(is_filled) {
                    return Ok(());
                }
                Err("caches have not synced".to_owned())
            });
            self.checks.watches.push(check);
        }
    }

    fn serve(&mut self) {
        let Some(servers) = self.servers.take() else {
            #[cfg(any(test, feature = "testing"))]
            {
                let checks = std::mem::take(&mut self.checks);
                crate::simulation::process::answer_probes(move || checks.probe());
            }
            return;
        };
        let Servers {
            probes, metrics, ..
        } = servers;
        #[cfg(feature = "webhook")]
        if let Some(endpoint) = servers.webhooks {
            self.checks.has_webhooks = true;
            self.checks.ready.push(endpoint.check());
            self.keeper = endpoint.keeper(&self.client);
            self.migration = endpoint.migration(self.name, &self.client);
            let serving = endpoint.serve(self.metrics.clone(), self.shutdown.clone());
            self.spawn("the webhook server", serving);
        }
        if let Some(endpoint) = metrics {
            let (metrics, client) = (self.metrics.clone(), self.unguarded.clone());
            let serving = endpoint.serve(metrics, client, self.shutdown.clone());
            self.spawn("the metrics server", serving);
        }
        let checks = std::mem::take(&mut self.checks);
        let probes = health::serve(probes, checks, self.shutdown.clone());
        self.spawn("the health probe server", probes);
    }

    fn start_watches(&mut self, runs_on: RunsOn) {
        let (now, later): (Vec<_>, _) = std::mem::take(&mut self.watches)
            .into_iter()
            .partition(|(on, _)| *on == runs_on);
        self.watches = later;
        for (_, watch) in now {
            self.spawn_watch(watch);
        }
    }

    fn spawn_watch(&mut self, watch: BoxFuture<'static, ()>) {
        let stop = self.shutdown.clone();
        self.spawn("a watch", async move {
            stop.run_until_cancelled(watch).await;
        });
    }

    fn start_tasks(&mut self, runs_on: RunsOn) {
        let (now, later) = std::mem::take(&mut self.tasks)
            .into_iter()
            .partition(|task| task.runs_on == runs_on);
        self.tasks = later;
        let now: Vec<Work> = now;
        // The caches of the controllers sync in the leader.
        let synced = match runs_on {
            RunsOn::Leader => self.synced.clone(),
            RunsOn::EveryReplica => Vec::new(),
        };
        for Work { name, work, .. } in now {
            let (stop, what) = (self.shutdown.clone(), format!("the task {name}"));
            let listed = filled(what.clone(), synced.clone());
            spawn_on(&mut self.parts, async move {
                if stop.run_until_cancelled(listed).await.is_none() {
                    return what;
                }
                match work.await {
                    // A task that is done does not stop the manager.
                    Ok(()) => {
                        stop.cancelled().await;
                        what
                    }
                    Err(error) => format!("{what} failed: {}; it", crate::error::in_full(&error)),
                }
            });
        }
    }

    /// Runs the controllers.
    async fn lead(&mut self) -> Result<(), ManagerError> {
        for (controller, _) in &self.controllers {
            controller.open();
        }
        self.start_watches(RunsOn::Leader);
        for work in std::mem::take(&mut self.beside) {
            self.spawn_watch(work);
        }
        for (controller, synced) in std::mem::take(&mut self.controllers) {
            let what = format!("the controller of {}", controller.name());
            let running = controller.run(synced, self.shutdown.clone());
            spawn_on(&mut self.parts, running.map(|()| what));
        }
        #[cfg(feature = "webhook")]
        if let Some(keeper) = self.keeper.take() {
            let keeping = keeper.keep(self.shutdown.clone());
            self.spawn("the webhook certificate manager", keeping);
        }
        #[cfg(feature = "webhook")]
        if let Some(migration) = self.migration.take() {
            let running = migration.run(self.shutdown.clone());
            self.spawn("the storage version migration", running);
        }
        self.start_tasks(RunsOn::Leader);
        tokio::select! {
            // First, because the parts also end once it is cancelled.
            biased;
            () = self.shutdown.cancelled() => self.stop().await,
            Some(ended) = self.parts.join_next() => self.ended(ended).await,
        }
    }

    /// Stops everything, because a part has ended by itself.
    async fn ended(
        &mut self,
        ended: Result<String, tokio::task::JoinError>,
    ) -> Result<(), ManagerError> {
        let ended = ended?;
        self.shutdown.cancel();
        // Its error matters less than the part that ended.
        let _ = self.stop().await;
        Err(ManagerError::Stopped(ended))
    }

    /// Waits until all parts have ended.
    async fn stop(&mut self) -> Result<(), ManagerError> {
        let rest = async { while self.parts.join_next().await.is_some() {} };
        let finished = tokio::time::timeout(SHUTDOWN_TIMEOUT, rest).await;
        info!("stopped");
        finished.map_err(|_| ManagerError::Shutdown)
    }

    /// Starts a part that runs next to the others.
    fn spawn(&mut self, what: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        spawn_on(&mut self.parts, work.map(|()| what.to_owned()));
    }
}

/// Waits for the first list of each cache, and reports the missing ones if that takes long.
async fn filled(what: String, caches: Vec<(Arc<str>, Synced)>) {
    let all = caches.iter().map(|(_, synced)| synced.clone()).collect();
    let mut listed = pin!(controller::listed(all));
    if timeout(PATIENCE, &mut listed).await.is_err() {
        let missing: BTreeSet<&str> = caches
            .iter()
            .filter(|(_, synced)| !synced.is_set())
            .map(|(kind, _)| &**kind)
            .collect();
        let missing: Vec<_> = missing.into_iter().collect();
        warn!(
            "{what} is waiting for the first list of {}",
            missing.join(", ")
        );
        listed.await;
    }
}
