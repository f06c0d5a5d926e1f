use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::cli::args::place::{in_project, named_or_of_project};
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::error::{Code, Error, Result};
use crate::output::{ApiReference, Manifests};
use crate::plan::{Tree, is_inside};
use crate::record;
use crate::scaffold;

use super::check::{Check, Drift, access};

const EXAMPLES: &str = "\
Examples:
  rop generate docs
  rop generate docs --check
  rop generate docs --output book/src/api.md";

const CHECK: Check<'_> = Check {
    command: "generate docs --check",
    fine: "the API reference is up to date",
    drift: "the API reference is out of date",
    hint: "run `rop generate docs` with the same flags and commit the result",
};

/// Generate an API reference in Markdown from the CRDs.
///
/// Describes the project's kinds in all their versions: fields with types, defaults, validation and descriptions, and how
/// versions differ. Other commands keep `docs/api.md` up to date; a page at another path is only updated by this command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct DocsArgs {
    /// File to write, in the project [default: docs/api.md].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite the file even if you edited it.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &DocsArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open(access(args.check))?;
    let output = named_or_of_project(args.output.as_deref(), ApiReference::PATH)?;
    let path = &*valid_path(&root.path, &output)?;
    let view = &entered.view;
    scaffold::check_templates(view, &root.project)?;
    let manifests = Manifests::on_disk(&root.project, view);
    let mut after = Tree::default();
    after.insert(ApiReference::file(path, &manifests)?);
    let (before, recorded) = if path == ApiReference::PATH {
        record::extended(view, &after)?
    } else {
        Default::default()
    };
    after.extend(recorded);
    let change = Transition {
        command: "generate docs",
        view,
        before,
        after,
        force: args.force,
    };
    if args.check {
        Drift::of(&change)?.report(&CHECK, invocation)
    } else {
        invocation.carry_out(&change).map(drop)
    }
}

/// A file of the project in which the header of generated files is a comment.
fn valid_path(root: &Path, output: &Path) -> Result<String> {
    let path = in_project(root, output)?.unwrap_or_default();
    let rule = if !is_inside(&path) {
        "it must be in the project"
    } else if !path.ends_with(".md") {
        "its name must end with `.md`"
    } else {
        return Ok(path);
    };
    let message = format!("invalid file `{}`: {rule}", output.display());
    let error = Error::new(Code::InvalidFile, message);
    Err(error.hint(format!(
        "use a path such as `--output {}`",
        ApiReference::PATH
    )))
}
