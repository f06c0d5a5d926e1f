//! The report of many seeds.

use std::fmt;
use std::time::{Duration, Instant};

use super::effects;
use super::environment::{Environment, calm_line, history_line, line, role_line};
use super::first;
use super::parallel::on_all_processors;
use super::permissions;
use super::plan::Plan;
use super::points;
use super::run::{Outcome, run};
use super::setup::Setup;
use super::shrink::shrunk;
use super::world::Figures;

/// Maximum number of points of a crash and of shapes of fields in a test, which takes seconds.
const FEW: usize = 30;

/// The results of many seeds.
///
/// ```
/// # use rop_runtime::simulation::Simulation;
/// # fn test(simulation: Simulation) {
/// let report = simulation.seeds(0..100).report();
/// println!("{} simulated hours", report.figures.time.as_secs() / 3600);
/// # }
/// ```
#[derive(Debug)]
pub struct Report {
    /// The simulated seeds, each with the digest of its history, which is the same in every run.
    pub digests: Vec<(u64, String)>,
    /// The sums over all seeds.
    pub figures: Figures,
    /// The real time that the simulations took.
    pub took: Duration,
    /// The permissions of the role that no request needed, such as
    /// `groups=apps,resources=deployments,verbs=delete`: the more seeds, the fewer. Empty after a failure.
    pub never_used: Vec<String>,
    /// The first failed seed, with a minimized plan. Later seeds were not simulated.
    pub failure: Option<Box<Outcome>>,
}

impl Report {
    /// Simulates plans on all processors until one fails.
    pub(super) fn of(setup: &Setup, environment: &Environment) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "people want to know how long it took"
        )]
        let started = Instant::now();
        let print = |outcome: &Outcome| {
            if environment.is_reported && outcome.broken.is_none() {
                println!("{}", line(outcome));
            }
        };
        assert!(
            !setup.lacks_samples(),
            "cannot simulate an operator without a sample of its kinds: write one to `config/samples`, or add it with \
             `.sample(…)`"
        );
        let most = if environment.is_reported {
            points::MOST
        } else {
            FEW
        };
        let first = first::run(setup, most);
        let mut figures = first.figures;
        if first.broken.is_some() {
            environment.print(&first);
            return Self {
                digests: Vec::new(),
                figures,
                took: started.elapsed(),
                never_used: Vec::new(),
                failure: Some(Box::new(first)),
            };
        }
        if environment.is_reported && !environment.has_plan() {
            println!("{}", calm_line(&first, &effects::found(setup)));
        }
        let mut used = first.used;
        let mut outcomes = simulated(setup, environment.plans(), print);
        for outcome in &mut outcomes {
            figures.add(&outcome.figures);
            used.append(&mut outcome.used);
        }
        let digests = outcomes
            .iter()
            .map(|outcome| (outcome.plan.seed, outcome.digest.clone()))
            .collect();
        let failed = outcomes
            .into_iter()
            .find(|outcome| outcome.broken.is_some());
        let failure = failed.map(|failed| {
            Box::new(if environment.has_plan() {
                failed
            } else {
                shrunk(setup, failed, started.elapsed())
            })
        });
        if let Some(failure) = failure.as_deref() {
            environment.print(failure);
        } else if environment.has_history
            && let Some(plan) = environment.plans().next()
        {
            println!("{}", history_line(&run(setup, &plan, true)));
        }
        let never_used = match &setup.role {
            Some(role) if failure.is_none() => permissions::never_used(role, &used),
            _ => Vec::new(),
        };
        if environment.is_reported && !environment.has_plan() {
            println!("{}", role_line(&never_used));
        }
        Self {
            digests,
            figures,
            took: started.elapsed(),
            never_used,
            failure,
        }
    }
}

/// Simulates plans on all processors until one fails. Returns the outcome of each, by seed.
pub(super) fn simulated(
    setup: &Setup,
    plans: impl Iterator<Item = Plan> + Send,
    done: impl Fn(&Outcome) + Sync,
) -> Vec<Outcome> {
    let mut outcomes = on_all_processors(plans, |plan| {
        let outcome = run(setup, &plan, false);
        done(&outcome);
        let is_broken = outcome.broken.is_some();
        (outcome, is_broken)
    });
    outcomes.sort_by_key(|outcome: &Outcome| outcome.plan.seed);
    outcomes
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failure) = &self.failure {
            write!(formatter, "{failure}")?;
        }
        let Figures {
            requests,
            writes,
            changes,
            reconciles,
            intrusions: _,
            faults,
            repairs,
            points,
            points_found,
            shapes,
            shapes_found,
            time,
        } = self.figures;
        let (seeds, hours) = (self.digests.len(), time.as_secs_f64() / 3600.0);
        let speed = time.as_secs_f64() / self.took.as_secs_f64().max(0.001);
        write!(
            formatter,
            "{seeds} seeds, {hours:.1} simulated hours in {:.1} s ({speed:.0} times real time): \
             {repairs} repairs, {shapes} of {shapes_found} shapes of fields and {points} of {points_found} points of a crash without faults, {faults} faults, {reconciles} reconciles, {requests} requests, {writes} writes \
             of which {changes} changed something",
            self.took.as_secs_f64()
        )
    }
}

/// Formats a failure with its history.
impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(broken) = &self.broken else {
            return writeln!(formatter, "{}: all invariants hold", self.plan);
        };
        writeln!(formatter, "violated invariant: {broken}\n")?;
        for line in &broken.story {
            writeln!(formatter, "  {line}")?;
        }
        if !broken.story.is_empty() {
            writeln!(formatter)?;
        }
        writeln!(formatter, "{}", self.table)?;
        if self.is_cut_short {
            writeln!(
                formatter,
                "the plan is not minimal: minimizing it stopped at its time limit\n"
            )?;
        }
        writeln!(
            formatter,
            "to reproduce:\n  {}='{}' cargo test --test simulation\n",
            super::environment::PLAN,
            self.plan
        )
    }
}
