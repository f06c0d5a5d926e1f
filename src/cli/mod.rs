//! The command line: one file for each command.

mod applied;
mod apply;
mod args;
mod build;
mod bundle;
mod catalog;
mod check;
mod cleanup;
mod completion;
mod create;
mod delete;
mod deploy;
#[cfg(unix)]
mod dev;
mod doctor;
mod edit;
mod eject;
mod generate;
mod help;
mod init;
mod install;
mod invocation;
mod legacy;
mod man;
mod olm;
mod panic;
mod parse;
mod remove;
mod report;
mod run;
mod scorecard;
mod simulate;
mod undeploy;
mod uninstall;
mod unsupported;
mod update;
mod version;

use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{Parser, Subcommand};

use crate::address::BOOK;
use crate::beside::ahead;
use crate::error::Result;
use crate::template;
use args::global::GlobalArgs;
use invocation::Invocation;

pub use panic::report_panics;

/// Scaffolds Kubernetes operators on kube-rs.
///
/// Start with `rop init --domain example.com`, then `rop create api --group app --kind AppService`.
#[derive(Debug, Parser)]
#[command(
    name = "rop",
    version,
    arg_required_else_help = true,
    max_term_width = WIDTH,
    after_help = after_help()
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: GlobalArgs,
}

/// The end of the help.
fn after_help() -> StyledStr {
    let commands = legacy::help();
    match BOOK {
        "" => commands,
        book => format!("{}\nBook: {book}", commands.ansi()).into(),
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    #[command(subcommand)]
    Create(create::CreateCommand),
    #[command(subcommand)]
    Generate(generate::GenerateCommand),
    #[cfg(unix)]
    Dev(dev::DevArgs),
    Deploy(deploy::DeployArgs),
    Edit(edit::EditArgs),
    Update(update::UpdateArgs),
    #[command(subcommand)]
    Eject(eject::EjectCommand),
    #[command(subcommand)]
    Delete(delete::DeleteCommand),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Undeploy(undeploy::UndeployArgs),
    Run(run::RunArgs),
    Build(build::BuildArgs),
    Bundle(bundle::BundleArgs),
    #[command(subcommand)]
    Catalog(catalog::CatalogCommand),
    #[command(subcommand)]
    Olm(olm::OlmCommand),
    Cleanup(cleanup::CleanupArgs),
    Scorecard(scorecard::ScorecardArgs),
    Simulate(simulate::SimulateArgs),
    Check(check::CheckArgs),
    Doctor(doctor::DoctorArgs),
    Completion(completion::CompletionArgs),
    Man(man::ManArgs),
    Version(version::VersionArgs),
    #[command(flatten)]
    Legacy(legacy::LegacyCommand),
}

/// The longest line of a help.
const WIDTH: usize = 100;

/// The stack that [`main`] wants, in bytes. What is not used of it takes no memory.
pub const STACK: usize = 64 << 20;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    report_panics();
    if completion::is_answered() {
        return ExitCode::SUCCESS;
    }
    let cli = match parse::arguments() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let invocation = Invocation::new(cli.global);
    cli.command.read_ahead();
    let started = invocation.change_directory();
    match started.and_then(|()| cli.command.run(&invocation)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            invocation.error(&error);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

impl Command {
    /// Unpacks what the command will need from rop itself, while it looks at the project.
    fn read_ahead(&self) {
        match self {
            Self::Init(_) => {
                ahead(template::read);
                ahead(template::unpack_library);
            }
            Self::Create(_)
            | Self::Delete(_)
            | Self::Check(_)
            | Self::Edit(_)
            | Self::Update(_)
            | Self::Eject(_)
            | Self::Generate(generate::GenerateCommand::Project(_)) => ahead(template::read),
            _ => {}
        }
    }

    fn run(self, invocation: &Invocation) -> Result<()> {
        match self {
            Self::Init(args) => init::run(args, invocation),
            Self::Create(command) => create::run(command, invocation),
            Self::Delete(command) => delete::run(command, invocation),
            Self::Eject(command) => eject::run(command, invocation),
            Self::Edit(args) => edit::run(args, invocation),
            Self::Update(args) => update::run(&args, invocation),
            Self::Generate(command) => generate::run(command, invocation),
            Self::Check(args) => check::run(&args, invocation),
            Self::Build(args) => build::run(args, invocation),
            Self::Bundle(args) => bundle::run(args, invocation),
            Self::Catalog(command) => catalog::run(command, invocation),
            Self::Olm(command) => olm::run(&command, invocation),
            Self::Cleanup(args) => cleanup::run(&args, invocation),
            Self::Install(args) => install::run(&args, invocation),
            Self::Uninstall(args) => uninstall::run(&args, invocation),
            Self::Deploy(args) => deploy::run(&args, invocation),
            Self::Undeploy(args) => undeploy::run(&args, invocation),
            Self::Run(args) => run::run(&args, invocation),
            Self::Scorecard(args) => scorecard::run(&args, invocation),
            Self::Simulate(args) => simulate::run(&args, invocation),
            #[cfg(unix)]
            Self::Dev(args) => dev::run(&args, invocation),
            Self::Legacy(command) => legacy::run(command, invocation),
            Self::Doctor(args) => doctor::run(&args, invocation),
            Self::Completion(args) => completion::run(&args, invocation),
            Self::Man(args) => man::run(&args, invocation),
            Self::Version(args) => version::run(&args, invocation),
        }
    }
}

/// The whole command line, for completions and references.
pub fn command() -> clap::Command {
    help::compact(<Cli as clap::CommandFactory>::command())
}
