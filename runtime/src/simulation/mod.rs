//! Simulates an operator in a cluster with faults: see [`Simulation`].

mod around;
mod backends;
mod changed;
mod check;
mod children;
mod config;
mod conventions;
mod crew;
mod difference;
mod effects;
mod environment;
mod fault;
mod first;
mod fit;
mod fresh;
mod history;
mod longest;
mod managers;
pub(crate) mod mutate;
pub(crate) mod network;
mod others;
mod parallel;
mod permissions;
mod plan;
mod points;
mod ports;
pub(crate) mod process;
mod promises;
mod ready;
mod recovery;
mod references;
mod report;
mod run;
mod selectors;
mod setup;
mod several;
mod shapes;
mod shrink;
mod stuck;
mod subject;
mod target;
pub(crate) mod time;
mod updates;
mod world;

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use hyper::Uri;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Client, Config, Resource};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

#[doc(hidden)]
pub use crate::breakage::Breakage;
use crate::client::Connection;
use crate::{Identity, Manager, Options, WatchNamespaces};
use crew::{Launch, STAYS_ALIVE};
use environment::Environment;
pub use fault::Fault;
pub use plan::Plan;
pub use report::Report;
pub use run::Outcome;
use setup::Setup;
use world::Names;
pub use world::{Broken, Figures, World};

/// The resync period of a simulated operator.
const RESYNC: Duration = Duration::from_secs(300);

/// The default maximum duration of the faults in a seed.
const TROUBLE: Duration = Duration::from_secs(300);

/// The default time limit for the samples to get ready in a cluster without faults.
const READY: Duration = Duration::from_secs(60);

/// A resync period that is longer than every simulation.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// The namespace of the operator.
const NAMESPACE: &str = "operator";

/// A deterministic simulation of an operator in a cluster with faults, in one thread and with
/// simulated time. It runs the operator like its `main.rs`, in several replicas, with a network and
/// an API server that fail, and with users and controllers that change objects. Each seed is a
/// different history, which is always the same for that seed.
///
/// First, the samples must get ready in a cluster without faults, and the operator must repair each
/// thing that another client changes there. Then every seed checks these invariants: no object is reconciled concurrently; no replica writes without the Lease; objects
/// of other owners are not changed, and no two objects claim one child; the role permits every
/// request; after the faults, every object reaches the state of its spec and reports it, and then
/// nothing is written any more; a fresh cluster with the same specs gets the same children and
/// statuses; nothing remains of deleted objects; no replica exits, deadlocks or fails its probes; no
/// reconcile panics.
///
/// ```no_run
/// # use rop_runtime::{Identity, Manager};
/// # const IDENTITY: Identity = Identity::new("app-operator", "1.0.0");
/// # #[derive(Default)]
/// # struct State;
/// # fn register(_: &mut Manager<State>) {}
/// use rop_runtime::simulation::Simulation;
///
/// Simulation::new(IDENTITY, register, State::default)
///     .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
///     .seeds(0..30)
///     .run();
/// ```
#[must_use = "a simulation does nothing before it runs"]
pub struct Simulation {
    setup: Setup,
    seeds: Range<u64>,
}

impl Simulation {
    /// Creates a simulation of an operator: `register` adds its controllers to a manager, and
    /// `state` creates the state of each process. Its namespace is `operator`.
    ///
    /// ```no_run
    /// use rop_runtime::simulation::Simulation;
    /// use rop_runtime::{Identity, Manager};
    ///
    /// /// The state of each process.
    /// #[derive(Default)]
    /// struct State;
    ///
    /// fn register(manager: &mut Manager<State>) { /* … */ }
    ///
    /// let identity = Identity::new("app-operator", "1.0.0");
    /// Simulation::new(identity, register, State::default).seeds(0..10).run();
    /// ```
    pub fn new<S, R, F>(identity: Identity, register: R, state: F) -> Self
    where
        S: Send + Sync + 'static,
        R: Fn(&mut Manager<S>) + Send + Sync + 'static,
        F: Fn() -> S + Send + Sync + 'static,
    {
        Self::in_world(identity, options(), register, move |_| state())
    }

