//! `rop olm …`

mod install;
mod manifests;
mod status;
mod uninstall;

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;

/// Show, install or delete the Operator Lifecycle Manager of a cluster.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum OlmCommand {
    Status(status::StatusArgs),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
}

pub(super) fn run(command: &OlmCommand, invocation: &Invocation) -> Result<()> {
    match command {
        OlmCommand::Status(args) => status::run(args, invocation),
        OlmCommand::Install(args) => install::run(args, invocation),
        OlmCommand::Uninstall(args) => uninstall::run(args, invocation),
    }
}
