//! `rop generate …`

mod chart;
pub(super) mod check;
mod deploy;
mod docs;
mod installer;
pub(super) mod manifests;
mod monitoring;
pub(super) mod project;
mod recorded;

#[cfg(unix)]
pub(super) use manifests::refresh;

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;
use super::legacy::generate as legacy;

/// Generate manifests, an installer, a chart, dashboards, API docs or missing files.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true, after_help = legacy::help())]
pub(super) enum GenerateCommand {
    Manifests(manifests::ManifestsArgs),
    Installer(installer::InstallerArgs),
    Chart(chart::ChartArgs),
    Deploy(deploy::DeployArgs),
    Docs(docs::DocsArgs),
    Monitoring(monitoring::MonitoringArgs),
    Project(project::ProjectArgs),
    #[command(flatten)]
    Legacy(legacy::LegacyCommand),
}

pub(super) fn run(command: GenerateCommand, invocation: &Invocation) -> Result<()> {
    match command {
        GenerateCommand::Manifests(args) => manifests::run(&args, invocation),
        GenerateCommand::Installer(args) => installer::run(&args, invocation),
        GenerateCommand::Chart(args) => chart::run(&args, invocation),
        GenerateCommand::Deploy(args) => deploy::run(&args, invocation),
        GenerateCommand::Docs(args) => docs::run(&args, invocation),
        GenerateCommand::Monitoring(args) => monitoring::run(&args, invocation),
        GenerateCommand::Project(args) => project::run(&args, invocation),
        GenerateCommand::Legacy(command) => legacy::run(&command, invocation),
    }
}
