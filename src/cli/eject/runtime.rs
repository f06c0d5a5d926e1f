use clap::Args;

use crate::address::RUNTIME;
use crate::cli::help::examples;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::{Code, Error, Result};
use crate::project::{Project, Runtime};
use crate::scaffold::Change;

const EXAMPLES: &str = "\
Examples:
  rop eject runtime
  rop eject runtime --dry-run
  rop edit --runtime vendored";

/// Take over the vendored source of rop-runtime as your own.
///
/// Keeps the files in `runtime/` with your edits, and no rop command changes them again: deletes `runtime/SUMS`, and
/// PROJECT gets `runtime: path:runtime`. Updates of the library are yours to apply.
/// `rop edit --runtime vendored` goes back to rop's source.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[RUNTIME]))]
pub(in crate::cli) struct RuntimeArgs {
    /// Delete `runtime/SUMS` even if you edited it.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &RuntimeArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_complete(Access::Write)?;
    let (view, project) = (&entered.view, root.project);
    let own = Runtime::Path(Runtime::FOLDER.to_owned());
    if !project.runtime.is_vendored() && project.runtime != own {
        let message = format!(
            "the runtime is not vendored: PROJECT has `{}`",
            project.runtime
        );
        return Err(Error::new(Code::RuntimeNotVendored, message)
            .hint("vendor it first: `rop edit --runtime vendored`"));
    }
    if view.is_linked(Runtime::FOLDER) {
        let message = format!(
            "`{}` is a link, so the source is not in the project",
            Runtime::FOLDER
        );
        return Err(Error::new(Code::RuntimeNotVendored, message)
            .hint("replace the link with a copy of its target, or name the directory: `rop edit --runtime path:DIR`"));
    }
    let manifest = format!("{}/Cargo.toml", Runtime::FOLDER);
    if !view.is_file(&manifest) {
        let message = format!("`{manifest}` does not exist, so there is nothing to take over");
        return Err(Error::new(Code::FilesMissing, message)
            .hint("restore the files, or generate them: `rop generate project`"));
    }
    let next = Project {
        runtime: own,
        ..project.clone()
    };
    let (before, after) = Change::new(view, Some(&project), &next).trees()?;
    let plan = invocation.carry_out(&Transition {
        command: "eject runtime",
        view,
        before,
        after,
        force: args.force,
    })?;
    invocation.next(&plan, &["cargo test".into()]);
    Ok(())
}
