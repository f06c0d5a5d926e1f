use clap::{ArgAction, Args};

use super::args::olm::{OlmArgs, label};
use super::args::target::{TargetArgs, TimeoutArgs};
use super::invocation::Invocation;
use crate::address::OLM;
use crate::cli::help::examples;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::lifecycle::{Cleanup, Generation, Scope};
use crate::ui::one_line;

const EXAMPLES: &str = "\
Examples:
  rop cleanup app-operator --dry-run
  rop cleanup app-operator --namespace operators
  rop cleanup app-operator --delete-all=false";

/// Remove an operator installed with OLM, its CRDs, and what `rop run bundle` created.
///
/// Deletes the Subscription, then the CRDs while the operator can still clean up their objects, then the operator with what
/// OLM leaves behind, its catalog and its `OperatorGroup`. Keeps catalogs and `OperatorGroup`s that rop did not create, and CRDs that
/// another operator also owns. `--delete-all=false` keeps all CRDs and `OperatorGroup`s. If objects of the CRDs exist, lists their number and requires `--yes`, or `--delete-all` or
/// `--delete-crds` on the command line.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OLM]))]
pub(super) struct CleanupArgs {
    /// Package of the operator.
    #[arg(value_name = "PACKAGE", value_parser = label)]
    package: String,

    /// Delete the CRDs and the `OperatorGroup` [default: true].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, action = ArgAction::Set)]
    delete_all: Option<bool>,

    /// Delete the CRDs and their objects [default: --delete-all].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, action = ArgAction::Set)]
    delete_crds: Option<bool>,

    /// Delete the `OperatorGroup` [default: --delete-all].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, action = ArgAction::Set)]
    delete_operator_groups: Option<bool>,

    #[command(flatten)]
    olm: OlmArgs,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,
}

impl CleanupArgs {
    fn scope(&self) -> Scope {
        let all = self.delete_all.unwrap_or(true);
        Scope {
            crds: self.delete_crds.unwrap_or(all),
            groups: self.delete_operator_groups.unwrap_or(all),
        }
    }

    /// Whether objects of the CRDs can be deleted.
    fn is_confirmed(&self) -> bool {
        self.target.yes || self.delete_all == Some(true) || self.delete_crds == Some(true)
    }
}

pub(super) fn run(args: &CleanupArgs, invocation: &Invocation) -> Result<()> {
    let kubectl = Kubectl::find(&args.target.target())?.within(args.timeout.timeout);
    let what = format!("remove {}", args.package);
    let reached = args.target.reach_any(kubectl, &what, invocation)?;
    let kubectl = &reached.kubectl;
    let generation = args.olm.generation(kubectl)?;
    let place = args.olm.place(&args.package, &reached)?;
    let cleanup = match generation {
        Generation::V0 => Cleanup::of_package(kubectl, &place, args.scope())?,
        Generation::V1 => Cleanup::of_extension(kubectl, &place, args.scope())?,
    };
    for note in &cleanup.kept {
        invocation.ui.note(&one_line(note));
    }
    let data = cleanup.at_risk(kubectl)?;
    if !data.is_empty() {
        let lines: String = data.iter().map(|data| format!("\n  {data}")).collect();
        if !(args.is_confirmed() || invocation.dry_run) {
            return Err(Error::new(
                Code::ObjectsAtRisk,
                format!("deleting the CRDs would delete these objects, so nothing was deleted:{lines}"),
            )
            .hint("delete the objects first, confirm with `--yes`, or keep the CRDs with `--delete-crds=false`"));
        }
        invocation
            .ui
            .note(&format!("deleting the CRDs deletes these objects:{lines}"));
    }
    let effects = cleanup.effects();
    if !(invocation.dry_run || effects.is_empty()) {
        let progress = invocation
            .ui
            .progress("waiting", "until all objects are deleted", None);
        let mut say = |text: &str| progress.say(text);
        cleanup.delete(kubectl, args.timeout.timeout, &mut say)?;
    }
    reached.report("cleanup", &effects, invocation)?;
    if effects.is_empty() {
        let (package, namespace) = (&place.package, &place.namespace);
        let message =
            format!("nothing to delete: `{package}` is not in the namespace `{namespace}`");
        invocation.ui.done("unchanged", &message);
    }
    Ok(())
}
