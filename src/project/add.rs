use crate::error::{Error, Result};

use super::name::{ControllerName, Domain, Group, Kind, Version};
use super::rules::check_finalizer;
use super::unknown::unknown;
use super::{CoreKind, Project, Resource, add_controller};

impl Project {
    /// Adds an API. One that exists as it is asked for stays, and gets the controller or the finalizer
    /// that it was made without. Whether a version is served and deprecated may change.
    ///
    /// # Errors
    /// The kind exists in another shape, or cannot live beside those that exist.
    pub fn add(&mut self, new: Resource) -> Result<()> {
        check_finalizer(&new)?;
        let Some(old) = self.entry(&new) else {
            return self.push(new);
        };
        let grown = Resource {
            controller: old.controller || new.controller,
            controllers: new.controllers.clone(),
            finalizer: old.finalizer || new.finalizer,
            served: new.served,
            deprecated: new.deprecated,
            deprecation_warning: new.deprecation_warning.clone(),
            ..old.clone()
        };
        if new == *old || new == grown {
            *old = new;
            return self.check();
        }
        Err(other_settings(&new))
    }

    /// Adds a version or a kind. Where versions of the kind are converted, the new one is too.
    fn push(&mut self, new: Resource) -> Result<()> {
        let is_hub = |one: &&mut Resource| one.is_version_of(&new) && one.webhooks.conversion;
        if let Some(hub) = self.resources.own.iter_mut().find(is_hub) {
            hub.webhooks.spoke.push(new.version.clone());
        }
        self.resources.own.push(new);
        self.check()
    }

    /// Gives a kind a controller: one of the project's own that has types, with a finalizer where that is asked for,
    /// or one of Kubernetes itself. One with a `name` is another controller beside those that there are.
    ///
    /// # Errors
    /// There is no such kind, or the controller cannot have a finalizer.
    pub fn add_controller(
        &mut self,
        group: Group,
        version: Option<&Version>,
        kind: &Kind,
        name: Option<ControllerName>,
        finalizer: bool,
    ) -> Result<()> {
        // The name of the kind is that of its first controller.
        let name = name.filter(|name| *name != ControllerName::of(kind));
        if let Some(of) = self.own_kind_named(&group, kind)? {
            let controlled = of.versions().find(|one| one.controller);
            let mut own = of.asked(version, controlled.unwrap_or(of.hub()))?.clone();
            check_finalizer_of(name.as_ref(), &own.gvk(), finalizer)?;
            if name.is_none() {
                self.take_controllers(&mut own);
            }
            own.finalizer |= finalizer;
            add_controller(&mut own.controller, &mut own.controllers, name);
            if let Some(entry) = self.entry(&own) {
                *entry = own;
            }
        } else {
            let core = self.other_kind(&group, version, kind)?;
            if finalizer {
                return Err(finalizer_of_others(&core));
            }
            let has_it =
                |one: &&CoreKind| one.controller && one.is_version_of(&core) && !one.is(&core);
            if name.is_none()
                && let Some(other) = self.external_kinds().find(has_it)
            {
                return Err(of_other_version(other, &core));
            }
            let core = self.resources.listed(core);
            add_controller(&mut core.controller, &mut core.controllers, name);
        }
        self.check()
    }

