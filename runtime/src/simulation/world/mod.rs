//! The world of a simulation: the API server, its clients, and the history.

mod act;
mod admission;
mod convert;
mod drawn;
mod point;
mod stranger;
mod view;
mod weather;

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::history::{Entry, History};
use super::managers::controller;
use super::network::fate::Fates;
use super::plan::Plan;
use super::process::{Process, Webhooks};
use super::subject::Owners;
use super::target::Target;
use crate::testing::api_server::{ApiServer, User};
use drawn::Draws;
pub(super) use drawn::{Drawn, decoded, is_part};
use point::Points;
pub(super) use point::{Moment, Point, not_found};
pub(super) use view::ask;
use weather::Weather;

/// This long after the faults, a silent watch has restarted, and every operator knows all objects.
const SETTLED: Duration = Duration::from_secs(10 * 60);

/// The world of a simulation. Clones share everything.
///
/// ```
/// # use rop_runtime::simulation::Simulation;
/// # use k8s_openapi::api::core::v1::Namespace;
/// # fn test(simulation: Simulation) {
/// simulation
///     .always("somebody is there", |world| {
///         if world.list::<Namespace>().is_empty() {
///             Err("all namespaces are gone".to_owned())
///         } else {
///             Ok(())
///         }
///     })
///     .run();
/// # }
/// ```
#[derive(Clone)]
pub struct World(Arc<Inner>);

struct Inner {
    server: ApiServer,
    plan: Plan,
    names: Names,
    /// The objects of the user, which are not children.
    owners: Owners,
    /// The user of the operator in the API server.
    user: User,
    /// The user of all others.
    admin: User,
    /// Whether the program does not use this library.
    is_foreign: bool,
    /// The random strings in its children, once they are known.
    drawn: Drawn,
    begun: Instant,
    state: Mutex<State>,
}

/// The names of an operator.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// Its field manager, and the value of the label managed-by.
    pub(super) operator: String,
    pub(super) namespace: String,
}

struct State {
    history: History,
    /// The random fates of the network.
    fates: Fates,
    weather: Weather,
    /// The holder of the Lease, its last renewal by the clock of the API server, and its duration.
    lease: Option<(String, Instant, Duration)>,
    /// The objects that replicas have created and applied, with their state after the last apply.
    children: BTreeMap<Target, Value>,
    /// The objects of others that replicas have applied.
    touched: BTreeSet<Target>,
    /// The objects that replicas have created, by uid.
    created: BTreeMap<String, Target>,
    /// Objects of other owners, by uid.
    strangers: BTreeMap<String, Target>,
    /// The uids of children whose owner reference another client removed.
    orphans: BTreeSet<String>,
    /// The children whose label another client removed.
    unlabelled: BTreeSet<String>,
    /// The uids of the controllers of Jobs that have failed, or that were deleted when they were over.
    marked: BTreeSet<String>,
    /// The time, process and target of the last write of a replica, except for Leases and events.
    last_write: Option<(Instant, String, Target)>,
    /// The target of the last write that changed something.
    last_change: Option<Target>,
    /// The last request of a replica that the API server refused, and why.
    last_refusal: Option<String>,
    /// The resources that replicas have listed or watched, in any version.
    watched: BTreeSet<String>,
    /// The resources that replicas watch: each gets an event of every change.
    streams: BTreeSet<String>,
    /// Those that the API server does not serve.
    unserved: BTreeSet<String>,
    /// The resources of the user's objects, each with a reason that one had before it got ready.
    progress: BTreeSet<(String, String)>,
    /// The workload whose rollout fails, in a cluster without faults.
    failing: Option<Target>,
    broken: Option<Broken>,
    /// Details of the violated invariant.
    story: Vec<String>,
    figures: Figures,
    /// The values that users of the library share in this world.
    shared: BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>,
    connections: Vec<(String, AbortHandle)>,
    /// The replicas that were started and not killed yet.
    processes: Vec<Process>,
    /// The webhooks of a replica that converted an object for a check.
    converts: Option<Webhooks>,
    points: Points,
    /// The last object that a webhook has allowed, by its path.
    admitted: BTreeMap<String, Value>,
    /// The CRDs with rules for what cannot be changed.
    fixed: BTreeSet<String>,
    /// How often an event of each object was written.
    events: BTreeMap<String, u64>,
    /// The random values that replicas wrote to Secrets, by uid.
    draws: BTreeMap<String, Draws>,
    /// The time of the last write of another client.
    last_given: Option<Instant>,
    /// What objects did not wait for when they got ready, such as `sites before deployments`.
    hasty: BTreeSet<String>,
    /// Why the API server refused a child for a value of a field, by names such as `sites.spec.port`.
    refused: BTreeMap<String, String>,
    /// The fields that change what Pods have read, with the workloads that do not roll them out.
    outdated: BTreeSet<String>,
}

