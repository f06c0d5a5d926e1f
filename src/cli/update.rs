use clap::{Args, ValueEnum};

use crate::address::UPGRADE;
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::listed::listed;
use crate::plan::{self, Conflict, Plan, WayOut};
use crate::project::{Project, release};
use crate::record;
use crate::scaffold::{self, Change};

use super::generate::check::{Drift, access, unchecked};
use super::generate::project::Removed;
use super::help::examples;
use super::invocation::{Invocation, Opened};
use super::report::{self, conflicts, failure};

const EXAMPLES: &str = "\
Examples:
  rop update --dry-run
  rop update
  rop update --conflicts=markers
  rop update --check";

const COMMAND: &str = "update";

/// How many files an error names.
const NAMED: usize = 5;

/// How many differences an error shows.
const SHOWN: usize = 10;

/// Update the project to this release of rop, and keep your edits.
///
/// Files that you did not edit follow this release. If you edited a file, the changes of the release are merged into
/// it. Files that you deleted stay deleted, and files that you moved are updated where they are. Needs neither git nor
/// a network.
///
/// If you and this release changed the same lines, writes nothing, shows both texts and exits with 1.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[UPGRADE]))]
pub(super) struct UpdateArgs {
    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Handling of lines that both sides changed.
    #[arg(long, value_enum, default_value_t = Mode::Stop, conflicts_with = "check")]
    conflicts: Mode,

    /// Overwrite and delete generated files even if you edited them.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

/// What becomes of lines that the user and the release changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Write nothing.
    Stop,
    /// Write both texts between conflict markers, as git does, and exit with 1.
    Markers,
}

pub(super) fn run(args: &UpdateArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_incomplete(access(args.check))?;
    let (view, project) = (&entered.view, &root.project);
    let (mut plan, conflicts) = planned(view, project, args.force)?;
    if args.check {
        let has_other_templates = scaffold::has_other_templates(view, project)?;
        return check(&plan, &conflicts, has_other_templates, invocation);
    }
    let can_mark = conflicts.iter().all(|it| it.way_out == WayOut::Choose);
    let is_written = conflicts.is_empty() || args.conflicts == Mode::Markers && can_mark;
    if !is_written {
        let shows_all = invocation.json || invocation.ui.is_verbose();
        let most = if shows_all { usize::MAX } else { SHOWN };
        let error = plan::refusal(&conflicts, most).with_code(Code::UpdateConflict);
        return refuse(&Plan::default(), &conflicts, error, invocation);
    }
    plan.follow_up = Removed::find(view, project)?.left(view, project, &plan)?;
    invocation.write(COMMAND, view, &plan)?;
    if !conflicts.is_empty() {
        let error = conflicts::marked(&conflicts, invocation.dry_run);
        return refuse(&plan, &conflicts, error, invocation);
    }
    if invocation.json {
        let printed = print_json(&plan, &conflicts, None, invocation);
        return report::of_done(COMMAND, printed);
    }
    let missing = project.missing_sources(view);
    if let Some(message) = missing.message()
        && !plan.changes.iter().any(|change| missing.has(&change.path))
    {
        invocation.ui.note(&message);
    }
    invocation.report_written(COMMAND, &plan)?;
    invocation.next(
        &plan,
        &["rop generate manifests".into(), "cargo test".into()],
    );
    Ok(())
}

/// The update of a project, and its conflicts.
fn planned(view: &View, project: &Project, force: bool) -> Result<(Plan, Vec<Conflict>)> {
    let (before, after) = Change::update(view, project).trees()?;
    let (mut plan, conflicts) = plan::compare(view, &before, &after, force)?;
    plan.notes
        .splice(0..0, Removed::find(view, project)?.note());
    Ok((plan, conflicts))
}

/// What an update would change.
pub(super) fn drift(project: &Project, view: &View) -> Result<Drift> {
    let (plan, conflicts) = planned(view, project, false)?;
    let blocked = conflicts.into_iter().map(|conflict| {
        let reason = conflict.reason.split(": ").next().unwrap_or_default();
        (conflict.path, reason.to_owned())
    });
    Ok(Drift {
        plan,
        blocked: blocked.collect(),
        ..Drift::default()
    })
}

/// Ends the command because of conflicts. `plan` is what was written.
fn refuse(
    plan: &Plan,
    conflicts: &[Conflict],
    error: Error,
    invocation: &Invocation,
) -> Result<()> {
    if invocation.json {
        print_json(plan, conflicts, Some(&error), invocation)?;
    } else if !plan.is_empty() {
        invocation.report(COMMAND, plan)?;
    }
    Err(error)
}

/// Fails if the project is not what this release makes of it.
fn check(
    plan: &Plan,
    conflicts: &[Conflict],
    has_other_templates: bool,
    invocation: &Invocation,
) -> Result<()> {
    let release = release();
    let mut paths: Vec<_> = plan.reported().map(|change| &*change.path).collect();
    let others = conflicts.iter().map(|conflict| &*conflict.path);
    let others: Vec<_> = others.filter(|path| !paths.contains(path)).collect();
    paths.extend(others);
    if paths.is_empty() && has_other_templates {
        paths.push(record::LINES);
    }
    let error = (!paths.is_empty()).then(|| {
        let files = listed(&paths, NAMED);
        let message = format!("the project is not up to date with rop {release}: {files}");
        if conflicts.is_empty() {
            return Error::new(Code::Drift, message).hint("run `rop update` and commit the result");
        }
        let stops: Vec<_> = conflicts.iter().map(|conflict| &conflict.path).collect();
        let stops = listed(&stops, NAMED);
        let message = format!("{message}; `rop update` would stop at conflicts in {stops}");
        let refusal = plan::refusal(conflicts, 0);
        let hints = refusal.hints().iter().cloned();
        let error = Error::new(Code::Drift, message)
            .hint("run `rop update` to see the conflicts and resolve them");
        hints.fold(error, Error::hint)
    });
    let error = error.or_else(|| unchecked(plan).err());
    if invocation.json {
        print_json(plan, conflicts, error.as_ref(), invocation)?;
    } else {
        for note in &plan.notes {
            invocation.ui.note(note);
        }
        invocation.ui.found(&plan.diff())?;
    }
    if let Some(error) = error {
        return Err(error);
    }
    let message = format!("the project is up to date with rop {release}");
    invocation.ui.done("done", &message);
    Ok(())
}

/// Prints a plan and its conflicts, with the error that they lead to.
fn print_json(
    plan: &Plan,
    conflicts: &[Conflict],
    error: Option<&Error>,
    invocation: &Invocation,
) -> Result<()> {
    for note in plan.notes.iter().chain(&plan.follow_up) {
        invocation.ui.note(note);
    }
    let mut report = invocation.as_json(COMMAND, plan);
    report["conflicts"] = conflicts.iter().map(conflicts::of).collect();
    if let (Some(error), Some(fields)) = (error, report.as_object_mut())
        && let serde_json::Value::Object(failure) = failure::of_error(error)
    {
        fields.extend(failure);
    }
    invocation.ui.json(&report)
}
