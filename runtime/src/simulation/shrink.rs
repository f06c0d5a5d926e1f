//! Minimizes a failing plan: fewer kinds of faults, fewer objects, less time.

use std::time::{Duration, Instant};

use super::fault::Fault;
use super::plan::Plan;
use super::run::{Outcome, run};
use super::setup::Setup;

/// The limits of the real time for it: seeds that failed at once still give a small plan.
const PATIENCE: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(60)];

/// The smallest plan that violates the same invariant, with its outcome. It may take as long as the seeds, which `took`
/// that real time: who runs few seeds does not wait long.
pub(super) fn shrunk(setup: &Setup, failed: Outcome, took: Duration) -> Outcome {
    let [least, most] = PATIENCE;
    within(setup, failed, took.clamp(least, most))
}

fn within(setup: &Setup, failed: Outcome, limit: Duration) -> Outcome {
    #[expect(
        clippy::disallowed_methods,
        reason = "limits real time, not simulated time"
    )]
    let started = Instant::now();
    let Some(invariant) = failed
        .broken
        .as_ref()
        .map(|broken| broken.invariant.clone())
    else {
        return failed;
    };
    let mut best = failed;
    let mut longest = Duration::ZERO;
    loop {
        let before = best.plan.clone();
        for plan in smaller(&best.plan) {
            // Another plan of the list may have made it smaller already.
            let Some(plan) = meet(&best.plan, &plan) else {
                continue;
            };
            let begun = started.elapsed();
            if begun + longest >= limit {
                best.is_cut_short = true;
                return best;
            }
            let outcome = run(setup, &plan, false);
            longest = longest.max(started.elapsed().saturating_sub(begun));
            if outcome
                .broken
                .as_ref()
                .is_some_and(|broken| broken.invariant == invariant)
            {
                best = outcome;
            }
        }
        if best.plan == before {
            return best;
        }
    }
}

/// Plans that are slightly smaller, first those that take less time themselves.
fn smaller(plan: &Plan) -> Vec<Plan> {
    let faults: Vec<Fault> = plan.faults().collect();
    let mut plans = Vec::new();
    if plan.objects > 1 {
        plans.push(Plan {
            objects: 1,
            ..plan.clone()
        });
    }
    if plan.replicas > 1 {
        plans.push(Plan {
            replicas: 1,
            ..plan.clone()
        });
    }
    if plan.trouble > Duration::from_secs(20) {
        let half = Duration::from_secs(plan.trouble.as_secs() / 2);
        plans.push(Plan {
            trouble: half,
            ..plan.clone()
        });
    }
    if faults.len() > 3 {
        for part in faults.chunks(faults.len().div_ceil(4)) {
            plans.push(plan.only(|fault| !part.contains(&fault)));
        }
    }
    plans.extend(
        faults
            .iter()
            .map(|removed| plan.only(|fault| fault != *removed)),
    );
    plans
}

/// The intersection of both plans, unless it equals `left`.
fn meet(left: &Plan, right: &Plan) -> Option<Plan> {
    let kept: Vec<Fault> = right.faults().collect();
    let both = Plan {
        trouble: left.trouble.min(right.trouble),
        objects: left.objects.min(right.objects),
        replicas: left.replicas.min(right.replicas),
        ..left.only(|fault| kept.contains(&fault))
    };
    (both != *left).then_some(both)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::simulation::Simulation;
    use crate::{Identity, Manager};

    #[test]
    fn a_plan_that_is_not_minimal_is_named() {
        let identity = Identity::new("example", "1.0.0");
        let simulation = Simulation::new(identity, |_: &mut Manager<()>| (), || ())
            .always("never", |_| Err("on purpose".to_owned()));
        let failed = || simulation.simulate(&simulation.plan(0));
        let minute = Duration::from_secs(60);
        for (limit, is_cut_short) in [(Duration::ZERO, true), (minute, false)] {
            let outcome = super::within(&simulation.setup, failed(), limit);
            assert_eq!(outcome.is_cut_short, is_cut_short);
            let named = "not minimal";
            assert_eq!(
                outcome.to_string().contains(named),
                is_cut_short,
                "{outcome}"
            );
        }
    }
}