    /// A kind that is not the project's own: one of another operator that PROJECT lists, or one of Kubernetes itself.
    pub(super) fn other_kind(
        &self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<CoreKind> {
        if let Some(external) = self.external_kind(group, version, kind) {
            return Ok(external.clone());
        }
        let core = CoreKind::find(group, version, kind)?;
        core.ok_or_else(|| unknown(self, group, kind))
    }

    /// Lists kinds of other operators. Each keeps the controllers, webhooks and policies that it has, and takes those of
    /// the versions that are moved to it.
    ///
    /// # Errors
    /// They cannot live beside the others.
    pub fn add_external(
        &mut self,
        kinds: impl IntoIterator<Item = (CoreKind, Vec<Version>)>,
    ) -> Result<()> {
        for (new, moved) in kinds {
            self.list_external(new, &moved);
        }
        self.check()
    }

    fn list_external(&mut self, new: CoreKind, moved: &[Version]) {
        let core = &mut self.resources.core;
        let is_moved = |one: &CoreKind| moved.contains(&one.version) && one.is_version_of(&new);
        if !core.iter().any(|one| one.is(&new))
            && let Some(first) = core.iter_mut().find(|one| is_moved(one))
        {
            // The entry stays where it is.
            first.version = new.version.clone();
        }
        let (from, kept) = std::mem::take(core).into_iter().partition(is_moved);
        *core = kept;
        let from: Vec<CoreKind> = from;
        let old = self.resources.listed(new.clone());
        for mut one in from {
            old.controller |= one.controller;
            old.controllers.append(&mut one.controllers);
            old.webhooks = old.webhooks.with(&one.webhooks);
            old.policies = old.policies.with(one.policies);
        }
        *old = CoreKind {
            controller: old.controller,
            controllers: std::mem::take(&mut old.controllers),
            webhooks: old.webhooks.clone(),
            policies: old.policies,
            ..new
        };
    }

    /// Takes the controllers of a kind from its other versions, and gives them and their finalizer to this one.
    pub fn take_controllers(&mut self, to: &mut Resource) {
        for other in &mut self.resources.own {
            if other.is_version_of(to) && !other.is(to) {
                other.controller = false;
                to.finalizer |= std::mem::take(&mut other.finalizer);
                to.controllers.append(&mut other.controllers);
            }
        }
    }

    /// Makes a version the hub of its kind, which then has the webhooks and the policies of the kind.
    ///
    /// # Errors
    /// It cannot be the hub.
    pub fn make_hub(&mut self, new: &Resource) -> Result<()> {
        let old = self.own_kind(new).hub().clone();
        if old.is(new) {
            return Ok(());
        }
        let (mut webhooks, policies) = (old.webhooks.clone(), old.policies);
        for spoke in &mut webhooks.spoke {
            if *spoke == new.version {
                spoke.clone_from(&old.version);
            }
        }
        for one in &mut self.resources.own {
            if one.is_version_of(new) {
                one.hub = false;
                (one.webhooks, one.policies) = match one.is(new) {
                    true => (webhooks.clone(), policies),
                    false => Default::default(),
                };
            }
        }
        let is_hub = self.own_kind(new).hub().is(new);
        if let Some(entry) = self.entry(new) {
            entry.hub = !is_hub;
        }
        self.check()
    }

    /// A group as it was asked for, and the domain behind it. A group that ends in the project's
    /// domain is taken for the whole one, and one that is that domain is split at its first dot.
    ///
    /// # Errors
    /// The group is a domain of one part, which cannot be split.
    pub fn split_group(&self, group: Group) -> Result<(Group, Domain)> {
        let whole = group.as_str();
        let below = whole.strip_suffix(self.domain.as_str());
        if below == Some("") {
            let (first, rest) = whole.split_once('.').ok_or_else(|| {
                Error::usage(format!(
                    "the group `{whole}` is the project's whole domain, and has one part"
                ))
                .hint("a CRD's group needs a dot")
            })?;
            return Ok((first.parse()?, rest.parse()?));
        }
        match below.and_then(|below| below.strip_suffix('.')) {
            Some(below) => Ok((below.parse()?, self.domain.clone())),
            None => Ok((group, self.domain.clone())),
        }
    }

    /// The API of that name, if there is one.
    pub fn find(
        &self,
        domain: &Domain,
        group: &Group,
        version: &Version,
        kind: &Kind,
    ) -> Option<&Resource> {
        let is_it = |r: &&Resource| r.is_named(domain, group, version, kind);
        self.resources.own.iter().find(is_it)
    }

    /// The entry of a version, if there is one.
    pub(super) fn entry(&mut self, version: &Resource) -> Option<&mut Resource> {
        let mut own = self.resources.own.iter_mut();
        own.find(|one| one.is(version))
    }
}

fn other_settings(resource: &Resource) -> Error {
    Error::usage(format!(
        "{} already exists, with other settings",
        resource.gvk()
    ))
    .hint("PROJECT lists them; to change the API, edit its types in `api/`")
}

/// Two controllers of a kind would share the cleanup.
fn check_finalizer_of(name: Option<&ControllerName>, gvk: &str, finalizer: bool) -> Result<()> {
    match name.filter(|_| finalizer) {
        None => Ok(()),
        Some(name) => Err(Error::usage(format!(
            "`--finalizer` is for the first controller of {gvk}, and `{name}` is another one"
        ))
        .hint("leave it out; the book says how to write a cleanup by hand, under Finalizers")),
    }
}

/// A kind has its first controller in one version.
fn of_other_version(controlled: &CoreKind, new: &CoreKind) -> Error {
    Error::usage(format!(
        "{} has the controller already, and one kind has it in one version",
        controlled.gvk()
    ))
    .hint(format!(
        "to move it to {}: `{}`",
        new.version,
        new.create(&new.crd())
    ))
    .hint("for another one beside it, name it with `--controller-name`")
}

/// Objects that are not the operator's must not wait for it.
pub(crate) fn finalizer_of_others(core: &CoreKind) -> Error {
    let gvk = core.gvk();
    Error::usage(format!(
        "`--finalizer` is for kinds of your own: without the operator no {gvk} with its finalizer could be deleted"
    ))
    .hint("leave it out; the book says how to write a cleanup by hand, under Finalizers")
}
