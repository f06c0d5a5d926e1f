//! A hint that is a whole command of rop works when it is pasted, and so does each step below `next:`.

use std::path::Path;

use regex::Regex;

use super::{Outcome, World};

/// Commands that need neither a cluster nor a compiler.
const OFFLINE: [&str; 7] = [
    "add ",
    "catalog init ",
    "create ",
    "delete ",
    "edit ",
    "generate project",
    "init ",
];

/// Programs other than rop in the steps. `docker push` and the like cannot be run in tests.
const PROGRAMS: [&str; 5] = ["cargo", "docker", "kind", "kubectl", "podman"];

/// Dry-runs the commands in the hints and below `next:` that a command printed, in the directory that `-C` names if it
/// was given. `cd` starts where the command was run.
#[track_caller]
pub(super) fn check(world: &World, directory: &str, project: &str, printed: &Outcome) {
    let start = world.path().join(directory);
    let mut directory = start.join(project);
    for command in in_hints(&printed.stderr) {
        dry_run(world, &directory, &command, printed);
    }
    let placeholder = Regex::new("[A-Z]{2,}(_[A-Z]+)?").expect("a pattern");
    for step in steps(&printed.stderr) {
        let Some(command) = command_of(step, &directory) else {
            continue;
        };
        let (program, words) = command.split_once(' ').expect("a program and its words");
        match program {
            "rop" => {
                let filled = placeholder.replace_all(words, "x");
                assert!(parses(&filled), "`{step}` is no command of rop");
                if can_run(words) {
                    dry_run(world, &directory, words, printed);
                }
            }
            // It is a directory of this world, or named from the root.
            "cd" => {
                let name = words.trim_matches('\'').replace("'\\''", "'");
                let parent = world.path().parent().expect("a parent").to_owned();
                directory = start.join(name.replace("[DIR]", &parent.to_string_lossy()));
                assert!(directory.is_dir(), "`{step}` names no directory");
            }
            "make" => assert!(has_target(&directory, words), "`{step}` names no target"),
            program => assert!(PROGRAMS.contains(&program), "`{step}` is no command"),
        }
    }
}

#[track_caller]
fn dry_run(world: &World, directory: &Path, command: &str, printed: &Outcome) {
    let words = command.split(' ').chain(["--dry-run"]);
    let mut rop = world.command(".");
    let outcome = world.run(rop.current_dir(directory).args(words));
    // Files that were edited have a hint of their own.
    let is_stopped = outcome.stderr.contains("error[files-in-the-way]");
    assert!(
        outcome.code == 0 || is_stopped,
        "`rop {command}` fails:\n{outcome}\nafter {printed}"
    );
}

/// The commands in hints that can be run as they are: without `FILE`, `…` and the like.
fn in_hints(stderr: &str) -> Vec<String> {
    let command = Regex::new("`rop ([^`]+)`").expect("a pattern");
    let hints = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("hint: "));
    let found = hints.flat_map(|hint| command.captures_iter(hint));
    let found = found.map(|found| found[1].to_owned());
    found
        .filter(|words| can_run(words) && parses(words))
        .collect()
}

/// The lines below `next:`.
fn steps(stderr: &str) -> impl Iterator<Item = &str> {
    let (_, below) = stderr.split_once("\nnext:\n").unwrap_or_default();
    below.lines().map_while(|line| line.strip_prefix("  "))
}

/// The command of a step, which may only name a file to edit.
#[track_caller]
fn command_of<'a>(step: &'a str, directory: &Path) -> Option<&'a str> {
    let Some(edit) = step.strip_prefix("edit ") else {
        return Some(step);
    };
    let then = edit
        .strip_suffix('`')
        .and_then(|edit| edit.split_once(", then run `"));
    let file = then.map_or(edit, |(file, _)| file);
    let exists = directory
        .ancestors()
        .any(|folder| folder.join(file).is_file());
    assert!(exists, "`{step}` names no file");
    then.map(|(_, command)| command)
}

/// Whether the Makefile of a project has a target. The project may be above the directory.
fn has_target(directory: &Path, target: &str) -> bool {
    directory.ancestors().any(|folder| {
        let makefile = std::fs::read_to_string(folder.join("Makefile")).unwrap_or_default();
        let start = format!("{target}:");
        makefile.lines().any(|line| line.starts_with(&start))
    })
}

/// Whether a command works offline, and has no placeholders.
fn can_run(words: &str) -> bool {
    let gap = Regex::new(r"…|\b[A-Z]{2,}\b|[^ -~]").expect("a pattern");
    OFFLINE.iter().any(|start| words.starts_with(start)) && !gap.is_match(words)
}

/// Whether nothing is missing: a hint may name a command without its flags.
fn parses(words: &str) -> bool {
    let words = ["rop"].into_iter().chain(words.split(' '));
    rop::cli::command().try_get_matches_from(words).is_ok()
}
