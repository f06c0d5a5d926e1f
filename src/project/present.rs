//! Checks that the sources of what PROJECT lists exist.

use crate::disk::View;
use crate::error::{Code, Error, Result};

use super::kind::renumber;
use super::{Admission, Controller, FILE_NAME, KindController, Project, Versioned};

/// Sources that PROJECT lists and that do not exist, a line of the message each.
#[derive(Debug, Default)]
pub(crate) struct MissingSources {
    lines: Vec<String>,
    /// The modules that they are.
    modules: Vec<String>,
    /// Whether some are elsewhere in the project.
    moved: bool,
}

impl Project {
    /// Looks for the sources of every kind and every controller: the generated code names them as
    /// modules, so without them nothing compiles.
    pub(crate) fn missing_sources(&self, view: &View) -> MissingSources {
        let mut missing = MissingSources::default();
        // Where the controllers are if `multigroup` was changed by hand.
        let moved = self.with_other_layout();
        let controllers = controllers(self, &moved);
        for version in self.own_versions() {
            missing.check_version(view, version, &controllers);
        }
        let is_of_others = |controller: &Controller<'_>| !controller.of.kind.is_own();
        missing.check_controllers(view, &controllers, is_of_others);
        for kind in self.webhook_kinds() {
            for sort in kind.sorts() {
                let what = format!("the {} webhook", sort.name());
                missing.check_module(view, &kind.file(sort), None, &what, &kind.gvk());
            }
        }
        missing
    }

    /// The project without the kinds and controllers whose sources are not all there.
    pub(crate) fn present(&self, view: &View) -> Self {
        let mut present = self.clone();
        let gone: Vec<_> = self
            .controllers()
            .into_iter()
            .filter(|controller| {
                !controller.is_of_template() && !is_module(view, &controller.source())
            })
            .map(|controller| controller.listed)
            .collect();
        for (kind, listed) in present.kinds.iter_mut().zip(&self.kinds) {
            let is_gone = |controller: &&KindController| {
                gone.iter().any(|gone| std::ptr::eq(*gone, *controller))
            };
            let kept = listed
                .controllers
                .iter()
                .filter(|controller| !is_gone(controller));
            kind.controllers = kept.cloned().collect();
        }
        let moved = present.with_other_layout();
        let controllers = controllers(&present, &moved);
        let is_present = |version: &Versioned<'_>| {
            let mut missing = MissingSources::default();
            missing.check_version(view, *version, &controllers);
            missing.lines.is_empty()
        };
        let mut kinds = Vec::new();
        for kind in &present.kinds {
            let kept: Vec<_> = kind
                .versions()
                .filter(|versioned| !kind.is_own() || is_present(versioned))
                .map(|versioned| &versioned.version.name)
                .collect();
            if !kept.is_empty() {
                let mut kind = kind.clone();
                kind.retain_versions(|version| kept.contains(&&version.name));
                kinds.push(kind);
            }
        }
        renumber(&mut kinds);
        Self {
            kinds,
            ..self.clone()
        }
    }

    /// The project with its controllers where they are: `multigroup` may have been changed by hand.
    pub(crate) fn as_laid_out(&self, view: &View) -> Self {
        let other = self.with_other_layout();
        let exists = |controller: &Controller<'_>| is_module(view, &controller.source());
        let mut controllers = self.controllers().into_iter().zip(other.controllers());
        let kinds = |project| [Self::webhook_kinds(project), Self::policy_kinds(project)].concat();
        let mut kinds = kinds(self).into_iter().zip(kinds(&other));
        let has = |kind: &Admission<'_>| {
            let mut webhooks = kind.sorts().map(|sort| kind.source(sort));
            let mut policies = kind.kind.policies.sorts().map(|sort| kind.policy(sort));
            webhooks.any(|file| view.is_file(&file)) || policies.any(|file| view.is_file(&file))
        };
        let is_other = controllers.any(|(listed, moved)| exists(&moved) && !exists(&listed))
            || kinds.any(|(listed, moved)| has(&moved) && !has(&listed));
        if is_other { other } else { self.clone() }
    }

    /// The project as `multigroup` has it if it is changed.
    fn with_other_layout(&self) -> Self {
        Self {
            multigroup: !self.multigroup,
            ..self.clone()
        }
    }
}

/// A controller, and the same one in the other layout.
type Places<'a> = (Controller<'a>, Controller<'a>);

fn controllers<'a>(project: &'a Project, moved: &'a Project) -> Vec<Places<'a>> {
    let moved = moved.controllers();
    project.controllers().into_iter().zip(moved).collect()
}

/// Whether a module exists, as a file or as a folder.
fn is_module(view: &View, path: &str) -> bool {
    view.is_file(&format!("{path}.rs")) || view.is_file(&format!("{path}/mod.rs"))
}

impl MissingSources {
    fn check_version(&mut self, view: &View, version: Versioned<'_>, controllers: &[Places<'_>]) {
        if version.version.api {
            self.check_module(view, &version.types(), None, "the types", &version.gvk());
        }
        self.check_controllers(view, controllers, |controller| controller.of.is(version));
    }

    /// Checks the selected controllers, and their tests if these are in the other layout.
    fn check_controllers(
        &mut self,
        view: &View,
        controllers: &[Places<'_>],
        is_checked: impl Fn(&Controller<'_>) -> bool,
    ) {
        for (listed, moved) in controllers.iter().filter(|(listed, _)| is_checked(listed)) {
            let gvk = listed.of.gvk();
            for (module, moved, what, needed) in [
                (listed.source(), moved.source(), "the controller", true),
                (listed.tests(), moved.tests(), "the tests", false),
            ] {
                let moved = is_module(view, &moved).then_some(moved);
                if needed || moved.is_some() {
                    self.check_module(view, &module, moved.as_deref(), what, &gvk);
                }
            }
        }
    }

    fn check_module(
        &mut self,
        view: &View,
        module: &str,
        moved: Option<&str>,
        what: &str,
        gvk: &str,
    ) {
        if is_module(view, module) {
            return;
        }
        let mut line = format!("`{module}`, {what} of {gvk}");
        if let Some(moved) = moved {
            line = format!("{line} (found in `{moved}`)");
            self.moved = true;
        }
        self.lines.push(line);
        self.modules.push(module.to_owned());
    }

    /// Whether a file is of a missing module.
    pub(crate) fn has(&self, path: &str) -> bool {
        let rest = |module: &String| path.strip_prefix(module.as_str());
        let mut rests = self.modules.iter().filter_map(rest);
        rests.any(|rest| rest == ".rs" || rest.starts_with('/'))
    }

    /// The message that lists the missing sources, if there are any.
    pub(crate) fn message(&self) -> Option<String> {
        let lines: String = self
            .lines
            .iter()
            .map(|line| format!("\n  {line}"))
            .collect();
        (!lines.is_empty()).then(|| format!("{FILE_NAME} lists files that do not exist:{lines}"))
    }

    /// Fails if sources are missing.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(message) = self.message() else {
            return Ok(());
        };
        let error = Error::new(Code::FilesMissing, message).hint(format!(
            "restore the files, or revert the change in {FILE_NAME}"
        ));
        Err(error.hint(if self.moved {
            "or move the files: `rop generate project`"
        } else {
            "or generate new files: `rop generate project`"
        }))
    }
}
