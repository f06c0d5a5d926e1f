//! Every point of a crash, one at a time in a cluster without faults: the operator dies before and after each write that
//! it needs for the samples, each of them and each read fails, and reads find something else. The result is the same each
//! time.

use std::fmt;
use std::time::Duration;

use super::around;
use super::check::goes_on;
use super::crew::Crew;
use super::fresh::{Made, tell};
use super::parallel::on_all_processors;
use super::plan::Plan;
use super::promises::gone;
use super::ready::{begin, why_unready};
use super::run::{Outcome, ended, in_runtime};
use super::setup::Setup;
use super::shapes::evenly;
use super::subject::Subject;
use super::time;
use super::world::{Figures, Moment, Point, World};
use crate::testing::api_server::Clock;

/// The invariant of writes.
const CRASHED: &str = "a crash at any point changes nothing";

/// The invariant of reads.
const READ: &str = "a read that fails or is stale changes nothing";

/// The invariant of writes that fail.
const REFUSED: &str = "a failed write is retried";

/// Maximum number of points that are simulated.
pub(super) const MOST: usize = 200;

/// The time that a replica needs after a crash to hold the Lease again, and to reconcile everything.
const RESTART: Duration = Duration::from_secs(35);

/// The time in which the operator reads again what was missing or old, and writes again what was refused.
const REREAD: Duration = Duration::from_secs(20);

/// All is done after this time without writes.
const QUIET: Duration = Duration::from_secs(10);

/// How long to wait for the result: a failure that lasts is retried less and less often.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// The same for a write that was refused: the failure itself is retried sooner than what a requeue would repair.
const RETRIED: Duration = Duration::from_secs(2 * 60);

const STEP: Duration = Duration::from_secs(5);

/// A process that died is not back in this time.
const SOON: Duration = Duration::from_millis(250);

/// The cluster in which nothing happens.
struct Usual {
    made: Made,
    moments: Vec<Moment>,
    /// The requests of the samples, without those of their deletion.
    created: usize,
}

/// Simulates all points. Returns the outcome of the first whose result is another one.
pub(super) fn check(
    setup: &Setup,
    plan: &Plan,
    most: usize,
    figures: &mut Figures,
) -> Option<Outcome> {
    let usual = match in_runtime(setup, plan, usual(setup, plan)) {
        Ok(usual) => usual,
        Err(outcome) => return outcome.broken.is_some().then_some(*outcome),
    };
    let all = usual.points(setup.is_foreign);
    let chosen = evenly(&all, most).copied();
    let mut outcomes = on_all_processors(chosen, |(number, point)| {
        let usual = &usual;
        let work = happens(
            setup,
            plan,
            Happening {
                usual,
                number,
                point,
            },
        );
        let outcome = in_runtime(setup, plan, work);
        let is_broken = outcome.broken.is_some();
        ((number, outcome), is_broken)
    });
    outcomes.sort_by_key(|(number, _)| *number);
    figures.points_found = all.len() as u64;
    figures.points = outcomes.len() as u64;
    let mut outcomes = outcomes.into_iter().map(|(_, outcome)| outcome);
    outcomes.find(|outcome| outcome.broken.is_some())
}

impl Usual {
    /// What can happen at which request. What exists while it is deleted cannot be missing: it would be left for good.
    /// A client of kube reads what is stored.
    fn points(&self, is_foreign: bool) -> Vec<(usize, Point)> {
        let of = |(number, moment): (usize, &Moment)| {
            let is_created = number < self.created;
            let points: &[_] = match moment.is_write {
                true if is_created => {
                    &[Point::Before, Point::After, Point::Deleted, Point::Refused]
                }
                true => &[Point::Before, Point::After, Point::Refused],
                false if is_created && !is_foreign => &[Point::Missing, Point::Old, Point::Failed],
                false => &[Point::Failed],
            };
            points.iter().map(move |point| (number, *point))
        };
        self.moments.iter().enumerate().flat_map(of).collect()
    }
}

/// What happens at one request.
struct Happening<'a> {
    usual: &'a Usual,
    number: usize,
    point: Point,
}

impl Happening<'_> {
    /// Whether it is over or has begun.
    fn has_begun(&self, world: &World) -> bool {
        world.moments().len() > self.number
    }

    fn invariant(&self) -> &'static str {
        match self.point {
            Point::Before | Point::After | Point::Deleted => CRASHED,
            Point::Refused => REFUSED,
            Point::Missing | Point::Old | Point::Failed => READ,
        }
    }

    /// The time after which the operator has noticed it.
    fn noticed(&self) -> Duration {
        match self.point {
            Point::Before | Point::After | Point::Deleted => RESTART,
            Point::Refused | Point::Missing | Point::Old | Point::Failed => REREAD,
        }
    }

    /// How long to wait for the result.
    fn patience(&self, setup: &Setup) -> Duration {
        match self.point {
            Point::Refused if !setup.is_foreign => RETRIED,
            _ => PATIENCE,
        }
    }

    /// Such as "the operator died before PATCH configmaps/shop/a".
    fn told(&self, world: &World) -> String {
        let moment = world.moments().into_iter().nth(self.number);
        let moment = moment.unwrap_or_else(|| self.usual.moments[self.number].clone());
        format!("{} {}", self.point, moment.request)
    }
}

