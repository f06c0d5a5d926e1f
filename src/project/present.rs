//! Whether the sources of what PROJECT lists are there.

use crate::disk::View;
use crate::error::{Code, Error, Result};

use super::kind::settle;
use super::{Admission, Controller, FILE_NAME, KindController, Project, Versioned};

/// Sources that PROJECT lists and that are not there, each as the end of a sentence.
#[derive(Debug, Default)]
pub(crate) struct Absent {
    lines: Vec<String>,
    /// Whether some are elsewhere in the project.
    moved: bool,
}

impl Project {
    /// Looks for the sources of every kind and every controller: the generated code names them as
    /// modules, so without them nothing compiles.
    pub(crate) fn absent(&self, view: &View) -> Absent {
        let mut absent = Absent::default();
        // Where the controllers are if `multigroup` was changed by hand.
        let moved = self.with_other_layout();
        let controllers = controllers(self, &moved);
        for version in self.own_versions() {
            absent.look_for(view, version, &controllers);
        }
        let is_of_others = |controller: &Controller<'_>| !controller.of.kind.is_own();
        absent.look_for_controllers(view, &controllers, is_of_others);
        for kind in self.webhook_kinds() {
            for sort in kind.sorts() {
                let what = format!("the {} webhook", sort.name());
                absent.look(view, &kind.file(sort), None, &what, &kind.gvk());
            }
        }
        absent
    }

    /// The project without the kinds and controllers whose sources are not all there.
    pub(crate) fn present(&self, view: &View) -> Self {
        let mut present = self.clone();
        let gone = self.controllers();
        let gone = gone.iter().filter(|controller| {
            !controller.is_of_template() && !is_module(view, &controller.source())
        });
        let gone: Vec<_> = gone.map(|controller| controller.listed).collect();
        for (kind, listed) in present.kinds.iter_mut().zip(&self.kinds) {
            let is_gone =
                |controller: &&KindController| gone.iter().any(|it| std::ptr::eq(*it, *controller));
            let kept = listed
                .controllers
                .iter()
                .filter(|controller| !is_gone(controller));
            kind.controllers = kept.cloned().collect();
        }
        let moved = present.with_other_layout();
        let controllers = controllers(&present, &moved);
        let is_there = |version: &Versioned<'_>| {
            let mut absent = Absent::default();
            absent.look_for(view, *version, &controllers);
            absent.lines.is_empty()
        };
        let mut kinds = Vec::new();
        for kind in &present.kinds {
            let there = kind
                .versions()
                .filter(|version| !kind.is_own() || is_there(version));
            let there: Vec<_> = there.map(|version| &version.version.name).collect();
            if !there.is_empty() {
                let mut kind = kind.clone();
                kind.retain_versions(|version| there.contains(&&version.name));
                kinds.push(kind);
            }
        }
        settle(&mut kinds);
        Self {
            kinds,
            ..self.clone()
        }
    }

    /// The project with its controllers where they are: `multigroup` may have been changed by hand.
    pub(crate) fn as_laid_out(&self, view: &View) -> Self {
        let other = self.with_other_layout();
        let is_there = |controller: &Controller<'_>| is_module(view, &controller.source());
        let mut controllers = self.controllers().into_iter().zip(other.controllers());
        let kinds = |project| [Self::webhook_kinds(project), Self::policy_kinds(project)].concat();
        let mut kinds = kinds(self).into_iter().zip(kinds(&other));
        let has = |kind: &Admission<'_>| {
            let mut webhooks = kind.sorts().map(|sort| kind.source(sort));
            let mut policies = kind.kind.policies.sorts().map(|sort| kind.policy(sort));
            webhooks.any(|file| view.is_file(&file)) || policies.any(|file| view.is_file(&file))
        };
        let is_other = controllers.any(|(here, there)| is_there(&there) && !is_there(&here))
            || kinds.any(|(here, there)| has(&there) && !has(&here));
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

/// Whether a module is there, as one file or as a folder.
fn is_module(view: &View, path: &str) -> bool {
    view.is_file(&format!("{path}.rs")) || view.is_file(&format!("{path}/mod.rs"))
}

impl Absent {
    fn look_for(&mut self, view: &View, version: Versioned<'_>, controllers: &[Places<'_>]) {
        if version.version.api {
            self.look(view, &version.types(), None, "the types", &version.gvk());
        }
        self.look_for_controllers(view, controllers, |controller| controller.of.is(version));
    }

    /// Looks for the controllers that are meant, and for their tests where they are in another place.
    fn look_for_controllers(
        &mut self,
        view: &View,
        controllers: &[Places<'_>],
        is_meant: impl Fn(&Controller<'_>) -> bool,
    ) {
        for (here, there) in controllers.iter().filter(|(here, _)| is_meant(here)) {
            let gvk = here.of.gvk();
            for (here, there, what, needed) in [
                (here.source(), there.source(), "the controller", true),
                (here.tests(), there.tests(), "the tests", false),
            ] {
                let there = is_module(view, &there).then_some(there);
                if needed || there.is_some() {
                    self.look(view, &here, there.as_deref(), what, &gvk);
                }
            }
        }
    }

    fn look(&mut self, view: &View, module: &str, moved: Option<&str>, what: &str, gvk: &str) {
        if is_module(view, module) {
            return;
        }
        let mut line = format!("`{module}`, {what} of {gvk}");
        if let Some(moved) = moved {
            line = format!("{line} (found in `{moved}`)");
            self.moved = true;
        }
        self.lines.push(line);
    }

    /// What is absent, if anything is.
    pub(crate) fn message(&self) -> Option<String> {
        let lines = self.lines.iter().map(|line| format!("\n  {line}"));
        let lines: String = lines.collect();
        (!lines.is_empty()).then(|| format!("{FILE_NAME} lists files that do not exist:{lines}"))
    }

    /// Refuses a project of which anything is absent.
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