    /// Like [`new`](Self::new), with flags, and a state that can depend on the world. [`options`]
    /// returns the flags of [`new`](Self::new). About half of the seeds have no resync, regardless
    /// of the flags.
    ///
    /// To simulate an external service, use your own type, which all processes
    /// [share](World::shared), and which sometimes [fails](World::fails).
    ///
    /// ```no_run
    /// use std::sync::{Arc, OnceLock};
    /// use rop_runtime::simulation::{Simulation, World, options};
    /// use rop_runtime::{Identity, Manager};
    ///
    /// /// An external service that all processes share.
    /// #[derive(Default)]
    /// struct Cloud { /* … */ }
    ///
    /// struct State {
    ///     cloud: Arc<Cloud>,
    /// }
    ///
    /// fn register(manager: &mut Manager<State>) { /* … */ }
    ///
    /// let state = |world: &World| State { cloud: world.shared::<Cloud>() };
    /// let identity = Identity::new("app-operator", "1.0.0");
    /// Simulation::in_world(identity, options(), register, state).seeds(0..10).run();
    /// ```
    pub fn in_world<S, R, F>(identity: Identity, options: Options, register: R, state: F) -> Self
    where
        S: Send + Sync + 'static,
        R: Fn(&mut Manager<S>) + Send + Sync + 'static,
        F: Fn(&World) -> S + Send + Sync + 'static,
    {
        let (register, state) = (Arc::new(register), Arc::new(state));
        let watches_namespaces = options.watch_namespace != WatchNamespaces::default();
        let launch = move |dial: network::Dial, shutdown| {
            let (register, state) = (Arc::clone(&register), Arc::clone(&state));
            let mut options = options.clone();
            async move {
                let config = config();
                if !dial.world.plan().has_resync() {
                    options.resync_period = NEVER;
                }
                let name = dial.process.name().to_owned();
                let connection =
                    Connection::simulated(&identity, &name, &options, &config, &dial, shutdown)?;
                let state = state(&dial.world);
                let mut manager = Manager::with(identity, options, state, connection);
                register(&mut manager);
                Box::pin(manager.run()).await
            }
            .boxed()
        };
        let mut simulation = Self::launched(identity, Arc::new(launch), false);
        simulation.setup.watches_namespaces = watches_namespaces;
        simulation
    }

