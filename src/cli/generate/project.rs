use clap::Args;

use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::scaffold;

const EXAMPLES: &str = "\
Examples:
  rop generate project
  rop generate project --dry-run
  rop generate project --force";

/// Write what PROJECT lists and the project lacks.
///
/// Files that are missing are written again, and so are those of a kind that was added to PROJECT by
/// hand. If `multigroup` was changed there, the controllers move, with your edits. Else your own
/// files stay as they are. If a file that rop owns was edited, the command says so and writes
/// nothing; `--force` overwrites it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ProjectArgs {
    /// Overwrite files that rop owns and somebody edited.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ProjectArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let (view, project) = (&entered.view, &root.project);
    let before = scaffold::there(view, project)?;
    let mut after = scaffold::wanted(view, project, &before, false)?;
    scaffold::move_files(view, project, &mut after)?;
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
