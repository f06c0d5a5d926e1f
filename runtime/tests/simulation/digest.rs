//! The same seed gives the same history, to the last request.

use std::env;
use std::ops::Range;
use std::process::Command;

use rop_runtime::simulation::Outcome;

use crate::simulation;

const SEEDS: Range<u64> = 0..2;

fn outcomes() -> Vec<Outcome> {
    let simulation = simulation();
    SEEDS
        .map(|seed| simulation.simulate(&simulation.plan(seed)))
        .collect()
}

#[test]
fn a_seed_is_the_same_twice_in_one_process() {
    let mut digests = Vec::new();
    for (one, other) in outcomes().into_iter().zip(outcomes()) {
        for (one, other) in one.table.lines().zip(other.table.lines()) {
            assert_eq!(one, other);
        }
        assert_eq!(one.digest, other.digest);
        assert!(!digests.contains(&one.digest));
        digests.push(one.digest);
    }
}

/// Prints the digests, for the test below.
#[test]
fn a_process_prints_its_digests() {
    for outcome in outcomes() {
        println!("digest {}", outcome.digest);
    }
}

#[test]
fn a_seed_is_the_same_in_another_process() {
    let own: Vec<_> = outcomes()
        .into_iter()
        .map(|outcome| outcome.digest)
        .collect();
    let process = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "digest::a_process_prints_its_digests",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(process.stdout).unwrap();
    let printed = text.lines().filter_map(|line| line.split_once("digest "));
    let printed: Vec<_> = printed.map(|(_, digest)| digest).collect();
    assert_eq!(printed, own);
}
