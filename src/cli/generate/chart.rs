use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::cli::args::place::{in_project, named_or_of_project};
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::error::{Code, Error, Result};
use crate::output::{Chart, Manifests};
use crate::plan::is_inside;
use crate::record;
use crate::scaffold;

use super::check::{Check, Drift, access};

const EXAMPLES: &str = "\
Examples:
  rop generate chart
  rop generate chart --check
  helm install app-operator dist/chart --namespace app-operator-system --create-namespace";

const CHECK: Check<'_> = Check {
    command: "generate chart --check",
    fine: "the chart is up to date",
    drift: "the chart is out of date",
    hint: "run `rop generate chart` with the same flags and commit the result",
};

/// Generate a Helm chart from the manifests in `config/`.
///
/// Each component in `config/` is a value that switches all its parts, off unless `config/default` lists it. New values
/// are added to `values.yaml`, which keeps your edits; the templates and the schema of the values are rop's. Your own
/// files in `templates/` stay. Neither Helm nor a cluster is needed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ChartArgs {
    /// Folder of the chart, in the project [default: dist/chart].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite files even if you edited them.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &ChartArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open(access(args.check))?;
    let output = named_or_of_project(args.output.as_deref(), Chart::PATH)?;
    let folder = in_project(&root.path, &output)?.unwrap_or_default();
    if !is_inside(&folder) {
        let message = format!("invalid folder `{}`: it must be in the project", output.display());
        let error = Error::new(Code::InvalidFile, message);
        return Err(error.hint(format!("use a path such as `--output {}`", Chart::PATH)));
    }
    let view = &entered.view;
    let mut after = Chart::files(&folder, &Manifests::on_disk(&root.project, view))?;
    let mut before = scaffold::given(view, &after)?;
    let mut written = Chart::written(&folder, view)?;
    written.retain(|file| after.get(file.path()).is_none());
    before.extend(written);
    let (recorded, record) = record::extended(view, &after)?;
    before.extend(recorded);
    after.extend(record);
    let change = Transition {
        command: "generate chart",
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
