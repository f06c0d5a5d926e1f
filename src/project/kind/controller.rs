use super::ProjectKind;
use crate::project::name::{ControllerName, Version};

/// A controller of a kind, as PROJECT lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindController {
    /// The version of the kind that it works with.
    pub version: Version,
    /// Its name; the first controller of a kind has none.
    pub name: Option<ControllerName>,
}

impl ProjectKind {
    /// The version that the first controller works with, if there is one.
    pub fn controlled(&self) -> Option<&Version> {
        let first = self
            .controllers
            .iter()
            .find(|controller| controller.name.is_none());
        first.map(|controller| &controller.version)
    }

    /// Whether the first controller works with a version.
    pub fn controlled_in(&self, version: &Version) -> bool {
        self.controllers_of(version)
            .any(|controller| controller.name.is_none())
    }

    /// The controllers that work with a version, the first one before the others.
    pub fn controllers_of(&self, version: &Version) -> impl Iterator<Item = &KindController> {
        let controllers = self.controllers.iter();
        controllers.filter(move |controller| controller.version == *version)
    }

    /// Adds a controller: the first one if it has no name.
    pub fn add_controller(&mut self, version: &Version, name: Option<ControllerName>) {
        let version = version.clone();
        let new = KindController { version, name };
        match new.name {
            _ if self.controllers.contains(&new) => {}
            None => self.controllers.insert(0, new),
            Some(_) => self.controllers.push(new),
        }
    }

    /// Removes a controller, of one version if one is named: the first one if it has no name. Whether there was one.
    pub(in crate::project) fn remove_controller(
        &mut self,
        version: Option<&Version>,
        name: Option<&ControllerName>,
    ) -> bool {
        let is_asked =
            |controller: &KindController| version.is_none_or(|it| controller.version == *it);
        let before = self.controllers.len();
        self.controllers
            .retain(|controller| controller.name.as_ref() != name || !is_asked(controller));
        self.finalizer &= self.controlled().is_some();
        self.controllers.len() < before
    }

    /// Has all its controllers work with one version: those that do come first.
    pub(in crate::project) fn move_controllers(&mut self, to: &Version) {
        let place = |version: &Version| {
            self.versions
                .iter()
                .position(|listed| listed.name == *version)
        };
        self.controllers.sort_by_cached_key(|controller| {
            (
                controller.name.is_some(),
                controller.version != *to,
                place(&controller.version),
            )
        });
        for controller in &mut self.controllers {
            controller.version.clone_from(to);
        }
        self.controllers.dedup();
    }

    /// What it has for a version of another operator's kind, or for another version of that, it has too.
    pub(in crate::project) fn take_over(&mut self, from: &Self) {
        let version = self.hub.clone();
        for controller in &from.controllers {
            self.add_controller(&version, controller.name.clone());
        }
        self.webhooks = self.webhooks.with(&from.webhooks);
        self.policies = self.policies.with(from.policies);
    }
}
