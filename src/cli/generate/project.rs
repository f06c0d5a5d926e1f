use clap::Args;

use crate::address::OWNERSHIP;
use crate::cli::help::examples;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::scaffold::Change;

const EXAMPLES: &str = "\
Examples:
  rop generate project
  rop generate project --dry-run
  rop generate project --force";

/// Generate missing files, and delete files that PROJECT no longer needs.
///
/// Also generates the files of kinds that you added to PROJECT by hand, and deletes those of kinds, webhooks and
/// policies that you removed. If you changed `multigroup`, moves the controllers with your edits. Your other files are
/// not touched. If you edited a file that would be overwritten or deleted, writes nothing unless `--force` is given.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OWNERSHIP]))]
pub(in crate::cli) struct ProjectArgs {
    /// Overwrite and delete generated files even if you edited them.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ProjectArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let (view, project) = (&entered.view, &root.project);
    let change = Change {
        makes_missing: true,
        ..Change::new(view, Some(project), project)
    };
    let (before, after) = change.trees()?;
    let plan = invocation.carry_out(&Transition {
        command: "generate project",
        view,
        before,
        after,
        force: args.force,
    })?;
    invocation.next(
        &plan,
        &["rop generate manifests".into(), "cargo test".into()],
    );
    Ok(())
}
