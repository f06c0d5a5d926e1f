use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{FOLDER, report};
use crate::cli::args::place::{Place, named_or_of_project};
use crate::cli::invocation::{Access, Invocation};
use crate::error::Result;
use crate::olm::catalog::{Catalog, check};

const EXAMPLES: &str = "\
Examples:
  rop catalog validate
  rop catalog validate catalogs/v4.20 --json";

/// Check a file-based catalog against all rules of `opm validate`.
///
/// Reports every error, with its line, its rule and what to do. Files that `.indexignore` excludes are not read.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ValidateArgs {
    /// Directory of the catalog [default: catalog].
    #[arg(value_name = "DIR")]
    catalog: Option<PathBuf>,
}

pub(super) fn run(args: &ValidateArgs, invocation: &Invocation) -> Result<()> {
    let folder = named_or_of_project(args.catalog.as_deref(), FOLDER)?;
    let place = Place::find(&folder)?;
    let entered = invocation.enter(&place.root, Access::Read)?;
    let catalog = Catalog::read(&entered.view, &place.folder)?;
    let findings = check(&catalog);
    let counts = catalog.counts();
    if invocation.json {
        let findings: Vec<_> = findings.iter().map(report::json).collect();
        invocation.ui.json(&json!({
            "command": "catalog validate",
            "valid": findings.is_empty(),
            "packages": counts.packages,
            "channels": counts.channels,
            "bundles": counts.bundles,
            "findings": findings,
        }))?;
    }
    if !findings.is_empty() {
        return Err(report::error(&place.folder, &findings));
    }
    if !invocation.json {
        invocation
            .ui
            .done("done", &format!("the catalog is valid: {counts}"));
    }
    Ok(())
}
