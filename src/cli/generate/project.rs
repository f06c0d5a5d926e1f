use clap::Args;

use super::check::Drift;
use crate::address::OWNERSHIP;
use crate::cli::delete::left;
use crate::cli::help::examples;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::plan::{self, Plan, Tree};
use crate::project::{FILE_NAME, Project, ProjectKind, Versioned};
use crate::record::Record;
use crate::scaffold::{Change, Former, Missing};

const EXAMPLES: &str = "\
Examples:
  rop generate project
  rop generate project --dry-run
  rop generate project --restore
  rop generate project --force";

/// How many kinds a note names.
const NAMED: usize = 5;

/// What is wrong with a file that git could not merge.
const MERGED: &str = "has merge conflicts";

/// Generate missing files, and delete files that PROJECT no longer needs.
///
/// Also generates the files of kinds that you added to PROJECT by hand, and deletes those of kinds, webhooks and
/// policies that you removed. If you changed `multigroup`, moves the controllers with your edits. Your other files are
/// not touched. Seeded files that you deleted stay deleted, unless `--restore` is given. If you edited a file that would
/// be overwritten or deleted, writes nothing unless `--force` is given.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OWNERSHIP]))]
pub(in crate::cli) struct ProjectArgs {
    /// Also recreate seeded files that you deleted.
    #[arg(long)]
    restore: bool,

    /// Overwrite and delete generated files even if you edited them.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &ProjectArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let (view, project) = (&entered.view, &root.project);
    let former = Former::read(view, project)?;
    let projects = projects(project, former.as_ref());
    let [current, next] = projects;
    let missing = if args.restore {
        Missing::All
    } else {
        Missing::Needed
    };
    let (before, after) = trees(view, projects, former.as_ref(), missing)?;
    let removed = if former.is_none() {
        Removed::find(view, next)?
    } else {
        Removed::default()
    };
    let transition = Transition {
        command: "generate project",
        view,
        before,
        after,
        force: args.force,
    };
    let plan = invocation.carry_out_noting(&transition, |plan| {
        let mut notes = removed.left(view, current, plan)?;
        notes.extend(former.as_ref().and_then(Former::note));
        Ok(notes)
    })?;
    invocation.next(
        &plan,
        &["rop generate manifests".into(), "cargo test".into()],
    );
    Ok(())
}

/// The current PROJECT and the next one. They differ after a merge of branches with different names.
fn projects<'a>(project: &'a Project, former: Option<&'a Former>) -> [&'a Project; 2] {
    match former {
        Some(former) => [&former.project, &former.next],
        None => [project; 2],
    }
}

/// The files as last generated, and the desired ones.
fn trees(
    view: &View,
    [current, next]: [&Project; 2],
    former: Option<&Former>,
    missing: Missing,
) -> Result<(Tree, Tree)> {
    let change = Change {
        missing,
        merges_edits: former.is_some(),
        former: former.map(|former| &former.others),
        ..Change::new(view, Some(current), next)
    };
    change.trees()
}

/// The files of a project that are out of date.
pub(in crate::cli) fn drift(project: &Project, view: &View) -> Result<Drift> {
    project.missing_sources(view).check()?;
    let former = Former::read(view, project)?;
    let projects = projects(project, former.as_ref());
    let (before, after) = trees(view, projects, former.as_ref(), Missing::Needed)?;
    let mut drift = Drift::between(view, &before, &after)?;
    let conflicts = plan::in_conflict(view, &after)?;
    let conflicts = conflicts.into_iter();
    drift.blocked = conflicts.map(|path| (path, MERGED.to_owned())).collect();
    Ok(drift)
}

/// What became of kinds and versions that were removed from PROJECT by hand.
#[derive(Default)]
pub(in crate::cli) struct Removed(Vec<(ProjectKind, bool)>);

impl Removed {
    /// Those that the record lists, and `next` does not.
    ///
    /// # Errors
    /// The record cannot be read.
    pub(in crate::cli) fn find(view: &View, next: &Project) -> Result<Self> {
        let last = Record::read(view)?.map(|record| record.project);
        let kinds = last.iter().flat_map(|last| removed_kinds(last, next));
        Ok(Self(kinds.collect()))
    }

    /// A note on files that are deleted with them.
    pub(in crate::cli) fn note(&self) -> Option<String> {
        let name = |gone: &ProjectKind| format!("`{}/{} {}`", gone.group, gone.hub, gone.name);
        let names: Vec<_> = self.0.iter().map(|(gone, _)| name(gone)).collect();
        (!names.is_empty()).then(|| {
            format!(
                "{FILE_NAME} no longer lists {}, so their generated files are deleted if you did not edit them. To \
                keep the files, restore the entries in {FILE_NAME}",
                listed(&names, NAMED)
            )
        })
    }

    /// Notes on what is left of them.
    ///
    /// # Errors
    /// A manifest cannot be read.
    pub(in crate::cli) fn left(
        &self,
        view: &View,
        project: &Project,
        plan: &Plan,
    ) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for (gone, is_kept) in &self.0 {
            notes.extend(left::notes(gone, *is_kept));
        }
        notes.extend(left::objects(project, plan));
        for (gone, _) in &self.0 {
            notes.extend(left::manifests(view, gone, plan)?);
        }
        if !self.0.is_empty() {
            notes.extend(left::outdated(view, plan));
        }
        Ok(notes)
    }
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
