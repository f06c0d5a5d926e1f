//! The controllers of a project: which there are, what they are called, and where they are.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

use super::layout::{CLUSTER_TESTS, CONTROLLERS};
use super::name::{ControllerName, Group, Kind, NameError, module};
use super::{CoreKind, NamedController, Project, Resource};

/// The longest name that a controller may have at run time: it is the name of an annotation, and a part of a field
/// manager.
const NAME_MAX: usize = 63;

/// A controller.
#[derive(Clone, Debug)]
pub struct Controller<'a> {
    /// Its kind.
    pub kind: ControlledKind<'a>,
    /// Its module below `src/controller/`.
    pub module: Vec<String>,
    /// Its name in metrics and logs, if it is not the first of its kind.
    pub name: Option<String>,
}

/// The kind of a controller.
#[derive(Clone, Copy, Debug)]
pub enum ControlledKind<'a> {
    /// One of the project's own.
    Own(&'a Resource),
    /// One of Kubernetes itself.
    Core(&'a CoreKind),
}

impl ControlledKind<'_> {
    /// The kind.
    pub fn kind(&self) -> &Kind {
        match self {
            Self::Own(own) => &own.kind,
            Self::Core(core) => &core.kind,
        }
    }

    /// Group, version and kind as a person writes them.
    pub fn gvk(&self) -> String {
        match self {
            Self::Own(own) => own.gvk(),
            Self::Core(core) => core.gvk(),
        }
    }
}

impl Controller<'_> {
    /// Whether it comes from the template of one of the project's own kinds: it writes the status.
    pub fn is_of_template(&self) -> bool {
        matches!(self.kind, ControlledKind::Own(_)) && self.name.is_none()
    }

    /// Its name in metrics and logs.
    pub fn runtime_name(&self) -> String {
        let first = || ControllerName::of(self.kind.kind()).to_string();
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

    /// As it is called in a message.
    pub(super) fn said(&self) -> String {
        match &self.name {
            Some(name) => format!("the controller `{name}` of {}", self.kind.gvk()),
            None => self.kind.gvk(),
        }
    }
}

impl Project {
    /// Every controller: those of the project's own kinds, then those of kinds of Kubernetes itself.
    pub fn controllers(&self) -> Vec<Controller<'_>> {
        let names = self.own_names();
        let own = self.resources.own.iter().flat_map(|own| {
            let kind = ControlledKind::Own(own);
            let first = own.controller.then(|| names.controller_module(own));
            self.of_kind(kind, &own.group, first, &own.controllers)
        });
        let core = self.resources.core.iter().flat_map(|core| {
            let kind = ControlledKind::Core(core);
            let first = core.controller.then(|| self.core_module(core));
            self.of_kind(kind, &core.group, first, &core.controllers)
        });
        own.chain(core).collect()
    }

    fn of_kind<'a>(
        &self,
        kind: ControlledKind<'a>,
        group: &Group,
        first: Option<Vec<String>>,
        named: &[NamedController],
    ) -> Vec<Controller<'a>> {
        let first = first.map(|module| Controller {
            kind,
            module,
            name: None,
        });
        let named = named.iter().map(|NamedController { name }| {
            let last = module(&name.as_str().replace('-', "_"));
            Controller {
                kind,
                module: self.in_group(group, last),
                name: Some(match self.multigroup {
                    true => format!("{}-{name}", group.as_str().replace('.', "-")),
                    false => name.to_string(),
                }),
            }
        });
        first.into_iter().chain(named).collect()
    }

    /// Keeps some of the controllers.
    pub(super) fn retain_controllers(&mut self, keep: impl Fn(&Controller<'_>) -> bool) {
        let kept: Vec<bool> = self.controllers().iter().map(keep).collect();
        let mut kept = kept.into_iter();
        let mut is_kept = || kept.next().unwrap_or_default();
        let own = self
            .resources
            .own
            .iter_mut()
            .map(|one| (&mut one.controller, &mut one.controllers));
        let core = self
            .resources
            .core
            .iter_mut()
            .map(|one| (&mut one.controller, &mut one.controllers));
        for (first, named) in own.chain(core) {
            *first = *first && is_kept();
            named.retain(|_| is_kept());
        }
    }

    /// Checks that no two controllers have the same name: within a kind by kubebuilder's rule, and in metrics and logs.
    pub(super) fn check_controllers(&self) -> Result<()> {
        for own in &self.resources.own {
            check_names(&own.kind, &own.gvk(), own.controller, &own.controllers)?;
        }
        for core in &self.resources.core {
            check_names(&core.kind, &core.gvk(), core.controller, &core.controllers)?;
            let is_watched = core.controller || !core.controllers.is_empty();
            if self.namespaced && is_watched && !core.is_namespaced() {
                return Err(Error::usage(format!(
                    "{} is cluster-scoped, and a namespaced operator may not watch it",
                    core.gvk()
                ))
                .hint("make the project with `rop init` without `--namespaced`"));
            }
        }
        let controllers = self.controllers();
        let mut taken: BTreeMap<String, &Controller<'_>> = BTreeMap::new();
        for controller in &controllers {
            let name = controller.runtime_name();
            if name.len() > NAME_MAX {
                return Err(NameError {
                    what: "name of a controller",
                    rule: format!("is longer than {NAME_MAX} characters"),
                    value: name,
                    hint: Some("choose a shorter one with `--controller-name`".into()),
                }
                .into());
            }
            // Where the kinds of two first controllers have one name, the library adds the group to the second one's.
            if let Some(other) = taken.insert(name.clone(), controller)
                && (other.name.is_some() || controller.name.is_some())
            {
                return Err(Error::usage(format!(
                    "controllers of {} and of {} would both be called `{name}`",
                    other.kind.gvk(),
                    controller.kind.gvk()
                ))
                .hint("choose another name with `--controller-name`"));
            }
        }
        Ok(())
    }
}

/// The names of the controllers of a kind must differ in letters and digits.
fn check_names(kind: &Kind, gvk: &str, first: bool, named: &[NamedController]) -> Result<()> {
    let first = first.then(|| ControllerName::of(kind));
    let named = named.iter().map(|one| one.name.clone());
    let mut taken = BTreeMap::new();
    for name in first.into_iter().chain(named) {
        if let Some(other) = taken.insert(name.letters(), name.clone()) {
            return Err(Error::usage(format!(
                "the controllers `{other}` and `{name}` of {gvk} differ in nothing but `-`"
            ))
            .hint("choose another name with `--controller-name`"));
        }
    }
    Ok(())
}

/// Puts the controllers of a kind as PROJECT lists them: `controller: true` for the first one alone, and a list if
/// there are others.
pub(super) fn listed(kind: &Kind, first: &mut bool, named: &mut Vec<NamedController>) {
    if *first && !named.is_empty() {
        *first = false;
        let name = ControllerName::of(kind);
        named.insert(0, NamedController { name });
    }
}

/// The reverse: the first one has the name of its kind.
pub(super) fn read(kind: &Kind, first: &mut bool, named: &mut Vec<NamedController>) {
    let name = ControllerName::of(kind);
    *first |= named.iter().any(|one| one.name == name);
    named.retain(|one| one.name != name);
}
