//! Those of `rop generate …`.

mod bundle;
mod crds;
mod k8s;
mod kustomize;
mod openapi;
mod without_meaning;

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
    #[command(subcommand, hide = true)]
    Kustomize(kustomize::KustomizeCommand),
    #[command(hide = true)]
    Bundle(Box<bundle::BundleArgs>),
}

pub(in crate::cli) fn run(command: &LegacyCommand, invocation: &Invocation) -> Result<()> {
    match command {
        LegacyCommand::Crds(args) => crds::run(args, invocation),
        LegacyCommand::K8s(args) => k8s::run(args, invocation),
        LegacyCommand::Openapi(args) => openapi::run(args, invocation),
        LegacyCommand::Kustomize(command) => kustomize::run(command, invocation),
        LegacyCommand::Bundle(args) => bundle::run(args, invocation),
    }
}

/// All of them, for the help of `rop generate`.
pub(in crate::cli) fn help() -> StyledStr {
    heading::over(&LegacyCommand::augment_subcommands(Command::new(
        "generate",
    )))
}
