//! Words of the command line.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use clap::Command;
use fastrand::Rng;

use super::{hostile, try_all};
use crate::support::{World, seeds};

/// Every command, with the words that lead to it.
fn commands(command: &Command, words: &[String], found: &mut Vec<(Vec<String>, Command)>) {
    for below in command.get_subcommands() {
        let words = [words, &[below.get_name().to_owned()]].concat();
        commands(below, &words, found);
    }
    if !(command.has_subcommands() && command.is_arg_required_else_help_set()) {
        found.push((words.to_vec(), command.clone()));
    }
}

fn all() -> Vec<(Vec<String>, Command)> {
    let mut found = Vec::new();
    commands(&rop::cli::command(), &[], &mut found);
    found
}

/// A line for a command: some of its flags, with hostile values, and hostile words.
fn line(command: &Command, rng: &mut Rng) -> Vec<OsString> {
    let mut line = Vec::new();
    let arguments: Vec<_> = command.get_arguments().collect();
    for _ in 0..rng.usize(1..5) {
        let argument = (!arguments.is_empty()).then(|| arguments[rng.usize(..arguments.len())]);
        let long = argument.and_then(clap::Arg::get_long);
        let mut value = OsString::from(hostile(rng).replace('\0', "0"));
        if rng.u8(..10) == 0 {
            value = OsString::from_vec(b"a\xff\xfe".to_vec());
        }
        match (long, rng.u8(..4)) {
            (Some(long), 0) => line.push(format!("--{long}").into()),
            (Some(long), _) => {
                let mut word = OsString::from(format!("--{long}="));
                word.push(value);
                line.push(word);
            }
            (None, _) => line.push(value),
        }
    }
    line
}

#[test]
fn hostile_flags_are_refused_or_read() {
    let commands = all();
    assert!(commands.len() > 20);
    for seed in seeds(1) {
        let mut rng = Rng::with_seed(seed);
        let inputs = (0..3000).map(|_| {
            let (_, command) = &commands[rng.usize(..commands.len())];
            (command.clone(), line(command, &mut rng))
        });
        let inputs: Vec<_> = inputs.collect();
        let inputs = inputs
            .iter()
            .map(|(command, line)| (command.get_name(), command, line));
        try_all(inputs, |(name, command, line)| {
            let words = [OsString::from(name)].into_iter().chain((*line).clone());
            let result = (*command).clone().try_get_matches_from(words);
            result.map(drop).or_else(|error| {
                if error.to_string().is_empty() {
                    Err("says nothing".to_owned())
                } else {
                    Ok(())
                }
            })
        });
    }
}

/// Whole runs, of commands that start no other program.
#[test]
fn hostile_runs_end_with_a_message() {
    let commands = all();
    let runs = [
        "init",
        "new",
        "api",
        "webhook",
        "policy",
        "project",
        "version",
        "completion",
        "deploy",
    ];
    let is_run = |(words, _): &&(Vec<String>, Command)| {
        let last = words.last().map(String::as_str);
        last.is_some_and(|last| runs.contains(&last)) && words[0] != "deploy"
    };
    let commands: Vec<_> = commands.iter().filter(is_run).collect();
    for seed in seeds(1) {
        let mut rng = Rng::with_seed(seed);
        let world = World::with_api();
        for _ in 0..120 {
            let (words, command) = commands[rng.usize(..commands.len())];
            let line = line(command, &mut rng);
            let mut process = world.command(".");
            process.args(words).arg("--dry-run").args(&line);
            let output = process.output().expect("rop starts");
            let message = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(
                matches!(code, Some(0..=2)),
                "{words:?} {line:?}: {code:?}\n{message}"
            );
            assert!(
                code == Some(0) || message.contains("error["),
                "{words:?} {line:?}\n{message}"
            );
            let is_shown = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
            assert!(
                message.chars().all(is_shown),
                "{words:?} {line:?}\n{message:?}"
            );
        }
    }
}
