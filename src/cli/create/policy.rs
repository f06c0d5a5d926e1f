use clap::{ArgGroup, Args};

use crate::error::Result;
use crate::project::name::{Group, Kind, Version};
use crate::project::{Policies, Project};
use crate::scaffold::Change;

use super::fixture::say_what_to_check;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};

const EXAMPLES: &str = "\
Examples:
  rop create policy --group app --kind AppService --validating
  rop create policy --group app --version v1 --kind AppService --validating --mutating
  rop create policy --group core --kind Pod --mutating      # a kind of Kubernetes";

/// Add admission policies for a kind: CEL that completes or checks its objects.
///
/// The kind is one of the project's, or one of Kubernetes, such as `--group core --kind Pod`.
///
/// A policy sees what a rule with the types in `api/` cannot: who asks, the operation, the labels of the
/// namespace, parameters. The API server evaluates it, so unlike a webhook it needs no pod and no
/// certificate. A webhook is for what CEL cannot do, such as asking other systems.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("policies").required(true).multiple(true))]
pub(in crate::cli) struct PolicyArgs {
    /// The group, without the project's domain; `core` for Pods and the like.
    #[arg(long)]
    group: Group,

    /// The version [default: the only one, or the preferred one of Kubernetes].
    #[arg(long)]
    version: Option<Version>,

    /// The kind.
    #[arg(long)]
    kind: Kind,

    /// Add a policy that checks objects.
    #[arg(long, group = "policies")]
    validating: bool,

    /// Add a policy that completes objects (Kubernetes 1.36 or newer).
    #[arg(long, group = "policies")]
    mutating: bool,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &PolicyArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_whole(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let wanted = Policies {
        mutating: args.mutating,
        validating: args.validating,
    };
    project.add_policies(&args.group, args.version.as_ref(), &args.kind, wanted)?;
    let (before, after) = Change::new(view, Some(&root.project), &project).trees()?;
    say_what_to_check(view, &project, &before, &invocation.ui)?;
    let plan = invocation.carry_out(&Transition {
        command: "create policy",
        view,
        before,
        after,
        force: args.force,
    })?;
    let edits = new_files(&root.project, &project);
    let edits = edits.iter().map(|file| format!("edit {file}"));
    let steps = ["make test-cluster".into(), "rop dev".into()];
    invocation.next(&plan, &edits.chain(steps).collect::<Vec<_>>());
    Ok(())
}

/// The files of the policies that were added.
fn new_files(before: &Project, after: &Project) -> Vec<String> {
    let files = |project: &Project| -> Vec<String> {
        let kinds = project.policy_kinds();
        let files = kinds
            .iter()
            .flat_map(|kind| kind.kind.policies.sorts().map(|sort| kind.policy(sort)));
        files.collect()
    };
    let known = files(before);
    let mut files = files(after);
    files.retain(|file| !known.contains(file));
    files
}
