//! Those of `rop generate …`.

mod crds;
mod k8s;
mod openapi;

use clap::builder::StyledStr;
use clap::{Command, Subcommand};

use crate::error::Result;

use super::heading;
use crate::cli::invocation::Invocation;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum LegacyCommand {
    #[command(hide = true)]
    Crds(crds::CrdsArgs),
    #[command(hide = true)]
    K8s(k8s::K8sArgs),
    #[command(hide = true)]
    Openapi(openapi::OpenapiArgs),
}

pub(in crate::cli) fn run(command: &LegacyCommand, invocation: &Invocation) -> Result<()> {
    match command {
        LegacyCommand::Crds(args) => crds::run(args, invocation),
        LegacyCommand::K8s(args) => k8s::run(args, invocation),
        LegacyCommand::Openapi(args) => openapi::run(args, invocation),
    }
}

/// All of them, for the help of `rop generate`.
pub(in crate::cli) fn help() -> StyledStr {
    heading::over(&LegacyCommand::augment_subcommands(Command::new(
        "generate",
    )))
}
