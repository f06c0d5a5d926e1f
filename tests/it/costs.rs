//! What commands ask of the disk. It can be counted, so what would make them slow shows on every machine.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::support::World;

/// The calls of the kernel that read and write, and the bytes of each.
const COUNTS: [&str; 4] = ["syscr", "rchar", "syscw", "wchar"];

/// What a command read and wrote, as the kernel counts it.
fn costs(world: &World, arguments: &str) -> [u64; 4] {
    let mut command = world.command(".");
    command.args(arguments.split_whitespace());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("rop");
    let pid = Pid::from_child(&child);
    // Its counts are there until somebody has waited for it.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid), options).expect("an end");
    let path = format!("/proc/{}/io", child.id());
    let counts = std::fs::read_to_string(path).expect("counts");
    assert!(child.wait().expect("an end").success(), "{arguments}");
    let counts: BTreeMap<&str, u64> = counts
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, count)| (name, count.parse().expect("a count")))
        .collect();
    COUNTS.map(|name| counts[name])
}

/// Limits are a sixth above what was counted when they were written: a file more is no defect, each file of the library
/// once more is. Threads wake each other by writes, now and then by one more.
#[test]
fn commands_ask_the_disk_for_little() {
    let world = World::new();
    // The third finds in order what the second has looked at, once what the first wrote was old enough to tell an edit.
    for (command, most) in [
        ("init --domain example.com", [20, 12_000, 575, 2_500_000]),
        (
            "create api --group app --kind One",
            [1_125, 2_460_000, 155, 172_000],
        ),
        (
            "create api --group app --kind Two",
            [270, 235_000, 110, 125_000],
        ),
        ("generate project", [265, 360_000, 14, 1_000]),
        ("bundle", [180, 230_000, 77, 163_000]),
        ("bundle --check", [260, 390_000, 14, 1_000]),
        ("bundle validate bundle", [50, 83_000, 14, 1_000]),
    ] {
        let costs = costs(&world, command);
        sleep(Duration::from_millis(150));
        let is_more = |index: &usize| costs[*index] > most[*index];
        let more: Vec<_> = (0..COUNTS.len()).filter(is_more).collect();
        let more: Vec<_> = more.iter().map(|index| COUNTS[*index]).collect();
        assert_eq!(
            more, [""; 0],
            "{command}: {COUNTS:?} {costs:?}, at most {most:?}"
        );
    }
}
