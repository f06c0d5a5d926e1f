//! The environment of a command, and the path from a planned tree to the disk.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Context as _, Error, Result};
use crate::plan::{self, Interrupted, Lock, Plan, Tree};
use crate::project::{self, Root};
use crate::ui::{Ui, Verbosity};

use super::args::global::GlobalArgs;
use super::report;
use super::report::failure;

/// The process's surroundings, as the global flags set them.
pub(crate) struct Invocation {
    pub(crate) ui: Ui,
    pub(crate) dry_run: bool,
    pub(crate) json: bool,
    /// The directory of `-C`; empty without it.
    pub(crate) start: PathBuf,
    /// The interrupted command in the project that was entered last.
    interrupted: RefCell<Option<Interrupted>>,
}

/// Whether a command may write into a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A locked project.
pub(crate) struct Entered {
    /// Its files: those on disk, but for a dry run beside an interrupted command.
    pub(crate) view: View,
    _lock: Lock,
}

impl Entered {
    /// Fails if an interrupted command is not finished on disk, for work that other programs do.
    pub(crate) fn check_on_disk(&self) -> Result<()> {
        if self.view.is_on_disk() {
            return Ok(());
        }
        Err(Error::new(
            Code::Interrupted,
            "an interrupted command is not finished yet, and this command needs its files on disk",
        )
        .hint("run this command without `--dry-run` and `--check`: it finishes the interrupted command first"))
    }
}

/// A locked project, with PROJECT.
pub(crate) struct Opened {
    pub(crate) entered: Entered,
    pub(crate) root: Root,
}

/// A command that changes a project.
pub(crate) struct Transition<'a> {
    /// Its name, such as `create api`.
    pub(crate) command: &'a str,
    /// The files of the project.
    pub(crate) view: &'a View,
    /// The files as last generated.
    pub(crate) before: Tree,
    /// The desired files.
    pub(crate) after: Tree,
    /// Whether files in the way are overwritten.
    pub(crate) force: bool,
}

impl Invocation {
    pub(crate) fn new(global: GlobalArgs) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        Self {
            ui: Ui::new(stream_color(global.color), verbosity),
            dry_run: global.dry_run,
            json: global.json,
            start: global.start.unwrap_or_default(),
            interrupted: RefCell::default(),
        }
    }

    /// Changes to the directory of `-C`, from which paths of the command line then start.
    ///
    /// # Errors
    /// It cannot be entered.
    pub(crate) fn change_directory(&self) -> Result<()> {
        if self.start.as_os_str().is_empty() {
            return Ok(());
        }
        std::env::set_current_dir(&self.start).map_err(|error| {
            let directory = self.start.display();
            let message = format!("failed to change to the directory `{directory}`");
            let error = Error::new(Code::InvalidDirectory, error).context(message);
            error.hint("name an existing directory with `-C`")
        })
    }

    /// Makes sure that no other rop works in `root`, and finishes what a killed one left there. A
    /// dry run, or a check, only looks at what that will be.
    pub(crate) fn enter(&self, root: &Path, access: Access) -> Result<Entered> {
        let lock = Lock::take(root, || {
            self.ui
                .note("waiting for another rop command in this project");
        })?;
        let reads = self.dry_run || access == Access::Read;
        let (view, interrupted) = if reads {
            plan::healed_view(root)?
        } else {
            let interrupted = plan::heal(root)?;
            (View::of(root)?, interrupted)
        };
        if let Some(interrupted) = &interrupted {
            self.ui.note(&note(interrupted, reads));
        }
        self.interrupted.replace(interrupted);
        Ok(Entered { view, _lock: lock })
    }

    /// Enters the project that the command was started in, and reads PROJECT. Says so if sources of
    /// what that lists are missing.
    pub(crate) fn open(&self, access: Access) -> Result<Opened> {
        let opened = self.open_incomplete(access)?;
        let missing = opened.root.project.missing_sources(&opened.entered.view);
        if let Some(message) = missing.message() {
            self.ui.note(&message);
        }
        Ok(opened)
    }

    /// As [`Self::open`], for a command that generates code for all that PROJECT lists.
    pub(crate) fn open_complete(&self, access: Access) -> Result<Opened> {
        let opened = self.open_incomplete(access)?;
        opened
            .root
            .project
            .missing_sources(&opened.entered.view)
            .check()?;
        Ok(opened)
    }

    /// As [`Self::open`], for a command that creates missing files and moves others.
    pub(crate) fn open_incomplete(&self, access: Access) -> Result<Opened> {
        let directory = working_directory()?;
        let found = project::find(&directory)?;
        if found.path != directory {
            let path = found.path.display();
            self.ui.note(&format!("using the project in `{path}`"));
        }
        let entered = self.enter(&found.path, access)?;
        let root = found.read(&entered.view)?;
        Ok(Opened { entered, root })
    }

    /// As [`Self::open`], for a command that lets other programs read the files of the project.
    pub(crate) fn open_on_disk(&self, access: Access) -> Result<Opened> {
        let opened = self.open(access)?;
        opened.entered.check_on_disk()?;
        Ok(opened)
    }

    /// Plans a change and applies it; with `--dry-run`, only shows it.
    pub(crate) fn carry_out(&self, change: &Transition<'_>) -> Result<Plan> {
        self.carry_out_noting(change, |_| Ok(Vec::new()))
    }

    /// As [`Self::carry_out`]. `follow_up` returns what the user has to know or do after the change.
    pub(crate) fn carry_out_noting(
        &self,
        change: &Transition<'_>,
        follow_up: impl FnOnce(&Plan) -> Result<Vec<String>>,
    ) -> Result<Plan> {
        let mut plan = plan::plan(change.view, &change.before, &change.after, change.force)?;
        plan.follow_up = follow_up(&plan)?;
        self.write(change.command, change.view, &plan)?;
        self.report_written(change.command, &plan)?;
        Ok(plan)
    }

    /// Writes what is planned, unless it is a dry run.
    pub(crate) fn write(&self, command: &str, view: &View, plan: &Plan) -> Result<()> {
        if !self.dry_run
            && let Some(left) = plan::commit(view.root(), command, plan)?
        {
            let left = left.chain().collect::<Vec<_>>().join(": ");
            self.ui.note(&format!(
                "{left}; everything else is done, and the next rop command tries again"
            ));
        }
        Ok(())
    }

    /// Reports a plan that was written, or shown.
    pub(crate) fn report_written(&self, command: &str, plan: &Plan) -> Result<()> {
        let printed = self.report(command, plan);
        if self.dry_run || plan.is_empty() {
            printed
        } else {
            report::of_done(command, printed)
        }
    }

    /// Reports a plan: with `--json`, as JSON.
    pub(crate) fn report(&self, command: &str, plan: &Plan) -> Result<()> {
        for note in &plan.notes {
            self.ui.note(note);
        }
        if self.json {
            self.note_follow_up(plan);
            return self.ui.json(&self.as_json(command, plan));
        }
        if plan.is_empty() {
            self.ui.done("unchanged", "everything is up to date");
        } else if self.dry_run {
            self.ui.note("dry run: nothing was written");
            self.ui.found_list(&report::lines(plan))?;
            if self.ui.is_verbose() {
                self.ui.data(&plan.diff())?;
            }
        } else {
            self.ui.list(&if self.ui.is_verbose() {
                report::lines(plan)
            } else {
                report::summary(plan)
            });
        }
        self.note_follow_up(plan);
        Ok(())
    }

    fn note_follow_up(&self, plan: &Plan) {
        for note in &plan.follow_up {
            self.ui.note(note);
        }
    }

    /// A plan as JSON, with the notes so far.
    pub(crate) fn as_json(&self, command: &str, plan: &Plan) -> Value {
        let mut report = json!({"command": command, "dryRun": self.dry_run});
        self.report_interrupted(&mut report);
        report["changes"] = report::changes(plan);
        report["notes"] = json!(self.ui.notes());
        report
    }

    /// Reports what ended the command: to people, and as JSON if that is asked for and nothing was
    /// printed, for stdout has one document.
    pub(crate) fn error(&self, error: &Error) {
        self.ui.error(error);
        if self.json && !self.ui.has_data() {
            // If stdout is gone, nobody is left to tell.
            let _ = self.ui.json(&failure::of_error(error));
        }
    }

    /// Refuses `--json` for a command that prints something else.
    pub(crate) fn refuse_json(&self, command: &str, reason: &str) -> Result<()> {
        if self.json {
            return Err(Error::new(
                Code::ConflictingFlags,
                format!("`rop {command}` does not support `--json`: {reason}"),
            ));
        }
        Ok(())
    }

    /// Adds the interrupted command to a report.
    pub(crate) fn report_interrupted(&self, report: &mut Value) {
        if let Some(interrupted) = &*self.interrupted.borrow() {
            report["interrupted"] = json!(interrupted);
        }
    }

    /// Prints the next steps, if the plan changed anything.
    pub(crate) fn next(&self, plan: &Plan, lines: &[String]) {
        if !(self.dry_run || self.json || plan.is_empty()) {
            self.ui.next(lines);
        }
    }
}

