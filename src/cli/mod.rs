//! The command line: one file for each command.

mod absent;
mod add;
mod apply;
mod build;
mod completion;
mod context;
mod crds;
mod create;
mod deploy;
#[cfg(unix)]
mod dev;
mod failure;
mod generate;
mod global;
mod image;
mod init;
mod install;
mod new;
mod no_effect;
mod operator;
mod parse;
mod remove;
mod report;
mod run;
mod simulate;
mod target;
mod undeploy;
mod uninstall;
mod up;
mod value;
mod version;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Result;
use context::Context;
use global::GlobalArgs;

/// Scaffolds Kubernetes operators on kube-rs.
///
/// Start with `rop init --domain example.com`, then `rop create api --group app --kind AppService`.
#[derive(Debug, Parser)]
#[command(
    name = "rop",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: GlobalArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    #[command(subcommand)]
    Create(create::CreateCommand),
    #[command(subcommand)]
    Generate(generate::GenerateCommand),
    Build(build::BuildArgs),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Deploy(deploy::DeployArgs),
    Undeploy(undeploy::UndeployArgs),
    Run(run::RunArgs),
    Simulate(simulate::SimulateArgs),
    #[cfg(unix)]
    Dev(dev::DevArgs),
    New(new::NewArgs),
    #[command(subcommand)]
    Add(add::AddCommand),
    #[command(subcommand)]
    Up(up::UpCommand),
    Completion(completion::CompletionArgs),
    Version(version::VersionArgs),
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    let cli = match parse::arguments() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let context = Context::new(cli.global);
    match cli.command.run(&context) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            context.error(&error);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

impl Command {
    fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::Init(args) => init::run(args, context),
            Self::Create(command) => create::run(command, context),
            Self::Generate(command) => generate::run(command, context),
            Self::Build(args) => build::run(args, context),
            Self::Install(args) => install::run(&args, context),
            Self::Uninstall(args) => uninstall::run(&args, context),
            Self::Deploy(args) => deploy::run(&args, context),
            Self::Undeploy(args) => undeploy::run(&args, context),
            Self::Run(args) => run::run(&args, context),
            Self::Simulate(args) => simulate::run(&args, context),
            #[cfg(unix)]
            Self::Dev(args) => dev::run(&args, context),
            Self::New(args) => new::run(args, context),
            Self::Add(command) => add::run(command, context),
            Self::Up(command) => up::run(command, context),
            Self::Completion(args) => completion::run(&args, context),
            Self::Version(args) => version::run(&args, context),
        }
    }
}

/// The whole command line, for completions and references.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}