/// The cluster in which nothing happens. An outcome without a violation if the samples do not get ready without actors.
async fn usual(setup: &Setup, plan: &Plan) -> Result<Usual, Box<Outcome>> {
    let _begun = time::begin(Clock::start());
    let (world, crew, subjects) = begin(setup, plan);
    world.calm();
    let usual = async {
        while !is_done(&world, &subjects) {
            goes_on(setup, &world, &crew, STEP).await?;
            if world.elapsed() > setup.ready_within + PATIENCE {
                return None;
            }
        }
        let made = Made::in_world(setup, &world, &subjects);
        let created = world.moments().len();
        let going = around::end(&world, &subjects);
        let gone = gone(setup, &world, &crew, &subjects, &going).await?;
        gone.ok()?;
        Some(Usual {
            made,
            moments: world.moments(),
            created,
        })
    };
    let usual = usual.await;
    let outcome = ended(&world, &crew, &subjects, false);
    usual.ok_or_else(|| Box::new(outcome))
}

/// Whether all samples are ready, and nothing is written.
fn is_done(world: &World, subjects: &[Subject]) -> bool {
    // All are created, even if the first is not ready.
    let unready = subjects
        .iter()
        .filter(|subject| why_unready(world, subject).is_some());
    unready.count() == 0 && world.quiet_for() >= QUIET
}

/// Simulates a cluster in which something happens at one request.
async fn happens(setup: &Setup, plan: &Plan, happening: Happening<'_>) -> Outcome {
    let _begun = time::begin(Clock::start());
    let (world, crew, subjects) = begin(setup, plan);
    world.calm();
    world.plan_point(happening.number, happening.point);
    let _ = if happening.point == Point::Deleted {
        ends(setup, &world, &crew, &subjects, &happening).await
    } else {
        recovers(setup, &world, &crew, &subjects, &happening).await
    };
    let mut outcome = ended(&world, &crew, &subjects, false);
    if let Some(broken) = &mut outcome.broken
        && !matches!(&*broken.invariant, CRASHED | READ | REFUSED)
    {
        let happened = happening.told(&world);
        broken.message = format!("{happened}, and then {}", broken.message);
    }
    outcome
}

/// Checks that the result is the usual one. Returns `None` if it is not.
async fn recovers(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    happening: &Happening<'_>,
) -> Option<()> {
    let patience = happening.patience(setup);
    let end = world.elapsed() + setup.ready_within + patience;
    let mut since = None;
    loop {
        goes_on(setup, world, crew, STEP).await?;
        if happening.has_begun(world) {
            since = since.or(Some(world.elapsed()));
        }
        let is_over = since.is_none_or(|since| world.elapsed() >= since + happening.noticed());
        let is_late = world.elapsed() > end;
        let is_ended = is_over && is_done(world, subjects);
        if !(is_late || is_ended) {
            continue;
        }
        let made = Made::in_world(setup, world, subjects);
        let differences = happening.usual.made.differences(&made);
        if is_late {
            tell(world, &differences);
            let (about, what) = match differences.first() {
                Some((target, what)) => (Some(&*target.name), format!("{target} {what}")),
                None => (None, "the operator still writes".to_owned()),
            };
            let happened = happening.told(world);
            let message = format!("{happened}, and {patience:?} later {what}");
            world.broken(happening.invariant(), about, message);
            return None;
        }
        if differences.is_empty() {
            break;
        }
    }
    if since.is_some() {
        return Some(());
    }
    leaves_nothing(setup, world, crew, subjects, happening).await
}

/// Deletes the samples while the operator is dead. Returns `None` if something is left.
async fn ends(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    happening: &Happening<'_>,
) -> Option<()> {
    let end = world.elapsed() + setup.ready_within + PATIENCE;
    while !happening.has_begun(world) && world.elapsed() < end {
        // Creates the samples.
        is_done(world, subjects);
        goes_on(setup, world, crew, SOON).await?;
    }
    leaves_nothing(setup, world, crew, subjects, happening).await
}

/// Deletes the samples. Returns `None` if something is left of them.
async fn leaves_nothing(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    happening: &Happening<'_>,
) -> Option<()> {
    let going = around::end(world, subjects);
    let mut is_gone = gone(setup, world, crew, subjects, &going).await?;
    if is_gone.is_ok() {
        // A new replica creates nothing again.
        goes_on(setup, world, crew, happening.noticed()).await?;
        is_gone = gone(setup, world, crew, subjects, &going).await?;
    }
    if let Err(target) = is_gone {
        let what = "still exists after the samples were deleted";
        let message = format!("{}, and {target} {what}", happening.told(world));
        world.broken(happening.invariant(), Some(&target.name), message);
    }
    Some(())
}

/// As in "the operator died before PATCH configmaps/shop/a".
impl fmt::Display for Point {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Before => "the operator died before",
            Self::After => "the operator died after",
            Self::Deleted => "the samples were deleted while the operator was dead after",
            Self::Refused => "for ten seconds the API server refused",
            Self::Missing => "for ten seconds nothing was found by",
            Self::Old => "for ten seconds an older state was found by",
            Self::Failed => "the API server failed to answer",
        })
    }
}
