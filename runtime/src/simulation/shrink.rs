//! Minimizes a failing plan: fewer kinds of faults, fewer objects, less time.

use std::time::{Duration, Instant};

use super::fault::Fault;
use super::plan::Plan;
use super::run::{Outcome, run};
use super::setup::Setup;

/// The time limit.
const PATIENCE: Duration = Duration::from_secs(60);

/// The smallest plan that violates the same invariant, with its outcome.
pub(super) fn shrunk(setup: &Setup, failed: Outcome) -> Outcome {
    #[expect(clippy::disallowed_methods, reason = "somebody waits for it")]
    let started = Instant::now();
    let Some(invariant) = failed
        .broken
        .as_ref()
        .map(|broken| broken.invariant.clone())
    else {
        return failed;
    };
    let mut best = failed;
    loop {
        let before = best.plan.clone();
        for plan in smaller(&best.plan) {
            // Another plan of the list may have made it smaller already.
            let Some(plan) = meet(&best.plan, &plan) else {
                continue;
            };
            if started.elapsed() > PATIENCE {
                return best;
            }
            let outcome = run(setup, &plan, false);
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

/// Plans that are slightly smaller.
fn smaller(plan: &Plan) -> Vec<Plan> {
    let faults: Vec<Fault> = plan.faults().collect();
    let mut plans = Vec::new();
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