/// The figures of a simulation.
///
/// ```
/// # use rop_runtime::simulation::Simulation;
/// # fn test(simulation: Simulation) {
/// let figures = simulation.simulate(&simulation.plan(7)).figures;
/// assert!(figures.writes <= figures.requests);
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Requests of replicas that reached the API server.
    pub requests: u64,
    /// Write requests of replicas, except for Leases and events.
    pub writes: u64,
    /// Writes that changed an object.
    pub changes: u64,
    /// Writes that changed an object of another owner.
    pub intrusions: u64,
    /// Reconciles that have begun, in all replicas.
    pub reconciles: u64,
    /// Faults that have occurred.
    pub faults: u64,
    /// Changes of other clients in the cluster without faults, each of which the operator repaired.
    pub repairs: u64,
    /// The points of a crash and of a failed read in the cluster without faults, of which the operator recovered from
    /// each.
    pub points: u64,
    /// The points that there are: if these are many, only some are simulated.
    pub points_found: u64,
    /// Shapes of fields in the cluster without faults, each of which the operator answered.
    pub shapes: u64,
    /// The shapes that the schemas have: if these are many, only some are tried. The API server may refuse others.
    pub shapes_found: u64,
    /// The simulated time.
    pub time: Duration,
}

impl Figures {
    /// Adds the figures of another simulation.
    pub(super) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.writes += other.writes;
        self.changes += other.changes;
        self.intrusions += other.intrusions;
        self.reconciles += other.reconciles;
        self.faults += other.faults;
        self.repairs += other.repairs;
        self.points += other.points;
        self.points_found += other.points_found;
        self.shapes += other.shapes;
        self.shapes_found += other.shapes_found;
        self.time += other.time;
    }
}

/// A violated invariant.
///
/// ```
/// # use rop_runtime::simulation::Simulation;
/// # fn test(simulation: Simulation) {
/// if let Some(broken) = simulation.simulate(&simulation.plan(7)).broken {
///     println!("{}: {}", broken.invariant, broken.message);
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Broken {
    /// The name of the invariant: a built-in one, or that of [`Simulation::always`](super::Simulation::always) or
    /// [`Simulation::eventually`](super::Simulation::eventually).
    pub invariant: String,
    /// What was observed instead.
    pub message: String,
    /// The name of the affected object.
    pub(super) about: Option<String>,
    /// What differs from what is expected.
    pub(super) story: Vec<String>,
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.invariant, self.message)
    }
}

