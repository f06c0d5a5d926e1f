//! `rop create …`

mod api;

pub(super) use api::{ApiSpec, extend};

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;

/// Add an API to the project.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum CreateCommand {
    Api(Box<api::ApiArgs>),
}

pub(super) fn run(command: CreateCommand, invocation: &Invocation) -> Result<()> {
    match command {
        CreateCommand::Api(args) => api::run(*args, invocation),
    }
}
