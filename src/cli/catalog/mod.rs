//! `rop catalog …`

mod add;
mod build;
mod init;
mod report;
mod trees;
mod validate;

use clap::Subcommand;

use crate::disk::View;
use crate::error::Result;
use crate::olm::catalog::Catalog;
use crate::shell_word::shell_word;

use super::args::place::{Place, named_or_of_project};
use super::invocation::Invocation;

/// The default folder of catalogs.
const FOLDER: &str = "catalog";

/// Create, extend, check or build a file-based OLM catalog.
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

/// The commands that add a bundle of a package to the default catalog, which may not have the package yet.
pub(super) fn addition(package: &str, bundle: &str, image: &str) -> Result<Vec<String>> {
    let place = Place::find(&named_or_of_project(None, FOLDER)?)?;
    let catalog = Catalog::read(&View::of(&place.root)?, &place.folder);
    let has_package = catalog.is_ok_and(|catalog| catalog.has_package(package));
    let init = (!has_package).then(|| format!("rop catalog init {}", shell_word(package)));
    let add = format!("rop catalog add {bundle} --image {image}");
    Ok(init.into_iter().chain([add]).collect())
}
