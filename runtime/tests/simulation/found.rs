//! Bugs of the library that the simulation has found: each one comes back in a seed if its fix is reverted.
//!
//! If the simulation changes, each seed has another history. Then
//! `BREAKAGE=LateAnswerKept cargo test -p rop-runtime --all-features --test simulation -- --ignored --nocapture`
//! finds another seed.

use rop_runtime::simulation::{Breakage, Simulation};

use crate::simulation;

#[track_caller]
fn found(breakage: Breakage, seed: u64) {
    found_in(simulation, breakage, seed);
}

#[track_caller]
fn found_in(simulation: fn() -> Simulation, breakage: Breakage, seed: u64) {
    let (whole, broken) = (simulation(), simulation().broken(breakage));
    let plan = whole.plan(seed);
    assert!(whole.simulate(&plan).broken.is_none(), "seed {seed}");
    let found = broken.simulate(&plan).broken;
    assert!(
        found.is_some(),
        "{breakage:?} is not in seed {seed} any more"
    );
}

#[test]
fn a_late_answer_brings_no_dead_child_back() {
    found(Breakage::LateAnswerKept, 359);
}

#[test]
fn a_child_without_its_label_is_deleted_with_the_next_resync() {
    found(Breakage::NeverVerified, 419);
}

#[test]
fn a_child_that_vanished_unseen_comes_back() {
    found(Breakage::VanishedUntold, 56);
}

#[test]
fn nobody_waits_for_no_time() {
    found(Breakage::EndlessWait, 1);
}

#[test]
fn an_apply_reaches_the_child_that_is_known_and_no_other() {
    found(Breakage::AppliedWithoutUid, 10);
}

/// The caches wait for a conversion, which waits for a ready replica, which waited for the caches.
#[cfg(feature = "webhook")]
#[test]
fn a_replica_that_is_not_ready_converts_nothing() {
    found_in(crate::versions::simulation, Breakage::ReadyWithCaches, 13);
}

#[test]
fn a_child_in_another_namespace_comes_back() {
    found_in(
        crate::elsewhere::simulation,
        Breakage::ElsewhereUnwatched,
        3,
    );
}

/// In three of 43,176 seeds, a label was removed while the response to an apply was on its way, and nothing repaired
/// it: the object failed because of another child, so it had no resync.
#[test]
fn a_child_that_loses_its_label_while_it_is_applied_gets_it_back() {
    let plan = "seed=33457 seconds=102 objects=1 replicas=3 faults=Refused,SlowRequest,SlowAnswer,LostAnswer,Hung,\
        HalfAnswer,TooManyRequests,InternalError,Unavailable,Timeout,ServerRestart,WatchCut,WatchLate,LabelRemoved,\
        Stranger,LateCollector,Burst";
    let simulation = simulation().broken(Breakage::NeverVerified);
    let outcome = simulation.simulate(&plan.parse().expect("a plan"));
    assert!(outcome.broken.is_none(), "{outcome}");
}