impl World {
    /// Creates a world. `owners` are the objects of the user.
    pub(super) fn new(
        server: ApiServer,
        plan: Plan,
        names: Names,
        user: User,
        owners: Owners,
        is_foreign: bool,
        drawn: Drawn,
    ) -> Self {
        let state = State {
            history: History::default(),
            fates: Fates {
                plan: plan.clone(),
                rng: plan.rng("network"),
                calm_since: None,
            },
            weather: Weather::default(),
            lease: None,
            children: BTreeMap::new(),
            touched: BTreeSet::new(),
            created: BTreeMap::new(),
            strangers: BTreeMap::new(),
            orphans: BTreeSet::new(),
            unlabelled: BTreeSet::new(),
            marked: BTreeSet::new(),
            progress: BTreeSet::new(),
            failing: None,
            last_write: None,
            last_change: None,
            last_refusal: None,
            watched: BTreeSet::new(),
            streams: BTreeSet::new(),
            unserved: BTreeSet::new(),
            broken: None,
            story: Vec::new(),
            figures: Figures::default(),
            shared: BTreeMap::new(),
            connections: Vec::new(),
            processes: Vec::new(),
            converts: None,
            points: Points::default(),
            admitted: BTreeMap::new(),
            fixed: BTreeSet::new(),
            events: BTreeMap::new(),
            draws: BTreeMap::new(),
            last_given: None,
            hasty: BTreeSet::new(),
            refused: BTreeMap::new(),
            outdated: BTreeSet::new(),
        };
        Self(Arc::new(Inner {
            server,
            plan,
            names,
            owners,
            user,
            admin: User::admin(),
            is_foreign,
            drawn,
            begun: Instant::now(),
            state: Mutex::new(state),
        }))
    }

    pub(super) fn server(&self) -> &ApiServer {
        &self.0.server
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.0.plan
    }

    pub(super) fn names(&self) -> &Names {
        &self.0.names
    }

    pub(super) fn owners(&self) -> &Owners {
        &self.0.owners
    }

    /// Returns the elapsed simulated time.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # fn act(world: &World) {
    /// let is_begun = world.elapsed().as_secs() > 60;
    /// # }
    /// ```
    pub fn elapsed(&self) -> Duration {
        self.0.begun.elapsed()
    }

    /// Returns whether the faults have ended.
    ///
    /// ```
    /// # use rop_runtime::simulation::World;
    /// # fn act(world: &World) {
    /// if world.is_calm() {
    ///     // There are no faults any more.
    /// }
    /// # }
    /// ```
    pub fn is_calm(&self) -> bool {
        self.state().fates.is_calm()
    }

    /// Whether there are faults now.
    pub(super) fn has_faults(&self) -> bool {
        self.plan().has_faults() && !self.is_calm()
    }

    /// Whether there are no faults, or the last was long ago.
    pub(super) fn is_settled(&self) -> bool {
        let since = self.state().fates.calm_since;
        !self.plan().has_faults() || since.is_some_and(|since| since.elapsed() > SETTLED)
    }

    /// Ends all faults.
    pub(super) fn calm(&self) {
        let mut state = self.state();
        state.fates.calm_since = Some(Instant::now());
        state.weather = Weather::default();
        drop(state);
        self.note("world", "calm", None, "faults have ended");
    }

    /// Records an action.
    pub(super) fn note(&self, who: &str, did: &str, target: Option<Target>, outcome: &str) {
        self.enter(who, did, target, outcome, &[]);
    }

    /// Records a fault.
    pub(super) fn fault(&self, fault: super::fault::Fault, outcome: &str) {
        self.state().figures.faults += 1;
        self.note("fault", &fault.to_string(), None, outcome);
    }

    fn enter(&self, who: &str, did: &str, target: Option<Target>, outcome: &str, content: &[u8]) {
        let target = target.map(|target| match &*target.plural {
            // kube derives the names of events from the real time.
            "events" => Target {
                name: String::new(),
                ..target
            },
            _ => target,
        });
        let entry = Entry {
            at: self.elapsed(),
            who: who.into(),
            did: did.to_owned(),
            target,
            outcome: outcome.to_owned(),
            content: 0,
        };
        self.state().history.add(entry, content);
    }

    /// Records the violation of an invariant. Only the first is kept.
    pub(super) fn broken(&self, invariant: &str, about: Option<&str>, message: impl Into<String>) {
        let broken = Broken {
            invariant: invariant.to_owned(),
            message: message.into(),
            about: about.map(str::to_owned),
            story: std::mem::take(&mut self.state().story),
        };
        let is_first = self.state().broken.is_none();
        if is_first {
            self.note("check", "broken", None, &broken.to_string());
            self.state().broken = Some(broken);
        }
    }

