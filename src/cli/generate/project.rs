use clap::Args;

use crate::cli::delete::left;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::project::{Project, ProjectKind, Versioned};
use crate::record::Record;
use crate::scaffold::{self, Change};

const EXAMPLES: &str = "\
Examples:
  rop generate project
  rop generate project --dry-run
  rop generate project --force";

/// Bring the project in line with PROJECT.
///
/// Files that are missing are written again, and so are those of a kind that was added to PROJECT by
/// hand. The files of a kind, a webhook or a policy that was taken out of PROJECT are deleted. If
/// `multigroup` was changed there, the controllers move, with your edits. Else your own files stay as
/// they are. If a file that has to be overwritten or deleted was edited, the command says so and writes
/// nothing, unless `--force` is given.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ProjectArgs {
    /// Overwrite files that rop owns, and delete files of removed kinds, even if they were edited.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ProjectArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let (view, project) = (&entered.view, &root.project);
    let former = scaffold::former(view, project)?;
    let is_former = former.is_some();
    let [current, next] = former.unwrap_or_else(|| [project.clone(), project.clone()]);
    let change = Change {
        makes_missing: true,
        merges_edits: is_former,
        is_former,
        ..Change::new(view, Some(&current), &next)
    };
    let (before, after) = change.trees()?;
    let last = Record::read(view)?.filter(|_| !is_former);
    let plan = invocation.carry_out(&Transition {
        command: "generate project",
        view,
        before,
        after,
        force: args.force,
    })?;
    let last = last.map(|record| record.project);
    for (gone, is_kept) in last.iter().flat_map(|last| gone(last, &next)) {
        for note in left::notes(&gone, is_kept) {
            invocation.ui.note(&note);
        }
    }
    invocation.next(
        &plan,
        &["rop generate manifests".into(), "cargo test".into()],
    );
    Ok(())
}

/// The kinds that were taken out of PROJECT, and those of which a version was: what is gone, and whether the kind has
/// other versions.
fn gone(last: &Project, next: &Project) -> Vec<(ProjectKind, bool)> {
    let is_listed = |one: Versioned<'_>| next.own_versions().any(|other| other.is(one));
    let kinds = last.own_kinds().flat_map(|kind| {
        let is_kept = next.same(kind).is_some();
        let all = kind.versions().filter(move |one| match is_kept {
            true => !is_listed(*one),
            false => one.is_hub(),
        });
        all.map(move |one| (one.kind.only(one.version), is_kept))
    });
    kinds.collect()
}
