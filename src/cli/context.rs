//! What a command runs in, and the way that every command takes from a tree to the disk.

use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use serde_json::json;

use crate::error::{Context as _, Error, Result};
use crate::plan::{self, Healed, Lock, Plan, Tree};
use crate::project::Project;
use crate::ui::{Ui, Verbosity};

use super::global::GlobalArgs;

/// The process's surroundings, as the global flags set them.
pub(crate) struct Context {
    pub(crate) ui: Ui,
    pub(crate) dry_run: bool,
    pub(crate) json: bool,
}

/// A command that changes a project.
pub(crate) struct Change<'a> {
    /// Its words, such as `create api`.
    pub(crate) command: &'a str,
    /// The directory of the project.
    pub(crate) root: &'a Path,
    /// What the templates make of the project as it is.
    pub(crate) before: Tree,
    /// What it is to become.
    pub(crate) after: Tree,
    /// Whether files in the way are overwritten.
    pub(crate) force: bool,
}

impl Context {
    pub(crate) fn new(global: GlobalArgs) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let color = match global.color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self {
            ui: Ui::new(color, verbosity),
            dry_run: global.dry_run,
            json: global.json,
        }
    }

    /// Makes sure that no other rop works in `root`, and finishes what a killed one left there.
    pub(crate) fn enter(&self, root: &Path) -> Result<Lock> {
        let lock = Lock::take(root, || {
            self.ui.note("waiting for another rop in this project");
        })?;
        match plan::heal(root)? {
            Healed::Nothing => {}
            Healed::Dropped => {
                self.ui.note(
                    "an interrupted command had changed nothing: removed what it had prepared",
                );
            }
            Healed::Finished { command } => {
                self.ui.note(&format!(
                    "finished `rop {command}`, which had been interrupted"
                ));
            }
        }
        Ok(lock)
    }

    /// Plans a change and carries it out, or shows it where `--dry-run` says so.
    pub(crate) fn carry_out(&self, change: &Change<'_>) -> Result<Plan> {
        let root = absolute(change.root)?;
        let plan = plan::plan(&root, &change.before, &change.after, change.force)?;
        if !self.dry_run {
            plan::commit(&root, change.command, &plan)?;
        }
        self.report(change.command, &plan)?;
        Ok(plan)
    }

    /// Tells what a plan does: as JSON where that is asked for.
    pub(crate) fn report(&self, command: &str, plan: &Plan) -> Result<()> {
        for note in &plan.notes {
            self.ui.note(note);
        }
        if self.json {
            let changes: Vec<_> = plan
                .changes
                .iter()
                .map(|c| json!({"path": c.path, "action": c.action, "class": c.class.name()}))
                .collect();
            let report = json!({"command": command, "dryRun": self.dry_run, "changes": changes});
            return self.ui.data(&format!("{report:#}\n"));
        }
        if plan.is_empty() {
            self.ui.done("done", "everything is there already");
        } else if self.dry_run {
            self.ui.note("a dry run: nothing is written");
            self.ui.planned(plan)?;
            if self.ui.is_verbose() {
                self.ui.data(&plan.diff())?;
            }
        } else {
            self.ui.changes(plan);
        }
        Ok(())
    }

    /// Says what to do next, where something was done for a person to go on from.
    pub(crate) fn next(&self, plan: &Plan, lines: &[String]) {
        if !(self.dry_run || self.json || plan.is_empty()) {
            self.ui.next(lines);
        }
    }
}

/// The directory that the command was started in.
pub(crate) fn working_directory() -> Result<PathBuf> {
    let directory = std::env::current_dir().context(|| "failed to find the current directory")?;
    if directory.to_str().is_none() {
        return Err(Error::new(format!(
            "the path `{}` is not UTF-8, and Cargo.toml can name no such path",
            directory.display()
        ))
        .hint("work in a directory whose path is UTF-8"));
    }
    Ok(directory)
}

/// A project as it was when rop last wrote its Cargo.toml: PROJECT may name another runtime since.
pub(crate) fn as_built(root: &Path, project: &Project) -> Project {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml"));
    project.as_built(&manifest.unwrap_or_default())
}

/// What differs between the files of `after` and those on disk, whoever wrote them.
///
/// `before` is what `after` has of files that are shared with the user, as they were made last.
pub(crate) fn difference(root: &Path, before: &Tree, after: &Tree) -> Result<Plan> {
    plan::plan(&absolute(root)?, before, after, true)
}

/// A path with its links resolved. `init` may give one that is not there yet, or not all of it.
fn absolute(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).context(|| format!("bad path `{}`", path.display()))?;
    for ancestor in path.ancestors() {
        if let Ok(resolved) = ancestor.canonicalize() {
            return Ok(resolved.join(path.strip_prefix(ancestor).unwrap_or(&path)));
        }
    }
    Ok(path)
}