    /// Adds details to the next violation.
    pub(super) fn tell(&self, story: &[String]) {
        self.state().story = story.to_vec();
    }

    /// The first violated invariant.
    pub(super) fn first_broken(&self) -> Option<Broken> {
        self.state().broken.clone()
    }

    /// Like [`first_broken`](Self::first_broken), with the watches that may be the cause: resources that are not served
    /// are not reconciled.
    pub(super) fn failure(&self) -> Option<Broken> {
        let mut broken = self.first_broken()?;
        let unserved = &self.state().unserved;
        if !unserved.is_empty() {
            let names: Vec<&str> = unserved.iter().map(String::as_str).collect();
            broken.message = format!(
                "{} (and the simulated API server does not serve what the operator watches: {}: give the CRD with \
                 `.crds([…])`)",
                broken.message,
                names.join(", ")
            );
        }
        Some(broken)
    }

    /// The objects that replicas have created and applied, with their state after the last apply.
    pub(super) fn children(&self) -> BTreeMap<Target, Value> {
        self.state().children.clone()
    }

    /// The objects of others that replicas have applied.
    pub(super) fn touched(&self) -> BTreeSet<Target> {
        self.state().touched.clone()
    }

    /// The objects that replicas have created, even if they were deleted.
    pub(super) fn created(&self) -> BTreeSet<Target> {
        self.state().created.values().cloned().collect()
    }

    /// Whether a replica has created an object.
    pub(super) fn has_created(&self, object: &Value) -> bool {
        let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
        self.state().created.contains_key(uid)
    }

    /// The object that a replica has created with this uid.
    pub(super) fn created_as(&self, uid: &str) -> Option<Target> {
        self.state().created.get(uid).cloned()
    }

    pub(super) fn is_foreign(&self) -> bool {
        self.0.is_foreign
    }

    /// Uses the values that users of the library share in another world.
    pub(super) fn share_with(&self, other: &Self) {
        self.state().shared = other.state().shared.clone();
    }

    /// The time since the last write of a replica, except for Leases and events.
    pub(super) fn quiet_for(&self) -> Duration {
        let state = self.state();
        let last = state
            .last_write
            .as_ref()
            .map_or(self.0.begun, |(at, ..)| *at);
        last.elapsed()
    }

    /// The process and target of the last write of a replica, except for Leases and events.
    pub(super) fn last_write(&self) -> Option<(String, Target)> {
        let last = self.state().last_write.clone();
        last.map(|(_, who, target)| (who, target))
    }

    /// Whether the operator works with objects of this resource.
    pub(super) fn is_watched(&self, target: &Target) -> bool {
        self.state().watched.contains(&target.group_resource())
    }

    /// The last object that a replica changed, except for Leases and events.
    pub(super) fn last_change(&self) -> Option<Target> {
        self.state().last_change.clone()
    }

    /// The last request of a replica that the API server refused, and why.
    pub(super) fn last_refusal(&self) -> Option<String> {
        self.state().last_refusal.clone()
    }

    pub(super) fn forget_refusal(&self) {
        self.state().last_refusal = None;
    }

    /// The resources that the operator works with.
    pub(super) fn resources(&self) -> Vec<String> {
        let children = self.children();
        let all: BTreeSet<_> = children
            .into_keys()
            .map(|target| target.resource())
            .chain(self.0.owners.resources())
            .collect();
        all.into_iter().collect()
    }

    /// Records that another client removed the owner reference of a child: the operator can no longer find it.
    pub(super) fn orphaned(&self, uid: &str) {
        self.state().orphans.insert(uid.to_owned());
    }

    /// Records that another client removed the label of a child.
    pub(super) fn unlabelled(&self, uid: &str) {
        self.state().unlabelled.insert(uid.to_owned());
    }

    /// Whether another client removed the owner reference of a child.
    pub(super) fn was_orphaned(&self, uid: &str) -> bool {
        self.state().orphans.contains(uid)
    }

