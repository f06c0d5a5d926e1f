//! A hint that is a whole command of rop works when it is pasted.

use regex::Regex;

use super::{Outcome, World};

/// Commands that need neither a cluster nor a compiler.
const OFFLINE: [&str; 6] = [
    "add ",
    "create ",
    "delete ",
    "edit ",
    "generate project",
    "init ",
];

/// Dry-runs the commands in the hints of a command that failed.
#[track_caller]
pub(super) fn check(world: &World, directory: &str, failed: &Outcome) {
    for command in commands(&failed.stderr) {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--dry-run");
        let outcome = world.run(world.command(directory).args(&words));
        // Files that were edited have a hint of their own.
        let is_stopped = outcome.stderr.contains("error[files-in-the-way]");
        assert!(
            outcome.code == 0 || is_stopped,
            "`rop {command}` fails:\n{outcome}\nafter {failed}"
        );
    }
}

/// The commands in hints that can be run as they are: without `FILE`, `…` and the like.
fn commands(stderr: &str) -> Vec<String> {
    let command = Regex::new("`rop ([^`]+)`").expect("a pattern");
    let gap = Regex::new(r"…|\b[A-Z]{2,}\b|[^ -~]").expect("a pattern");
    let hints = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("hint: "));
    let found = hints.flat_map(|hint| command.captures_iter(hint));
    let found = found.map(|found| found[1].to_owned());
    found
        .filter(|words| OFFLINE.iter().any(|start| words.starts_with(start)))
        .filter(|words| !gap.is_match(words) && is_whole(words))
        .collect()
}

/// Whether nothing is missing: a hint may name a command without its flags.
fn is_whole(words: &str) -> bool {
    let words = ["rop"].into_iter().chain(words.split(' '));
    rop::cli::command().try_get_matches_from(words).is_ok()
}
