//! Runs the controllers, tasks and servers, which start, stop and fail together.

mod error;
pub(crate) mod reads;
mod run;
mod tasks;
mod watches;
mod watching;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kube::Client;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::children::{Children, Names};
use crate::client::{self, Connection};
use crate::context::{Caches, Core};
use crate::controller::Attempts;
use crate::events::{Events, Message};
use crate::health::{self, Check, Checks};
use crate::kinds::Reconciled;
use crate::leader::{Elector, Leadership};
use crate::metrics::{Endpoint, Metrics};
use crate::own_writes::OwnWrites;
use crate::reported::Reported;
use crate::synced::Synced;
use crate::telemetry::{self, Telemetry};
use crate::{Context, Identity, Options, shutdown, tls};
pub use error::ManagerError;
use reads::Reads;
pub use tasks::RunsOn;
use tasks::Task;
use watches::Shared;
use watching::Watching;

/// How long running reconciles have to finish. Kubernetes kills a pod after 30 s.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(25);

/// Runs an operator: its controllers, tasks, health probes, metrics and leader election. `S` is
/// your own state, which every reconcile can use.
///
/// ```no_run
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use rop_runtime::{Action, Context, Error, Identity, Manager, Options};
///
/// async fn reconcile(object: Arc<ConfigMap>, context: Context) -> Result<Action, Error> {
///     Ok(Action::await_change())
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = Identity::new("app-operator", env!("CARGO_PKG_VERSION"));
/// let mut manager = Manager::new(identity, Options::default(), ()).await?;
/// manager.controller(reconcile).start();
/// manager.run().await?;
/// # Ok(())
/// # }
/// ```
pub struct Manager<S = ()> {
    pub(crate) identity: Identity,
    pub(crate) options: Options,
    pub(crate) state: Arc<S>,
    pub(crate) client: Client,
    pub(crate) events: Arc<Events>,
    pub(crate) metrics: Metrics,
    pub(crate) shutdown: CancellationToken,
    /// The names of the controllers, and the type of each.
    pub(crate) names: BTreeMap<String, String>,
    /// Errors in the registration of controllers and tasks.
    pub(crate) faults: Vec<String>,
    #[cfg(feature = "webhook")]
    pub(crate) webhooks: crate::webhook::Handlers,
    checks: Checks,
    leadership: Leadership,
    elector: Option<Elector>,
    unguarded: Client,
    outbox: Option<tokio::sync::mpsc::Receiver<Message>>,
    servers: Option<Servers>,
    caches: BTreeMap<String, Shared>,
    /// The caches that tasks and webhooks read, which replace those of controllers.
    reads: Reads,
    watches: Vec<Watching>,
    /// Runs next to the watches of the leader.
    beside: Vec<BoxFuture<'static, ()>>,
    controllers: Vec<(Arc<dyn Controller>, Vec<Synced>)>,
    tasks: Vec<Task<S>>,
    /// Sends the last traces when it is dropped.
    telemetry: Option<Telemetry>,
}

/// The ports, which are bound first.
struct Servers {
    probes: TcpListener,
    metrics: Option<Endpoint>,
    /// Bound when all webhooks are known.
    #[cfg(feature = "webhook")]
    webhooks: Option<crate::webhook::Endpoint>,
}

/// The parts of a manager that a test needs.
#[cfg(any(test, feature = "testing"))]
pub(crate) struct Parts<S> {
    pub(crate) context: Context<S>,
    pub(crate) controllers: Vec<Arc<dyn Controller>>,
    pub(crate) feeds: Vec<crate::informer::Feed>,
    pub(crate) outbox: tokio::sync::mpsc::Receiver<Message>,
    #[cfg(feature = "webhook")]
    pub(crate) webhooks: Arc<crate::webhook::Handlers>,
}

/// A controller of any kind.
pub(crate) trait Controller: Send + Sync {
    fn name(&self) -> &str;

    /// Opens its queue, with all cached objects.
    fn open(&self);

    /// Runs until `stop` is cancelled.
    fn run(
        self: Arc<Self>,
        watches: Vec<Synced>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()>;

    /// Reconciles one object of its cache, as the loop would.
    #[cfg(any(test, feature = "testing"))]
    fn step(&self, name: &str) -> BoxFuture<'_, Option<Result<crate::Action, crate::Error>>>;
}

/// Sets up a process. Boxed, so that it is compiled here and not with each operator.
fn start<'a>(
    identity: &'a Identity,
    options: &'a Options,
) -> BoxFuture<'a, Result<(Telemetry, Servers, Connection), ManagerError>> {
    Box::pin(async {
        tls::install_crypto_provider();
        let telemetry = telemetry::init(identity, options.log_level.clone())?;
        let shutdown = shutdown::on_signal().map_err(ManagerError::Start)?;
        let probes = health::bind(options.health_probe_bind_address);
        let servers = Servers {
            probes: probes.map_err(ManagerError::Start)?,
            metrics: Endpoint::bind(&options.metrics)?,
            #[cfg(feature = "webhook")]
            webhooks: None,
        };
        let connection = client::connect(identity, options, shutdown).await?;
        Ok((telemetry, servers, connection))
    })
}

