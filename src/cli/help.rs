//! The form of every help: a description, then one line for each flag.

use std::fmt::Write;

use clap::builder::{PossibleValue, Resettable, StyledStr, Styles};
use clap::{Arg, Command};

use crate::address::Page;

/// The end of a command's help: its examples, then the pages of the book with all that does not fit into it.
pub(super) fn examples(examples: &str, pages: &[Page]) -> String {
    let lines: String = pages
        .iter()
        .map(|page| format!("\n  {}", page.entry()))
        .collect();
    match pages {
        [] => examples.to_owned(),
        _ => format!("{examples}\n\nSee also in rop's book:{lines}"),
    }
}

/// Keeps each flag on one line: clap spreads a help over three lines a flag if anything in it is long.
pub(super) fn compact(command: Command) -> Command {
    let values = values(&command);
    let is_short = command.get_long_about().is_none() && values.is_empty();
    let about = command.get_long_about().or(command.get_about()).cloned();
    let command = command
        .mut_args(|arg| {
            if described(&arg).is_empty() {
                arg
            } else {
                arg.hide_possible_values(true)
            }
        })
        .mut_subcommands(compact);
    match about {
        Some(about) if !is_short => command
            .long_about(Resettable::<StyledStr>::Reset)
            .before_help(about)
            .help_template(StyledStr::from(format!(
                "{{before-help}}{{usage-heading}} {{usage}}\n\n{{all-args}}{values}{{after-help}}"
            ))),
        _ => command,
    }
}

/// The values of flags that each have a help of their own.
fn values(command: &Command) -> String {
    let header = *Styles::styled().get_header();
    let mut text = String::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let values = described(arg);
        let Some(flag) = arg.get_long().filter(|_| !values.is_empty()) else {
            continue;
        };
        let _ = write!(text, "\n\n{header}Values of --{flag}:{header:#}");
        let width = values
            .iter()
            .map(|value| value.get_name().len())
            .max()
            .unwrap_or_default();
        for value in &values {
            let help = value.get_help().map(ToString::to_string);
            let (name, help) = (value.get_name(), help.unwrap_or_default());
            let _ = write!(text, "\n  {name:width$}  {help}");
        }
    }
    text
}

fn described(arg: &Arg) -> Vec<PossibleValue> {
    let values = arg.get_possible_values();
    if values.iter().any(|value| value.get_help().is_some()) {
        values
            .into_iter()
            .filter(|value| !value.is_hide_set())
            .collect()
    } else {
        Vec::new()
    }
}
