use clap::Args;

use crate::address::OWNERSHIP;
use crate::cli::delete::left;
use crate::cli::help::examples;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::project::{Project, ProjectKind, Versioned};
use crate::record::Record;
use crate::scaffold::{Change, Former};

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
    let former = Former::read(view, project)?;
    let [current, next] = match &former {
        Some(former) => [&former.project, &former.next],
        None => [project; 2],
    };
    let change = Change {
        recreates_missing: true,
        merges_edits: former.is_some(),
        former: former.as_ref().map(|former| &former.others),
        ..Change::new(view, Some(current), next)
    };
    let (before, after) = change.trees()?;
    let record = Record::read(view)?.filter(|_| former.is_none());
    let plan = invocation.carry_out(&Transition {
        command: "generate project",
        view,
        before,
        after,
        force: args.force,
    })?;
    let last = record.map(|record| record.project);
    for (gone, is_kept) in last.iter().flat_map(|last| removed_kinds(last, next)) {
        for note in left::notes(&gone, is_kept) {
            invocation.ui.note(&note);
        }
    }
    if let Some(note) = left::objects(current, &plan) {
        invocation.ui.note(&note);
    }
    if let Some(note) = former.as_ref().and_then(Former::note) {
        invocation.ui.note(&note);
    }
    invocation.next(
        &plan,
        &["rop generate manifests".into(), "cargo test".into()],
    );
    Ok(())
}

/// The kinds that were taken out of PROJECT, and those of which a version was: what is gone, and whether the kind has
/// other versions.
fn removed_kinds(last: &Project, next: &Project) -> Vec<(ProjectKind, bool)> {
    let is_listed = |version: Versioned<'_>| next.own_versions().any(|other| other.is(version));
    let kinds = last.own_kinds().flat_map(|kind| {
        let is_kept = next.same(kind).is_some();
        let all = kind.versions().filter(move |version| {
            if is_kept {
                !is_listed(*version)
            } else {
                version.is_hub()
            }
        });
        all.map(move |version| (version.kind.only(version.version), is_kept))
    });
    kinds.collect()
}
