//! `rop catalog …`

mod add;
mod build;
mod init;
mod report;
mod trees;
mod validate;

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;

/// The folder of catalogs that nobody asked to have elsewhere.
const FOLDER: &str = "catalog";

/// Work on a file-based catalog of the Operator Lifecycle Manager.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum CatalogCommand {
    Init(init::InitArgs),
    Add(add::AddArgs),
    Validate(validate::ValidateArgs),
    Build(build::BuildArgs),
}

pub(super) fn run(command: CatalogCommand, invocation: &Invocation) -> Result<()> {
    match command {
        CatalogCommand::Init(args) => init::run(args, invocation),
        CatalogCommand::Add(args) => add::run(args, invocation),
        CatalogCommand::Validate(args) => validate::run(&args, invocation),
        CatalogCommand::Build(args) => build::run(args, invocation),
    }
}
