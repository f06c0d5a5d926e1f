//! A simulated cluster, in which an operator proves itself: see [`Simulation`].

mod around;
mod changed;
mod check;
mod config;
mod crew;
mod environment;
mod fault;
mod history;
pub(crate) mod mutate;
pub(crate) mod network;
mod plan;
pub(crate) mod process;
mod report;
mod run;
mod setup;
mod shrink;
mod subject;
mod target;
pub(crate) mod time;
mod world;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hyper::Uri;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Client, Config};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

#[doc(hidden)]
pub use crate::breakage::Breakage;
use crate::client::Connection;
use crate::{Identity, Manager, Options};
use crew::Launch;
use environment::Wanted;
pub use fault::Fault;
pub use plan::Plan;
pub use report::Report;
pub use run::Outcome;
use setup::Setup;
use world::Names;
pub use world::{Broken, Figures, World};

/// When a simulated operator looks at everything again.
const RESYNC: Duration = Duration::from_secs(300);

/// How long there are faults in a seed at the most.
const TROUBLE: Duration = Duration::from_secs(300);

/// A resync that does not come before the end.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// The namespace of the operator.
const NAMESPACE: &str = "operator";

/// A cluster that goes wrong in every way, in one thread and on a clock that nothing waits for: the operator
/// as its `main.rs` runs it, in several replicas, over a network and an API server that fail, with people
/// and controllers around it. Every seed is another history, and always the same one.
///
/// In every seed these hold, whatever the operator is for: no object is reconciled twice at once; no replica
/// writes without the lease; nothing of anybody else's is changed; after the faults each object gets to
/// where its spec asks and says so, then nobody writes any more; nothing is left of what is deleted; no
/// replica ends by itself, never waits or fails its probes.
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
    /// A simulation of an operator: the controllers that `register` adds to a manager, with the state that
    /// `state` gives each process. Its namespace is `operator`.
    ///
    /// ```no_run
    /// use rop_runtime::simulation::Simulation;
    /// use rop_runtime::{Identity, Manager};
    ///
    /// /// What each process has of its own.
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

    /// As [`new`](Self::new), with flags, and a state that may depend on the world. [`options`] are the flags
    /// of [`new`](Self::new). About half of the seeds have no resync, whatever the flags say.
    ///
    /// A service that the operator calls is played by a type of yours, which all processes
    /// [share](World::shared), and which [fails](World::fails) now and then.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use rop_runtime::simulation::{Simulation, World, options};
    /// use rop_runtime::{Identity, Manager};
    ///
    /// /// A cloud that all processes see the same.
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
        Self::launched(identity, Arc::new(launch), false)
    }

    /// A simulation of a program that is not on this library, such as an operator on kube alone, to see both
    /// in the same clusters. `program` gets a client and runs until its replica ends; its field manager is
    /// the name of `identity`. There is one replica, without an election, and only the invariants that
    /// [`always`](Self::always) and [`eventually`](Self::eventually) add are asked.
    ///
    /// ```no_run
    /// use kube::Client;
    /// use rop_runtime::Identity;
    /// use rop_runtime::simulation::Simulation;
    ///
    /// /// An operator on kube alone.
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
                let program = program(connection.unguarded);
                shutdown.run_until_cancelled(Box::pin(program)).await;
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
                is_foreign,
            },
            seeds: 0..20,
        }
    }

    /// What the folder `config` of a project says: the CRDs, the role, the webhooks, and the samples, which are
    /// the objects that the user makes.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.config(concat!(env!("CARGO_MANIFEST_DIR"), "/config")).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// A file cannot be read.
    pub fn config(mut self, folder: impl AsRef<Path>) -> Self {
        let config = config::read(folder.as_ref()).unwrap_or_else(|why| panic!("{why}"));
        self.setup.add_crds(config.crds);
        self.setup.objects.extend(config.objects);
        self.setup.given.extend(config.given);
        self.setup.role = config.role.or(self.setup.role);
        self
    }

    /// The CRDs of the cluster. Those of one name are one, with the versions of all.
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

    /// Objects that the user makes, under several names, and changes as their schema allows.
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
    /// One cannot be written as JSON.
    pub fn objects<K: Serialize>(mut self, objects: impl IntoIterator<Item = K>) -> Self {
        self.setup.objects.extend(objects.into_iter().map(json));
        self
    }

    /// As [`objects`](Self::objects), one that a file of YAML has.
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
    /// It is not YAML.
    pub fn sample(mut self, yaml: &str) -> Self {
        let object = serde_saphyr::from_str(yaml).expect("an object in YAML");
        self.setup.objects.push(object);
        self
    }

    /// Objects that are there from the beginning, such as Secrets that others refer to.
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
    /// One cannot be written as JSON.
    pub fn given<K: Serialize>(mut self, objects: impl IntoIterator<Item = K>) -> Self {
        self.setup.given.extend(objects.into_iter().map(json));
        self
    }

    /// What the operator may do: a `ClusterRole` in YAML, such as `config/rbac/role.yaml`. Without, it may do
    /// everything.
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
    /// It cannot be read.
    pub fn role(mut self, yaml: &str) -> Self {
        self.setup.role = Some(serde_saphyr::from_str(yaml).expect("a role in YAML"));
        self
    }

    /// Breaks the library, to see whether it is found.
    #[doc(hidden)]
    pub fn broken(mut self, breakage: Breakage) -> Self {
        self.setup.breakage = Some(breakage);
        self
    }

    /// Which seeds are simulated, unless the environment variable `SIMULATION_SEEDS` gives a number of them.
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

    /// How long there are faults in a seed, at the most: five minutes by default.
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

    /// An invariant: it holds in every second, or says why not.
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

    /// An invariant: it holds a while after the faults, or says why not.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// # fn test(simulation: Simulation) {
    /// let within = std::time::Duration::from_secs(120);
    /// simulation
    ///     .eventually("every namespace is greeted", within, |world| {
    ///         let greetings = world.list::<ConfigMap>().len();
    ///         match greetings == world.list::<Namespace>().len() {
    ///             true => Ok(()),
    ///             false => Err(format!("there are {greetings} greetings")),
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

    /// Somebody else in the world, who acts until its end. What they draw should come from
    /// [`World::rng`], and the time from tokio.
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

    /// Simulates all seeds and says how it went, for a test.
    ///
    /// ```
    /// # use rop_runtime::simulation::Simulation;
    /// # fn test(simulation: Simulation) {
    /// simulation.seeds(0..20).run();
    /// # }
    /// ```
    ///
    /// # Panics
    /// An invariant does not hold: with what happened, made as small as it gets, and the command that shows
    /// it again.
    pub fn run(self) {
        let report = self.report();
        assert!(report.failure.is_none(), "{report}");
        println!("{report}");
    }

    /// Simulates all seeds, or what the environment wants: the one plan in `SIMULATION_PLAN`, the number or
    /// range of seeds in `SIMULATION_SEEDS`, faults for `SIMULATION_MINUTES`. Stops at the first that fails,
    /// and makes it smaller. With `SIMULATION_REPORT=json` each seed is printed as a line of JSON.
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
    /// One of the variables cannot be read.
    pub fn report(&self) -> Report {
        let wanted = Wanted::read(&self.seeds, self.setup.trouble);
        Report::of(&self.setup, &wanted)
    }

    /// The first of these seeds in which an invariant does not hold, and which. Nothing is made smaller.
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

    /// Simulates one plan, and keeps all of its history.
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

    /// The plan of a seed.
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

/// The API server, as a process is told of it.
fn config() -> Config {
    let mut config = Config::new(Uri::from_static("http://simulated"));
    NAMESPACE.clone_into(&mut config.default_namespace);
    config
}

/// The flags of a simulated operator: it elects a leader, and has a resync of five minutes.
///
/// ```
/// use rop_runtime::Options;
/// use rop_runtime::simulation::options;
///
/// // As many at once as there are objects.
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
