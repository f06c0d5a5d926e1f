//! The commands of operator-sdk. Each says what it is today.

mod add;
pub(super) mod generate;
mod heading;
mod new;
mod up;

use clap::builder::StyledStr;
use clap::{Command, Subcommand};

use crate::error::Result;

use super::invocation::Invocation;

#[derive(Debug, Subcommand)]
pub(super) enum LegacyCommand {
    #[command(hide = true)]
    New(new::NewArgs),
    #[command(subcommand, hide = true)]
    Add(add::AddCommand),
    #[command(subcommand, hide = true)]
    Up(up::UpCommand),
}

pub(super) fn run(command: LegacyCommand, invocation: &Invocation) -> Result<()> {
    match command {
        LegacyCommand::New(args) => new::run(args, invocation),
        LegacyCommand::Add(command) => add::run(command, invocation),
        LegacyCommand::Up(command) => up::run(command, invocation),
    }
}

/// All of them, for the help of rop.
pub(super) fn help() -> StyledStr {
    let commands = LegacyCommand::augment_subcommands(Command::new("rop"));
    let generate = generate::LegacyCommand::augment_subcommands(Command::new("generate"));
    heading::over(&commands.subcommand(generate))
}