/// A choice of color as the terminal's streams take it.
pub(super) fn stream_color(color: clap::ColorChoice) -> ColorChoice {
    match color {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
}

/// The directory that the command works in.
pub(crate) fn working_directory() -> Result<PathBuf> {
    let directory = std::env::current_dir()
        .context(Code::SystemError, || "failed to find the current directory")?;
    if directory.to_str().is_none() {
        return Err(Error::new(
            Code::PathNotUtf8,
            format!(
                "the path `{}` is not UTF-8: Cargo.toml cannot refer to it",
                directory.display()
            ),
        )
        .hint("work in a directory whose path is UTF-8"));
    }
    Ok(directory)
}

/// The note on an interrupted command: that it is, or will be, finished or reverted.
fn note(interrupted: &Interrupted, later: bool) -> String {
    match (interrupted, later) {
        (Interrupted::Unstarted, false) => {
            "cleaned up after an interrupted command, which had changed nothing".into()
        }
        (Interrupted::Unstarted, true) => {
            "an interrupted command changed nothing; the next command that is not a dry run cleans up after it".into()
        }
        (Interrupted::Unfinished { command, .. }, false) => {
            format!("finished `rop {command}`, which had been interrupted")
        }
        (Interrupted::Unfinished { command, .. }, true) => {
            format!("`rop {command}` was interrupted; the next command that is not a dry run finishes it, and \
                this dry run assumes it is finished")
        }
        (Interrupted::Failed { command, .. }, false) => {
            format!("undid `rop {command}`, which had failed and been interrupted")
        }
        (Interrupted::Failed { command, .. }, true) => {
            format!("`rop {command}` failed and was interrupted; the next command that is not a dry run undoes \
                it, and this dry run assumes it is undone")
        }
        (Interrupted::Changed { command, .. }, false) => {
            format!("undid `rop {command}`, which had been interrupted: its files were changed or reverted since")
        }
        (Interrupted::Changed { command, .. }, true) => {
            format!("`rop {command}` was interrupted, and its files were changed or reverted since; the next command \
                that is not a dry run undoes it, and this dry run assumes it is undone")
        }
    }
}
