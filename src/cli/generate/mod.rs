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

use super::invocation::Invocation;

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

pub(super) fn run(command: GenerateCommand, invocation: &Invocation) -> Result<()> {
    match command {
        GenerateCommand::Manifests(args) => manifests::run(&args, invocation),
        GenerateCommand::Installer(args) => installer::run(&args, invocation),
        GenerateCommand::Deploy(args) => deploy::run(&args, invocation),
        GenerateCommand::Project(args) => project::run(&args, invocation),
        GenerateCommand::Crds(args) => crds::run(&args, invocation),
        GenerateCommand::K8s(args) => k8s::run(&args, invocation),
        GenerateCommand::Openapi(args) => openapi::run(&args, invocation),
    }
}
