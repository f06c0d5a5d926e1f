use crate::error::{Error, Result};

use super::admission_kind::unknown;
use super::core_kind::no_version;
use super::name::{ControllerName, Domain, Group, Kind, Version};
use super::rules::check_finalizer;
use super::{CoreKind, NamedController, Project, Resource, Webhooks};

impl Project {
    /// Adds an API. One that exists as it is asked for stays, and gets the controller or the finalizer
    /// that it was made without. Whether a version is served and deprecated may change.
    ///
    /// # Errors
    /// The kind exists in another shape, or cannot live beside those that exist.
    pub fn add(&mut self, new: Resource) -> Result<()> {
        check_finalizer(&new)?;
        let Some(old) = self.find_mut(&new.domain, &new.group, &new.version, &new.kind) else {
            return self.push(new);
        };
        let grown = Resource {
            controller: old.controller || new.controller,
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
        let (short, domain) = self.split_group(group.clone())?;
        // The name of the kind is that of its first controller.
        let name = name.filter(|name| *name != ControllerName::of(kind));
        let is_it =
            |one: &Resource| one.domain == domain && one.group == short && one.kind == *kind;
        let versions = self.resources.own.iter().filter(|one| is_it(one));
        let versions: Vec<Version> = versions.map(|one| one.version.clone()).collect();
        let (controller, controllers) = if let Some(first) = versions.first() {
            let of_kind = self.resources.own.iter().filter(|one| is_it(one));
            let controlled = of_kind.clone().find(|one| one.controller);
            let hub = of_kind.clone().next().map(|one| self.own_kind(one).hub());
            let usual = controlled.or(hub).map(|one| &one.version);
            let wanted = version.or(usual).unwrap_or(first).clone();
            let wanted = &wanted;
            let mut own = self.resources.own.iter();
            let target = own.find(|one| is_it(one) && one.version == *wanted);
            if let Some(target) = target.cloned().filter(|_| name.is_none()) {
                self.move_controller(&target);
            }
            let mut own = self.resources.own.iter_mut();
            let Some(found) = own.find(|one| is_it(one) && one.version == *wanted) else {
                return Err(no_version(&short, wanted, kind, versions.iter()));
            };
            check_finalizer_of(name.as_ref(), &found.gvk(), finalizer)?;
            found.finalizer |= finalizer;
            (&mut found.controller, &mut found.controllers)
        } else {
            let Some(core) = CoreKind::find(&group, version, kind)? else {
                return Err(unknown(&group, kind));
            };
            if finalizer {
                return Err(of_others(&core));
            }
            let listed = &mut self.resources.core;
            let index = listed.iter().position(|one| one.is(&core));
            let index = index.unwrap_or_else(|| {
                listed.push(core);
                listed.len() - 1
            });
            let found = &mut listed[index];
            (&mut found.controller, &mut found.controllers)
        };
        match name.map(|name| NamedController { name }) {
            None => *controller = true,
            Some(name) if controllers.contains(&name) => {}
            Some(name) => controllers.push(name),
        }
        self.check()
    }

    /// Leaves the controller of a kind to one of its versions, with the finalizer that others had.
    pub fn move_controller(&mut self, to: &Resource) {
        let (mut has_finalizer, mut named) = (false, Vec::new());
        for other in &mut self.resources.own {
            if other.is_version_of(to) && !other.is(to) {
                other.controller = false;
                has_finalizer |= std::mem::take(&mut other.finalizer);
                named.append(&mut other.controllers);
            }
        }
        let own = &mut self.resources.own;
        if let Some(it) = own.iter_mut().find(|one| one.is(to)) {
            it.finalizer |= has_finalizer;
            it.controllers.append(&mut named);
        }
    }

    /// Makes a version the hub of its kind, which then has the webhooks of the kind.
    ///
    /// # Errors
    /// It cannot be the hub.
    pub fn make_hub(&mut self, new: &Resource) -> Result<()> {
        let old = self.own_kind(new).hub().clone();
        if old.is(new) {
            return Ok(());
        }
        let mut webhooks = old.webhooks.clone();
        for spoke in &mut webhooks.spoke {
            if *spoke == new.version {
                spoke.clone_from(&old.version);
            }
        }
        for one in &mut self.resources.own {
            if one.is_version_of(new) {
                one.hub = false;
                one.webhooks = match one.is(new) {
                    true => webhooks.clone(),
                    false => Webhooks::default(),
                };
            }
        }
        let is_hub = self.own_kind(new).hub().is(new);
        let own = &mut self.resources.own;
        if let Some(it) = own.iter_mut().find(|one| one.is(new)) {
            it.hub = !is_hub;
        }
        self.check()
    }

    /// Whether any kind has a controller.
    pub fn has_controllers(&self) -> bool {
        self.resources.own.iter().any(|one| one.controller)
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

    fn find_mut(
        &mut self,
        domain: &Domain,
        group: &Group,
        version: &Version,
        kind: &Kind,
    ) -> Option<&mut Resource> {
        let is_it = |r: &&mut Resource| r.is_named(domain, group, version, kind);
        self.resources.own.iter_mut().find(is_it)
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

/// Objects that are not the operator's must not wait for it.
fn of_others(core: &CoreKind) -> Error {
    let gvk = core.gvk();
    Error::usage(format!(
        "`--finalizer` is for kinds of your own: without the operator no {gvk} with its finalizer could be deleted"
    ))
    .hint("leave it out; the book says how to write a cleanup by hand, under Finalizers")
}