    /// Creates a simulation of a program that does not use this library, such as an operator that
    /// only uses kube. `program` gets a client and runs until its replica ends; its field manager is
    /// the name of `identity`. There is one replica, without leader election.
    ///
    /// The same invariants are checked as for other operators, except for those of the Lease, of the
    /// probes, and of single reconciles. Objects of other owners may be changed
    /// ([`Figures::intrusions`] counts that), requests may be repeated if they change nothing, and a
    /// status needs no condition `Ready`.
    ///
    /// The program must use the time of tokio, and must not listen for signals or on ports. The
    /// tasks that it spawns outlive a replica that is killed, so it should join them instead.
    ///
    /// ```no_run
    /// use kube::Client;
    /// use rop_runtime::Identity;
    /// use rop_runtime::simulation::Simulation;
    ///
    /// /// An operator that only uses kube.
    /// async fn run(client: Client) { /* … */ }
    ///
    /// Simulation::of_program(Identity::new("app-operator", "1.0.0"), run).seeds(0..10).run();
    /// ```
    pub fn of_program<R, F>(identity: Identity, program: R) -> Self
    where
        R: Fn(Client) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let program = Arc::new(program);
        let launch = move |dial: network::Dial, shutdown: CancellationToken| {
            let program = Arc::clone(&program);
            async move {
                let name = dial.process.name().to_owned();
                let (config, stop) = (config(), shutdown.clone());
                let options = Options::default();
                let connection =
                    Connection::simulated(&identity, &name, &options, &config, &dial, stop)?;
                let program = Box::pin(program(connection.unguarded));
                let ended = shutdown.run_until_cancelled(program).await;
                // It may end because of a fault, and is started again.
                if ended.is_some() && dial.world.is_settled() {
                    let message = format!("{name} ended by itself, without faults");
                    dial.world.broken(STAYS_ALIVE, None, message);
                }
                Ok(())
            }
            .boxed()
        };
        Self::launched(identity, Arc::new(launch), true)
    }

    fn launched(identity: Identity, launch: Launch, is_foreign: bool) -> Self {
        let names = Names {
            operator: identity.name().to_owned(),
            namespace: NAMESPACE.to_owned(),
        };
        Self {
            setup: Setup {
                names,
                launch,
                crds: Vec::new(),
                objects: Vec::new(),
                given: Vec::new(),
                role: None,
                always: Vec::new(),
                eventually: Vec::new(),
                actors: Vec::new(),
                breakage: None,
                trouble: TROUBLE,
                ready_within: READY,
                historic: Vec::new(),
                competing: Vec::new(),
                external: Vec::new(),
                watches_namespaces: false,
                drawn: OnceLock::new(),
                is_foreign,
            },
            seeds: 0..20,
        }
    }

    /// Reads the CRDs, the role, the webhooks and the samples, which are the objects of the user,
    /// from the folder `config` of a project.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.config(concat!(env!("CARGO_MANIFEST_DIR"), "/config")).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if a file cannot be read.
    pub fn config(mut self, folder: impl AsRef<Path>) -> Self {
        let config = config::read(folder.as_ref()).unwrap_or_else(|why| panic!("{why}"));
        self.setup.add_crds(config.crds);
        self.setup.objects.extend(config.objects);
        self.setup.given.extend(config.given);
        self.setup.role = config.role.or(self.setup.role);
        self
    }

    /// Adds CRDs to the cluster. CRDs with the same name are merged, with the versions of all.
    ///
    /// ```
    /// use kube::CustomResourceExt;
    /// use rop_runtime::simulation::Simulation;
    ///
    /// fn with<K: CustomResourceExt>(simulation: Simulation) -> Simulation {
    ///     simulation.crds([K::crd()])
    /// }
    /// ```
    pub fn crds(mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        self.setup.add_crds(crds);
        self
    }

    /// Adds objects that the user creates, under several names and in two namespaces, and changes
    /// within their schema.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::core::v1::Namespace;
    /// # fn test(simulation: Simulation) {
    /// let mut shop = Namespace::default();
    /// shop.metadata.name = Some("shop".to_owned());
    /// simulation.objects([shop]).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if an object cannot be serialized.
    pub fn objects<K: Serialize>(mut self, objects: impl IntoIterator<Item = K>) -> Self {
        self.setup.objects.extend(objects.into_iter().map(json));
        self
    }

    /// Like [`objects`](Self::objects), for one object in a YAML document.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation
    ///     .sample("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: greeting\n")
    ///     .run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the text is not YAML.
    pub fn sample(mut self, yaml: &str) -> Self {
        let object = serde_saphyr::from_str(yaml).expect("an object in YAML");
        self.setup.objects.push(object);
        self
    }

    /// Adds objects that exist from the beginning, such as Secrets that others refer to. Those in the
    /// namespace of an object of the user are in the user's second namespace, too.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # fn test(simulation: Simulation) {
    /// let mut secret = Secret::default();
    /// secret.metadata.name = Some("credentials".to_owned());
    /// simulation.given([secret]).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if an object cannot be serialized.
    pub fn given<K: Serialize>(mut self, objects: impl IntoIterator<Item = K>) -> Self {
        self.setup.given.extend(objects.into_iter().map(json));
        self
    }

    /// Sets the permissions of the operator: a `ClusterRole` in YAML, such as
    /// `config/rbac/role.yaml`. By default, everything is allowed.
    ///
    /// ```no_run
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// let role = std::fs::read_to_string("config/rbac/role.yaml").unwrap();
    /// simulation.role(&role).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the role cannot be read.
    pub fn role(mut self, yaml: &str) -> Self {
        self.setup.role = Some(serde_saphyr::from_str(yaml).expect("a role in YAML"));
        self
    }

    /// Breaks the library, to test that the simulation detects it.
    #[doc(hidden)]
    pub fn broken(mut self, breakage: Breakage) -> Self {
        self.setup.breakage = Some(breakage);
        self
    }

    /// Sets the simulated seeds, unless the environment variable `SIMULATION_SEEDS` is set.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.seeds(0..1000).run();
    /// # }
    /// ```
    pub fn seeds(mut self, seeds: Range<u64>) -> Self {
        self.seeds = seeds;
        self
    }

    /// Sets the maximum duration of the faults in a seed, five minutes by default.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.trouble(std::time::Duration::from_secs(60)).run();
    /// # }
    /// ```
    pub fn trouble(mut self, longest: Duration) -> Self {
        self.setup.trouble = longest;
        self
    }

    /// Sets how long the samples may take to get ready in a cluster without faults: a minute by
    /// default. This cluster precedes the seeds, which are only simulated if all samples get ready.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// // The operator waits until a name is known to all DNS servers.
    /// simulation.ready_within(std::time::Duration::from_secs(600)).run();
    /// # }
    /// ```
    pub fn ready_within(mut self, limit: Duration) -> Self {
        self.setup.ready_within = limit;
        self
    }

    /// Declares that objects of a kind depend on their history, such as a schedule that keeps the
    /// results of past runs. Their statuses and children are not compared with those in a fresh
    /// cluster with the same specs. Children need no repair only if their own kind is declared.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::batch::v1::CronJob;
    /// # fn test(simulation: Simulation) {
    /// simulation.has_history::<CronJob>().run();
    /// # }
    /// ```
    pub fn has_history<K: Resource<DynamicType = ()>>(mut self) -> Self {
        self.setup.historic.push(K::kind(&()).into_owned());
        self
    }

    /// Declares that objects of a kind compete for something outside the cluster, such as a hostname
    /// that only one of them can have: the first gets it. So an object that is not ready may be ready
    /// in a fresh cluster with the same specs. Declare kinds that wait for such an object, too.
    /// Everything else is compared, unlike with [`has_history`](Self::has_history).
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::networking::v1::Ingress;
    /// # fn test(simulation: Simulation) {
    /// simulation.competes::<Ingress>().run();
    /// # }
    /// ```
    pub fn competes<K: Resource<DynamicType = ()>>(mut self) -> Self {
        self.setup.competing.push(K::kind(&()).into_owned());
        self
    }

    /// Declares fields that have an effect outside the cluster alone, such as a setting of an external
    /// service: [`ineffective_fields`](Self::ineffective_fields) leaves them out. Each begins with the
    /// plural of its kind; the items of a list are `[]`.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.external_fields(["queues.spec.maxLength"]).run();
    /// # }
    /// ```
    pub fn external_fields<F: Into<String>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        let fields = fields.into_iter().map(Into::into);
        self.setup.external.extend(fields);
        self
    }

    /// Adds an invariant that must hold in every second. The function returns why it does not hold.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn test(simulation: Simulation) {
    /// simulation
    ///     .always("no more than ten at once", |world| match world.list::<Pod>().len() {
    ///         0..=10 => Ok(()),
    ///         pods => Err(format!("there are {pods} pods")),
    ///     })
    ///     .run();
    /// # }
    /// ```
    pub fn always(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&World) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.setup.always.push((name.into(), Arc::new(holds)));
        self
    }

    /// Adds an invariant that must hold some time after the faults. The function returns why it
    /// does not hold.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # fn test(simulation: Simulation) {
    /// let within = std::time::Duration::from_secs(120);
    /// simulation
    ///     .eventually("every namespace is greeted", within, |world| {
    ///         let greetings = world.list::<ConfigMap>().len();
    ///         if greetings == world.list::<Namespace>().len() {
    ///             Ok(())
    ///         } else {
    ///             Err(format!("there are {greetings} greetings"))
    ///         }
    ///     })
    ///     .run();
    /// # }
    /// ```
    pub fn eventually(
        mut self,
        name: impl Into<String>,
        within: Duration,
        holds: impl Fn(&World) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.setup
            .eventually
            .push((name.into(), within, Arc::new(holds)));
        self
    }

    /// Adds an actor, which runs until the end of the simulation. It should draw random values from
    /// [`World::rng`], and use the time of tokio.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::simulation::World;
    /// # fn test(simulation: Simulation) {
    /// simulation
    ///     .actor(|world: World| async move {
    ///         let mut rng = world.rng("vandal");
    ///         let maps = kube::Api::<ConfigMap>::all(world.client());
    ///         loop {
    ///             tokio::time::sleep(std::time::Duration::from_secs(rng.u64(1..60))).await;
    ///             // …
    ///         }
    ///     })
    ///     .run();
    /// # }
    /// ```
    pub fn actor<F>(mut self, act: impl Fn(World) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.setup
            .actors
            .push(Arc::new(move |world| act(world).boxed()));
        self
    }

    /// Simulates all seeds and reports the result, for a test.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.seeds(0..20).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if an invariant does not hold, with a minimized history and the command to reproduce
    /// it.
    pub fn run(self) {
        let report = self.report();
        assert!(report.failure.is_none(), "{report}");
        println!("{report}");
    }

    /// Simulates all seeds, or those of the environment: a plan in `SIMULATION_PLAN`, a number or
    /// range of seeds in `SIMULATION_SEEDS`, or faults for `SIMULATION_MINUTES`. Stops at the first
    /// failure and minimizes it. With `SIMULATION_REPORT=json`, prints each seed as a line of JSON.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// let report = simulation.seeds(0..20).report();
    /// assert!(report.failure.is_none(), "{report}");
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if a variable is invalid.
    pub fn report(&self) -> Report {
        let environment = Environment::read(&self.seeds, self.setup.trouble);
        Report::of(&self.setup, &environment)
    }

    /// Returns the first of these seeds that violates an invariant, without minimizing it.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// if let Some((seed, broken)) = simulation.first_broken(0..500) {
    ///     panic!("seed {seed}: {broken}");
    /// }
    /// # }
    /// ```
    pub fn first_broken(&self, seeds: Range<u64>) -> Option<(u64, Broken)> {
        let trouble = self.setup.trouble;
        let outcomes = report::simulated(
            &self.setup,
            seeds.map(move |seed| Plan::draw(seed, trouble)),
            |_| (),
        );
        let mut failed = outcomes
            .into_iter()
            .filter_map(|outcome| Some((outcome.plan.seed, outcome.broken?)));
        failed.next()
    }

    /// Simulates one plan, and keeps its complete history.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// let outcome = simulation.simulate(&simulation.plan(7));
    /// println!("{}", outcome.table);
    /// # }
    /// ```
    pub fn simulate(&self, plan: &Plan) -> Outcome {
        run::run(&self.setup, plan, true)
    }

    /// Simulates the cluster without faults that precedes the seeds: the samples must get ready.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// let outcome = simulation.calm();
    /// assert!(outcome.broken.is_none(), "{outcome}");
    /// # }
    /// ```
    pub fn calm(&self) -> Outcome {
        first::run(&self.setup, points::MOST)
    }

    /// Returns the fields of the samples' specs that have no effect: a change of them changes no child
    /// and no status. An effect on a service outside the cluster is not seen: declare such fields with
    /// [`external_fields`](Self::external_fields). Kinds that [have a history](Self::has_history) are
    /// left out.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// assert_eq!(simulation.ineffective_fields(), Vec::<String>::new());
    /// # }
    /// ```
    #[must_use]
    pub fn ineffective_fields(&self) -> Vec<String> {
        effects::found(&self.setup).ineffective
    }

    /// Returns the samples whose condition `Ready` becomes true before a workload that they own is
    /// rolled out, also after a change of their spec, or a sample that their spec names is ready, in a
    /// cluster without faults: for example `sites before deployments`.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// assert_eq!(simulation.hasty_statuses(), Vec::<String>::new());
    /// # }
    /// ```
    #[must_use]
    pub fn hasty_statuses(&self) -> Vec<String> {
        effects::found(&self.setup).hasty
    }

    /// Returns the values of the samples' fields that the CRDs allow and for which the API server refuses a
    /// child, each with its message. They are tried in a cluster without faults.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// assert_eq!(simulation.refused_values(), Vec::<String>::new());
    /// # }
    /// ```
    #[must_use]
    pub fn refused_values(&self) -> Vec<String> {
        self.calm().refused
    }

    /// Returns the fields of the samples that change a `ConfigMap` or a Secret while Pods keep the environment variables
    /// that they have read of it, because the template of their workload does not change: for example
    /// `sites.spec.page of deployments`.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// assert_eq!(simulation.outdated_environments(), Vec::<String>::new());
    /// # }
    /// ```
    #[must_use]
    pub fn outdated_environments(&self) -> Vec<String> {
        self.calm().outdated
    }

    /// Returns the plan of a seed.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// let plan = simulation.plan(7);
    /// assert_eq!(plan.seed, 7);
    /// # }
    /// ```
    pub fn plan(&self, seed: u64) -> Plan {
        Plan::draw(seed, self.setup.trouble)
    }
}

/// The configuration of clients for the simulated API server.
fn config() -> Config {
    let mut config = Config::new(Uri::from_static("http://simulated"));
    NAMESPACE.clone_into(&mut config.default_namespace);
    config
}

/// Returns the flags of a simulated operator: leader election, and a resync period of five minutes.
///
/// ```
/// use rop_runtime::Options;
/// use rop_runtime::simulation::options;
///
/// // No limit of concurrent reconciles.
/// let options = Options { max_concurrent_reconciles: 0, ..options() };
/// # assert!(options.election.leader_elect);
/// ```
pub fn options() -> Options {
    let mut options = Options::default();
    options.election.leader_elect = true;
    options.resync_period = RESYNC;
    options
}

fn json(object: impl Serialize) -> Value {
    serde_json::to_value(object).expect("an object as JSON")
}
