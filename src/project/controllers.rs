//! The controllers of a project, their names and their modules.

use std::collections::BTreeMap;

use crate::error::{Code, Error, Result};

use super::layout::{CLUSTER_TESTS, CONTROLLERS};
use super::name::{ControllerName, NameError, module};
use super::{KindController, Project, Versioned};

/// The longest name that a controller may have at run time: it is the name of an annotation, and a part of a field
/// manager.
const NAME_MAX: usize = 63;

/// A controller with its names and its module.
#[derive(Clone, Debug)]
pub struct Controller<'a> {
    /// As its kind lists it.
    pub(super) listed: &'a KindController,
    /// Its kind, in the version that it works with.
    pub of: Versioned<'a>,
    /// Its module below `src/controller/`.
    pub module: Vec<String>,
    /// Its name in metrics and logs, if it is not the first of its kind.
    pub name: Option<String>,
}

impl Controller<'_> {
    /// Whether it comes from the template of one of the project's own kinds: it writes the status.
    pub fn is_of_template(&self) -> bool {
        self.of.kind.is_own() && self.name.is_none()
    }

    /// Its name in metrics and logs.
    pub fn runtime_name(&self) -> String {
        let first = || ControllerName::of(&self.of.kind.name).to_string();
        self.name.clone().unwrap_or_else(first)
    }

    /// Its module, without `.rs`.
    pub fn source(&self) -> String {
        format!("{CONTROLLERS}/{}", self.module.join("/"))
    }

    /// The module of its tests on a real API server, without `.rs`.
    pub(crate) fn tests(&self) -> String {
        format!("{CLUSTER_TESTS}/{}", self.module.join("/"))
    }

    /// Its name in messages.
    pub(super) fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("the controller `{name}` of {}", self.of.gvk()),
            None => self.of.gvk(),
        }
    }
}

impl Project {
    /// Every controller: those of the project's own kinds, then those of kinds of others.
    pub fn controllers(&self) -> Vec<Controller<'_>> {
        let names = self.file_names();
        let entries = self.entries().into_iter();
        let controllers = entries
            .flat_map(|of| {
                let Versioned { kind, version } = of;
                let controllers = kind.controllers_of(&version.name);
                controllers.map(move |listed| (of, listed))
            })
            .map(|(of, listed)| {
                let group = &of.kind.group;
                let (module, name) = match &listed.name {
                    None => (names.module(of.kind), None),
                    Some(name) => {
                        let last = module(&name.as_str().replace('-', "_"));
                        let name = if self.multigroup {
                            format!("{}-{name}", group.as_str().replace('.', "-"))
                        } else {
                            name.to_string()
                        };
                        (self.in_group(group, last), Some(name))
                    }
                };
                Controller {
                    listed,
                    of,
                    module,
                    name,
                }
            });
        controllers.collect()
    }

    /// Checks that no two controllers have the same name: within a kind by kubebuilder's rule, and in metrics and logs.
    pub(super) fn check_controllers(&self) -> Result<()> {
        for entry in self.entries() {
            check_names(entry)?;
            let kind = entry.kind;
            let is_watched = !kind.controllers.is_empty() && !kind.is_own();
            if self.namespaced && is_watched && !kind.namespaced {
                return Err(cluster_scoped_error(entry).hint(
                    "let the operator watch all namespaces: `rop edit \
                        --namespaced=false`",
                ));
            }
        }
        let controllers = self.controllers();
        let mut taken: BTreeMap<String, &Controller<'_>> = BTreeMap::new();
        for controller in &controllers {
            let name = controller.runtime_name();
            if name.len() > NAME_MAX {
                return Err(NameError {
                    what: "controller name",
                    rule: format!("must have at most {NAME_MAX} characters"),
                    value: name,
                    hint: Some("choose a shorter name with `--controller-name`".into()),
                }
                .into());
            }
            // Where the kinds of two first controllers have one name, the library adds the group to the second one's.
            if let Some(other) = taken.insert(name.clone(), controller)
                && (other.name.is_some() || controller.name.is_some())
            {
                return Err(Error::new(
                    Code::NameTaken,
                    format!(
                        "the controllers of {} and {} would both be named `{name}`",
                        other.of.gvk(),
                        controller.of.gvk()
                    ),
                )
                .hint("choose another name with `--controller-name`"));
            }
        }
        Ok(())
    }
}

/// The names of the controllers of a kind must differ in letters and digits.
fn check_names(version: Versioned<'_>) -> Result<()> {
    let mut taken = BTreeMap::new();
    for controller in version.kind.controllers_of(&version.version.name) {
        let name = controller
            .name
            .clone()
            .unwrap_or_else(|| ControllerName::of(&version.kind.name));
        if let Some(other) = taken.insert(name.letters(), name.clone()) {
            return Err(Error::new(
                Code::NameTaken,
                format!(
                    "the controllers `{other}` and `{name}` of {} differ only in `-`",
                    version.gvk()
                ),
            )
            .hint("choose another name with `--controller-name`"));
        }
    }
    Ok(())
}

/// The error of a cluster-scoped kind in an operator with a namespaced role.
pub(super) fn cluster_scoped_error(version: Versioned<'_>) -> Error {
    Error::new(
        Code::ScopeConflict,
        format!(
            "{} is cluster-scoped, but a namespaced operator cannot watch it",
            version.gvk()
        ),
    )
}