    /// Records that the status of the owner of a Job depends on more than the specs: the Job has failed, or is over and
    /// deleted, and a Job does not run twice.
    pub(super) fn marks_owner(&self, job: &Value) {
        let uid = controller(job).and_then(|owner| owner["uid"].as_str());
        self.state().marked.extend(uid.map(str::to_owned));
    }

    /// Records why an object was not ready before it got ready.
    pub(super) fn note_progress(&self, plural: &str, reason: &str) {
        let progress = (plural.to_owned(), reason.to_owned());
        self.state().progress.insert(progress);
    }

    /// Whether objects of a resource have got ready after this reason.
    pub(super) fn is_progress(&self, plural: &str, reason: &str) -> bool {
        let state = self.state();
        let mut progress = state.progress.iter();
        progress.any(|(of, known)| of == plural && known == reason)
    }

    /// Lets the rollout of a workload fail until this is called again.
    pub(super) fn fails_rollout(&self, of: Option<Target>) {
        self.state().failing = of;
    }

    /// Whether the rollout of a workload fails until further notice.
    pub(super) fn is_failing(&self, workload: &Target) -> bool {
        self.state().failing.as_ref() == Some(workload)
    }

    /// The uids of the owners whose status depends on more than the specs.
    pub(super) fn marked(&self) -> BTreeSet<String> {
        self.state().marked.clone()
    }

    /// How often an event of each object was written.
    pub(super) fn events(&self) -> BTreeMap<String, u64> {
        self.state().events.clone()
    }

    /// Records what an object did not wait for when it got ready.
    pub(super) fn note_hasty(&self, what: String) {
        self.state().hasty.insert(what);
    }

    /// What objects did not wait for when they got ready.
    pub(super) fn hasty(&self) -> BTreeSet<String> {
        self.state().hasty.clone()
    }

    /// Records a value of a field for which the API server refused a child, and why.
    pub(super) fn note_refused(&self, field: String, why: String) {
        self.state().refused.entry(field).or_insert(why);
    }

    /// Such values.
    pub(super) fn refused_values(&self) -> Vec<String> {
        let refused = &self.state().refused;
        let told = |(field, why): (&String, &String)| format!("{field} {why}");
        refused.iter().map(told).collect()
    }

    /// Records a field that changes what Pods have read, with the workload that does not roll them out.
    pub(super) fn note_outdated(&self, what: String) {
        self.state().outdated.insert(what);
    }

    /// Such fields.
    pub(super) fn outdated(&self) -> BTreeSet<String> {
        self.state().outdated.clone()
    }

    pub(super) fn digest(&self) -> String {
        self.state().history.digest()
    }

    /// Takes all events of the history.
    pub(super) fn take_events(&self) -> Vec<Entry> {
        self.state().history.take()
    }

    /// The history of all objects, as a table.
    pub(super) fn table(&self) -> String {
        self.state().history.table(|_| true, usize::MAX)
    }

    /// The end of the history of some objects. Without names, of all objects except Leases, which are written
    /// constantly.
    pub(super) fn table_of(&self, names: &BTreeSet<String>, most: usize) -> String {
        let concerns = |target: &Target| {
            if names.is_empty() {
                target.plural != "leases"
            } else {
                names.iter().any(|name| target.name.starts_with(name))
            }
        };
        self.state().history.table(concerns, most)
    }

    pub(super) fn figures(&self) -> Figures {
        let mut figures = self.state().figures;
        figures.time = self.elapsed();
        figures
    }

    pub(super) fn count_reconciles(&self, count: u64) {
        self.state().figures.reconciles += count;
    }

    /// Sets how many shapes of fields there are.
    pub(super) fn count_shapes(&self, count: usize) {
        self.state().figures.shapes_found = count as u64;
    }

    /// Counts a shape of a field.
    pub(super) fn answered_shape(&self) {
        self.state().figures.shapes += 1;
    }

    /// Counts a repair.
    pub(super) fn repaired(&self) {
        self.state().figures.repairs += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
