//! Whether the sources of what PROJECT lists are there.

use crate::disk::View;
use crate::error::{Error, Result};

use super::{FILE_NAME, Project, Resource};

/// Sources that PROJECT lists and that are not there, each as the end of a sentence.
#[derive(Debug, Default)]
pub(crate) struct Absent(Vec<String>);

impl Project {
    /// Looks for the sources of every kind and every controller: the generated code names them as
    /// modules, so without them nothing compiles.
    pub(crate) fn absent(&self, view: &View) -> Absent {
        let mut absent = Absent::default();
        // Where the controllers are if `multigroup` was changed by hand.
        let moved = Self {
            multigroup: !self.multigroup,
            ..self.clone()
        };
        for resource in &self.resources {
            if resource.api.is_some() {
                let module = format!(
                    "api/src/{}/{}/{}",
                    resource.group.module(),
                    resource.version,
                    resource.kind.module()
                );
                absent.look(view, &module, None, "the types", resource);
            }
            if resource.controller {
                let [here, there] = [self, &moved].map(|p| p.controller_module(resource).join("/"));
                for (folder, what, needed) in [
                    ("src/controller", "the controller", true),
                    ("tests/cluster", "the tests", false),
                ] {
                    let there = format!("{folder}/{there}");
                    let there = is_module(view, &there).then_some(there);
                    if needed || there.is_some() {
                        let here = format!("{folder}/{here}");
                        absent.look(view, &here, there.as_deref(), what, resource);
                    }
                }
            }
        }
        absent
    }
}

/// Whether a module is there, as one file or as a folder.
fn is_module(view: &View, path: &str) -> bool {
    view.is_file(&format!("{path}.rs")) || view.is_file(&format!("{path}/mod.rs"))
}

impl Absent {
    fn look(
        &mut self,
        view: &View,
        module: &str,
        moved: Option<&str>,
        what: &str,
        resource: &Resource,
    ) {
        if is_module(view, module) {
            return;
        }
        let mut line = format!("`{module}`, {what} of {}", resource.gvk());
        if let Some(moved) = moved {
            line = format!("{line}: move `{moved}` there");
        }
        self.0.push(line);
    }

    /// What is absent, if anything is.
    pub(crate) fn message(&self) -> Option<String> {
        let lines: String = self.0.iter().map(|line| format!("\n  {line}")).collect();
        (!self.0.is_empty()).then(|| format!("{FILE_NAME} lists what does not exist:{lines}"))
    }

    /// Refuses a project of which anything is absent.
    pub(crate) fn check(&self) -> Result<()> {
        match self.message() {
            None => Ok(()),
            Some(message) => Err(Error::new(message).hint(format!(
                "move or restore the files, or take back what was changed in {FILE_NAME}"
            ))),
        }
    }
}
