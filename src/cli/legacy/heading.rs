//! The heading that these commands have in a help: clap has one for all commands of a level.

use clap::Command;
use clap::builder::{StyledStr, Styles};

use crate::cli::WIDTH;

const HEADING: &str = "Commands of operator-sdk:";

/// What stands at the end of a help: the commands below `root`, with all their words.
pub(super) fn over(root: &Command) -> StyledStr {
    let mut list = Command::new("list")
        .max_term_width(WIDTH)
        .help_template("{subcommands}")
        .disable_help_subcommand(true)
        .subcommands(leaves(root, ""));
    let header = *Styles::styled().get_header();
    format!("{header}{HEADING}{header:#}\n{}", list.render_help().ansi()).into()
}

/// The commands that have none below them, each by all its words.
fn leaves(command: &Command, words: &str) -> Vec<Command> {
    let mut found = Vec::new();
    for below in command.get_subcommands() {
        let words = format!("{words} {}", below.get_name());
        if below.has_subcommands() {
            found.extend(leaves(below, &words));
        } else {
            let leaf = Command::new(words.trim_start().to_owned());
            found.push(leaf.about(below.get_about().cloned().unwrap_or_default()));
        }
    }
    found
}