impl<S: Send + Sync + 'static> Manager<S> {
    /// Creates a manager. Binds the ports of health probes and metrics, initializes logging, and
    /// connects to the API server of the kubeconfig or of the pod's service account. SIGTERM and
    /// SIGINT shut the manager down gracefully.
    ///
    /// ```no_run
    /// # use rop_runtime::{Identity, Manager, ManagerError, Options};
    /// # async fn run() -> Result<(), ManagerError> {
    /// struct State {
    ///     region: String,
    /// }
    ///
    /// let identity = Identity::new("app-operator", env!("CARGO_PKG_VERSION"));
    /// let state = State { region: "eu".to_owned() };
    /// let manager = Manager::new(identity, Options::default(), state).await?;
    /// # manager.run().await
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a port is in use, a flag is invalid, or the API server cannot be
    /// reached. The error names the flag.
    pub async fn new(identity: Identity, options: Options, state: S) -> Result<Self, ManagerError> {
        let (telemetry, servers, connection) = start(&identity, &options).await?;
        Ok(Self {
            servers: Some(servers),
            telemetry: Some(telemetry),
            ..Self::with(identity, options, state, connection)
        })
    }

    /// Creates a manager with your own client, for tests and for programs that are more than an
    /// operator. It has no servers, and does not configure logging or handle signals. Cancel the
    /// [token](Self::shutdown_token) to stop it. The options enable leader election. Writes are
    /// rejected unless this process is the leader; unlike with [`new`](Self::new), bytes of a write
    /// in progress are not held back.
    ///
    /// ```no_run
    /// # use rop_runtime::{Identity, Manager, Options};
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = kube::Client::try_default().await?;
    /// let identity = Identity::new("app-operator", "1.0.0");
    /// let manager = Manager::with_client(identity, Options::default(), (), client)?;
    /// let stop = manager.shutdown_token();
    /// let operator = tokio::spawn(manager.run());
    /// // …
    /// stop.cancel();
    /// operator.await??;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if a flag of leader election is invalid.
    pub fn with_client(
        identity: Identity,
        options: Options,
        state: S,
        client: Client,
    ) -> Result<Self, ManagerError> {
        let connection = Connection::with_client(&identity, &options, &client)?;
        Ok(Self::with(identity, options, state, connection))
    }

    /// A manager with a connection, without servers, logging and handling of signals.
    pub(crate) fn with(
        identity: Identity,
        options: Options,
        state: S,
        connection: Connection,
    ) -> Self {
        let (events, outbox) = Events::new();
        Self {
            identity,
            options,
            state: Arc::new(state),
            client: connection.client,
            events: Arc::new(events),
            metrics: connection.metrics,
            shutdown: connection.shutdown,
            names: BTreeMap::new(),
            faults: Vec::new(),
            #[cfg(feature = "webhook")]
            webhooks: crate::webhook::Handlers::default(),
            checks: Checks::default(),
            leadership: connection.leadership,
            elector: connection.elector,
            unguarded: connection.unguarded,
            outbox: Some(outbox),
            servers: None,
            caches: BTreeMap::new(),
            reads: Reads::default(),
            watches: Vec::new(),
            beside: Vec::new(),
            controllers: Vec::new(),
            tasks: Vec::new(),
            telemetry: None,
        }
    }

    /// Adds a named check to `/readyz`. It runs at each probe, so keep it fast. A failed check
    /// returns the reason.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// let is_connected = Arc::new(AtomicBool::new(false));
    /// manager.ready_check("database", move || {
    ///     if is_connected.load(Ordering::Relaxed) {
    ///         Ok(())
    ///     } else {
    ///         Err("not connected yet".to_owned())
    ///     }
    /// });
    /// # }
    /// ```
    pub fn ready_check(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.checks.ready.push(Check::new(name, check));
    }

    /// Adds a named check to `/livez`. If it keeps failing, Kubernetes restarts the pod, so only
    /// check what a restart can fix.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// use std::path::Path;
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.live_check("disk", || {
    ///     if Path::new("/data").is_dir() {
    ///         Ok(())
    ///     } else {
    ///         Err("`/data` is gone".to_owned())
    ///     }
    /// });
    /// # }
    /// ```
    pub fn live_check(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.checks.alive.push(Check::new(name, check));
    }

    /// Registers your own metrics, which are served together with those of the runtime.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// use rop_runtime::prometheus_client::metrics::counter::Counter;
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// let renewals = Counter::<u64>::default();
    /// manager.metrics(|registry| {
    ///     registry.register("certificate_renewals", "Number of renewed certificates", renewals.clone());
    /// });
    /// # }
    /// ```
    ///
    /// Labels are an array or a `Vec` of pairs:
    ///
    /// ```
    /// use rop_runtime::prometheus_client::metrics::counter::Counter;
    /// use rop_runtime::prometheus_client::metrics::family::Family;
    ///
    /// let requests = Family::<[(&str, String); 1], Counter>::default();
    /// requests.get_or_create(&[("zone", "eu-1".to_owned())]).inc();
    /// ```
    ///
    /// The derive needs `prometheus-client` as a dependency, in the same version as this library,
    /// because its code refers to `::prometheus_client`.
    ///
    /// ```
    /// // In Cargo.toml: prometheus-client = "0.25"
    /// use prometheus_client::encoding::EncodeLabelSet;
    /// use rop_runtime::prometheus_client::metrics::counter::Counter;
    /// use rop_runtime::prometheus_client::metrics::family::Family;
    ///
    /// #[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
    /// struct Labels {
    ///     zone: String,
    /// }
    ///
    /// let requests = Family::<Labels, Counter>::default();
    /// requests.get_or_create(&Labels { zone: "eu-1".to_owned() }).inc();
    /// ```
    pub fn metrics(&self, register: impl FnOnce(&mut prometheus_client::registry::Registry)) {
        self.metrics.register(register);
    }

    /// Returns the state that every reconcile can use, for other components of the operator.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// struct State {
    ///     is_connected: AtomicBool,
    /// }
    ///
    /// fn register(manager: &mut Manager<State>) {
    ///     let state = Arc::clone(manager.state());
    ///     manager.ready_check("database", move || {
    ///         if state.is_connected.load(Ordering::Relaxed) {
    ///             Ok(())
    ///         } else {
    ///             Err("not connected yet".to_owned())
    ///         }
    ///     });
    /// }
    /// ```
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    /// Returns a token that shuts the manager down gracefully when it is cancelled, like SIGTERM.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// # fn register(manager: &Manager<()>) {
    /// let stop = manager.shutdown_token();
    /// tokio::spawn(async move {
    ///     // …
    ///     stop.cancel();
    /// });
    /// # }
    /// ```
    pub fn shutdown_token(&self) -> CancellationToken {
        self.shutdown.clone()
    }

    pub(crate) fn add<K: Reconciled>(
        &mut self,
        attempts: Arc<Attempts<S, K>>,
        synced: Vec<Synced>,
    ) {
        self.controllers.push((attempts, synced));
    }

    /// Returns the parts that a test needs.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn into_parts(mut self) -> Parts<S> {
        assert!(self.faults.is_empty(), "{}", self.faults.join("; "));
        let (context, feeds) = (self.context(), self.feeds());
        #[cfg(feature = "webhook")]
        self.webhooks
            .view
            .open(self.client.clone(), self.reads.clone());
        let controllers = self.controllers.into_iter();
        Parts {
            context,
            controllers: controllers.map(|(controller, _)| controller).collect(),
            feeds,
            outbox: self.outbox.take().expect("a manager that has not run"),
            #[cfg(feature = "webhook")]
            webhooks: Arc::new(self.webhooks),
        }
    }

    /// A context without a controller.
    pub(crate) fn context(&self) -> Context<S> {
        let core = Core {
            client: self.client.clone(),
            children: Arc::new(Children::new(Names::new(self.identity.name(), None))),
            owned: None,
            kind: None,
            dynamic: Vec::new(),
            caches: self.all_caches().over(&self.reads.caches),
            whole: Caches::default(),
            events: Arc::clone(&self.events),
            own_writes: OwnWrites::default(),
            reported: Reported::default(),
            metadata: Reported::default(),
            blocks_owner: false,
            has_finalizer: false,
            orphaned: Arc::default(),
            stopping: self.shutdown.clone(),
        };
        Context {
            client: self.client.clone(),
            state: Arc::clone(&self.state),
            core: Arc::new(core),
            verifies: false,
        }
    }
}

impl<S, K> Controller for Attempts<S, K>
where
    S: Send + Sync + 'static,
    K: Reconciled,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self) {
        Attempts::open(self);
    }

    fn run(
        self: Arc<Self>,
        watches: Vec<Synced>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()> {
        Box::pin(crate::controller::run(self, watches, stop))
    }

    #[cfg(any(test, feature = "testing"))]
    fn step(&self, name: &str) -> BoxFuture<'_, Option<Result<crate::Action, crate::Error>>> {
        let found = self
            .cache
            .list()
            .into_iter()
            .filter(|object| crate::named::is_called(object.meta(), name));
        let object = crate::named::only(name, found);
        Box::pin(async move {
            let cause = crate::controller::Cause::Changed;
            let result = self.reconcile(object?, &cause, false).await;
            Some(result.map_err(|(_, error)| error))
        })
    }
}

#[cfg(test)]
mod tests;
