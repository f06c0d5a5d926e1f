//! `rop generate …`

mod check;
mod crds;
mod deploy;
mod installer;
mod k8s;
mod manifests;
mod openapi;
mod project;

#[cfg(unix)]
pub(super) use manifests::refresh;

use clap::Subcommand;

use crate::error::Result;

use super::context::Context;

/// Generate files from the project's code.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum GenerateCommand {
    Manifests(manifests::ManifestsArgs),
    Installer(installer::InstallerArgs),
    Deploy(deploy::DeployArgs),
    Project(project::ProjectArgs),
    Crds(crds::CrdsArgs),
    K8s(k8s::K8sArgs),
    Openapi(openapi::OpenapiArgs),
}

pub(super) fn run(command: GenerateCommand, context: &Context) -> Result<()> {
    match command {
        GenerateCommand::Manifests(args) => manifests::run(&args, context),
        GenerateCommand::Installer(args) => installer::run(&args, context),
        GenerateCommand::Deploy(args) => deploy::run(&args, context),
        GenerateCommand::Project(args) => project::run(&args, context),
        GenerateCommand::Crds(args) => crds::run(&args, context),
        GenerateCommand::K8s(args) => k8s::run(&args, context),
        GenerateCommand::Openapi(args) => openapi::run(&args, context),
    }
}
