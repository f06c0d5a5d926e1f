use clap::{ArgGroup, Args};

use crate::error::Result;

use crate::project::{Policies, Project};
use crate::scaffold::Change;

use super::edits::edits;
use super::fixture::note_fields_to_check;
use crate::address::POLICIES;
use crate::cli::args::kind::KindArgs;
use crate::cli::help::examples;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};

const EXAMPLES: &str = "\
Examples:
  rop create policy --group app --kind AppService --validating
  rop create policy --group app --version v1 --kind AppService --validating --mutating
  rop create policy --group core --kind Pod --mutating      # a built-in kind";

/// Add admission policies for a kind: CEL rules that the API server evaluates.
///
/// The kind belongs to the project or is built into Kubernetes, such as `--group core --kind Pod`.
///
/// A policy can check what a CEL rule in `api/` cannot: the user, the operation, the namespace's labels, parameters.
/// Unlike a webhook, it needs no pod and no certificate. Use a webhook for what CEL cannot do, such as calling other
/// systems.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[POLICIES]), group = ArgGroup::new("policies").required(true).multiple(true))]
#[command(mut_arg("version", |flag| flag.help("API version [default: the hub, or the preferred built-in version]")))]
pub(in crate::cli) struct PolicyArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Add a validating policy.
    #[arg(long, group = "policies")]
    validating: bool,

    /// Add a mutating policy (Kubernetes 1.36 or newer).
    #[arg(long, group = "policies")]
    mutating: bool,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &PolicyArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_complete(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let requested = Policies {
        mutating: args.mutating,
        validating: args.validating,
    };
    project.add_policies(
        &args.of.group,
        args.of.version.as_ref(),
        &args.of.kind,
        requested,
    )?;
    let (before, after) = Change::new(view, Some(&root.project), &project).trees()?;
    note_fields_to_check(view, &project, &before, &invocation.ui)?;
    let plan = invocation.carry_out(&Transition {
        command: "create policy",
        view,
        before,
        after,
        force: args.force,
    })?;
    let edits = edits(files, [&root.project, &project]).into_iter();
    let steps = ["make test-cluster".into(), "rop dev".into()];
    invocation.next(&plan, &edits.chain(steps).collect::<Vec<_>>());
    Ok(())
}

/// The files of all policies.
fn files(project: &Project) -> Vec<String> {
    let kinds = project.policy_kinds();
    let files = kinds
        .iter()
        .flat_map(|kind| kind.kind.policies.sorts().map(|sort| kind.policy(sort)));
    files.collect()
}
