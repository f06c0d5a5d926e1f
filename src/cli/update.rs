use clap::{Args, ValueEnum};

use crate::address::UPGRADE;
use crate::error::{Code, Error, Result};
use crate::listed::listed;
use crate::plan::{self, Conflict, Plan, WayOut};
use crate::project::release;
use crate::record::{self, Record};
use crate::scaffold::Change;

use super::generate::check::access;
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
    let view = &entered.view;
    let (before, after) = Change::update(view, &root.project).trees()?;
    let (plan, conflicts) = plan::compare(view, &before, &after, args.force)?;
    if args.check {
        let has_other_templates =
            Record::read(view)?.is_some_and(|record| record.has_other_templates());
        return check(&plan, &conflicts, has_other_templates, invocation);
    }
    let can_mark = conflicts.iter().all(|it| it.way_out == WayOut::Choose);
    let is_written = conflicts.is_empty() || args.conflicts == Mode::Markers && can_mark;
    if !is_written {
        let error = plan::refusal(&conflicts).with_code(Code::UpdateConflict);
        return refuse(&Plan::default(), &conflicts, error, invocation);
    }
    invocation.write(COMMAND, view, &plan)?;
    if !conflicts.is_empty() {
        let error = conflicts::marked(&conflicts, invocation.dry_run);
        return refuse(&plan, &conflicts, error, invocation);
    }
    if invocation.json {
        let printed = print_json(&plan, &conflicts, None, invocation);
        return report::of_done(COMMAND, printed);
    }
    invocation.report_written(COMMAND, &plan)?;
    invocation.next(
        &plan,
        &["rop generate manifests".into(), "cargo test".into()],
    );
    Ok(())
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
        Error::new(Code::Drift, message).hint("run `rop update` and commit the result")
    });
    if invocation.json {
        print_json(plan, conflicts, error.as_ref(), invocation)?;
    } else {
        for note in &plan.notes {
            invocation.ui.note(note);
        }
        invocation.ui.data(&plan.diff())?;
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
    for note in &plan.notes {
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
