//! Reads from the environment which seeds are simulated and how they are reported.

use std::ops::Range;
use std::time::Duration;
use std::{env, io, process, thread};

use serde_json::json;

use super::effects::Found;
use super::history::Entry;
use super::plan::Plan;
use super::run::Outcome;

/// The only plan to simulate.
pub(super) const PLAN: &str = "SIMULATION_PLAN";

/// The number or the range of seeds to simulate: `200`, or `100..200`.
const SEEDS: &str = "SIMULATION_SEEDS";

/// How many minutes of faults to simulate.
const MINUTES: &str = "SIMULATION_MINUTES";

/// Prints the history of the first failure, or of the first plan if none fails, as a line of JSON.
const HISTORY: &str = "SIMULATION_HISTORY";

/// Prints each seed as a line of JSON.
const REPORT: &str = "SIMULATION_REPORT";

/// Set by a program that holds the standard input open for as long as it lives.
const HELD: &str = "SIMULATION_HELD";

/// The plans to simulate.
pub(super) struct Environment {
    plan: Option<Plan>,
    seeds: Range<u64>,
    trouble: Duration,
    is_fixed: bool,
    /// Whether to print each seed as a line of JSON.
    pub(super) is_reported: bool,
    /// Whether to print a history as well.
    pub(super) has_history: bool,
}

impl Environment {
    /// Reads the environment, with the values of the test as defaults.
    pub(super) fn read(seeds: &Range<u64>, trouble: Duration) -> Self {
        let read = |name: &str| env::var(name).ok().filter(|text| !text.is_empty());
        let wrong = |name: &str, why: &str| -> ! { panic!("{name}: {why}") };
        let plan = read(PLAN).map(|text| {
            let plan = text.parse();
            plan.unwrap_or_else(|why: String| wrong(PLAN, &why))
        });
        let seeds = read(SEEDS).map_or(seeds.clone(), |text| {
            parse_seeds(&text, seeds.start)
                .unwrap_or_else(|| wrong(SEEDS, "a number or a range, such as `0..200`"))
        });
        let minutes = read(MINUTES).map(|text| {
            let minutes: Result<u32, _> = text.parse();
            minutes.unwrap_or_else(|_| wrong(MINUTES, "a number"))
        });
        if read(HELD).is_some() {
            end_with_stdin();
        }
        Self {
            plan,
            seeds,
            trouble: minutes.map_or(trouble, |minutes| Duration::from_secs(60) * minutes),
            is_fixed: minutes.is_some(),
            is_reported: read(REPORT).as_deref() == Some("json"),
            has_history: read(HISTORY).is_some(),
        }
    }

    /// Prints a failure for programs, if they asked for it.
    pub(super) fn print(&self, failure: &Outcome) {
        if self.is_reported {
            println!("{}", line(failure));
        }
        if self.has_history {
            println!("{}", history_line(failure));
        }
    }

    /// Whether only one plan is simulated.
    pub(super) fn has_plan(&self) -> bool {
        self.plan.is_some()
    }

    /// The plans, in order.
    pub(super) fn plans(&self) -> impl Iterator<Item = Plan> + Send + use<> {
        let (plan, trouble, is_fixed) = (self.plan.clone(), self.trouble, self.is_fixed);
        let seeds = if plan.is_some() {
            0..0
        } else {
            self.seeds.clone()
        };
        let drawn = seeds.map(move |seed| {
            let drawn = Plan::draw(seed, trouble);
            if is_fixed {
                Plan { trouble, ..drawn }
            } else {
                drawn
            }
        });
        plan.into_iter().chain(drawn)
    }
}

/// Ends this process when the standard input ends.
fn end_with_stdin() {
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        #[expect(clippy::exit, reason = "the operator may hang in all other threads")]
        process::exit(1);
    });
}

fn parse_seeds(text: &str, start: u64) -> Option<Range<u64>> {
    match text.split_once("..") {
        Some((first, end)) => Some(first.parse().ok()?..end.parse().ok()?),
        None => Some(start..start.checked_add(text.parse().ok()?)?),
    }
}

/// A line of JSON, for programs.
pub(super) fn line(outcome: &Outcome) -> String {
    let failure = outcome.broken.as_ref().map(|broken| {
        json!({
            "invariant": broken.to_string(),
            "plan": outcome.plan.to_string(),
            "report": outcome.to_string(),
        })
    });
    let (digest, seed) = (json!(outcome.digest), outcome.plan.seed);
    let figures = outcome.figures;
    let (seconds, faults) = (figures.time.as_secs(), figures.faults);
    let (reconciles, requests) = (figures.reconciles, figures.requests);
    let failure = failure.map_or_else(String::new, |failure| format!(",\"failure\":{failure}"));
    format!(
        "{{\"seed\":{seed},\"digest\":{digest},\"seconds\":{seconds},\"faults\":{faults},\
         \"reconciles\":{reconciles},\"requests\":{requests}{failure}}}"
    )
}

/// A line of JSON with the events of a plan.
pub(super) fn history_line(outcome: &Outcome) -> String {
    let broken = outcome.broken.as_ref();
    let story = broken.map_or_else(Vec::new, |broken| broken.story.clone());
    let events: Vec<_> = outcome.events.iter().map(Entry::row).collect();
    let history = json!({
        "seed": outcome.plan.seed,
        "plan": outcome.plan.to_string(),
        "invariant": broken.map(ToString::to_string),
        "about": broken.and_then(|broken| broken.about.as_deref()),
        "story": story,
        "events": events,
    });
    format!("{{\"history\":{history}}}")
}

/// A line of JSON about the cluster without faults.
pub(super) fn calm_line(outcome: &Outcome, found: &Found) -> String {
    let figures = outcome.figures;
    let calm = json!({
        "repairs": figures.repairs,
        "shapes": figures.shapes,
        "shapesFound": figures.shapes_found,
        "points": figures.points,
        "pointsFound": figures.points_found,
        "ineffectiveFields": found.ineffective,
        "hastyStatuses": found.hasty,
        "refusedValues": outcome.refused,
        "outdatedEnvironments": outcome.outdated,
    });
    format!("{{\"calm\":{calm}}}")
}

/// A line of JSON about the role, after all seeds.
pub(super) fn role_line(never_used: &[String]) -> String {
    let role = json!({ "neverUsed": never_used });
    format!("{{\"role\":{role}}}")
}

#[cfg(test)]
mod tests {
    use super::parse_seeds;

    #[test]
    fn seeds_are_a_number_or_a_range() {
        assert_eq!(parse_seeds("7", 3), Some(3..10));
        assert_eq!(parse_seeds("5..9", 3), Some(5..9));
        assert_eq!(parse_seeds("5..", 3), None);
    }
}
