//! Taking out what was added.

use crate::error::{Error, Result};

use super::core_kind::no_version;
use super::name::{ControllerName, Group, Kind, Version};
use super::{CoreKind, NamedController, Policies, Project, Resource, Webhooks};

impl Project {
    /// Takes a kind out with all that it has, or one version of it. Gives what went of the project's own.
    ///
    /// # Errors
    /// PROJECT does not list it, or other versions of the kind need it.
    pub fn remove_api(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<Vec<Resource>> {
        let Some(own) = self.own_kind_named(group, kind)? else {
            let index = self.listed_core(group, version, kind)?;
            self.resources.core.remove(index);
            return self.check().map(|()| Vec::new());
        };
        let all: Vec<Resource> = own.versions().cloned().collect();
        let gone = match version {
            None => all.clone(),
            Some(version) => vec![own.asked(Some(version), own.hub())?.clone()],
        };
        if let ([one], true) = (&*gone, all.len() > 1) {
            check_unneeded(one, own.hub())?;
        }
        let own = &mut self.resources.own;
        own.retain(|one| !gone.iter().any(|it| it.is(one)));
        let mut is_first = true;
        for one in own.iter_mut().filter(|one| one.is_version_of(&gone[0])) {
            let webhooks = &mut one.webhooks;
            webhooks
                .spoke
                .retain(|spoke| gone.iter().all(|it| it.version != *spoke));
            webhooks.conversion &= !webhooks.spoke.is_empty();
            // The first one is the hub anyway.
            one.hub &= !is_first;
            is_first = false;
        }
        self.check()?;
        Ok(gone)
    }

    /// Takes a controller of a kind out: the first one if no name is given.
    ///
    /// # Errors
    /// PROJECT does not list it.
    pub fn remove_controller(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        name: Option<&ControllerName>,
    ) -> Result<()> {
        let name = name.filter(|name| **name != ControllerName::of(kind));
        let removed = if let Some(own) = self.own_kind_named(group, kind)? {
            let is_asked = |one: &&Resource| version.is_none_or(|it| one.version == *it);
            let versions: Vec<Resource> = own.versions().filter(is_asked).cloned().collect();
            versions.iter().any(|one| {
                self.entry(one).is_some_and(|one| {
                    let removed = remove(&mut one.controller, &mut one.controllers, name);
                    one.finalizer &= one.controller;
                    removed
                })
            })
        } else {
            let index = self.listed_core(group, version, kind)?;
            let core = &mut self.resources.core[index];
            let removed = remove(&mut core.controller, &mut core.controllers, name);
            self.drop_if_idle(index);
            removed
        };
        match removed {
            true => self.check(),
            false => Err(Error::usage(match name {
                None => format!("{group} {kind} has no controller"),
                Some(name) => format!("{group} {kind} has no controller `{name}`"),
            })
            .hint("PROJECT lists the controllers of each kind")),
        }
    }

    /// Takes webhooks of a kind out. Of a conversion, the spokes that are named, or all.
    ///
    /// # Errors
    /// The kind does not have one of them.
    pub fn remove_webhooks(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        gone: &Webhooks,
    ) -> Result<()> {
        let (webhooks, _) = self.listed_admission(group, version, kind)?;
        for (has, goes, what) in [
            (webhooks.defaulting, gone.defaulting, "defaulting webhook"),
            (webhooks.validation, gone.validation, "validating webhook"),
            (webhooks.conversion, gone.conversion, "conversion"),
        ] {
            if goes && !has {
                return Err(lacks(group, kind, what));
            }
        }
        if gone.defaulting {
            (webhooks.defaulting, webhooks.defaulting_path) = (false, None);
        }
        if gone.validation {
            (webhooks.validation, webhooks.validation_path) = (false, None);
        }
        if gone.conversion {
            let is_gone = |spoke: &Version| gone.spoke.is_empty() || gone.spoke.contains(spoke);
            webhooks.spoke.retain(|spoke| !is_gone(spoke));
            webhooks.conversion = !webhooks.spoke.is_empty();
        }
        self.drop_idle();
        self.check()
    }

    /// Takes policies of a kind out.
    ///
    /// # Errors
    /// The kind does not have one of them.
    pub fn remove_policies(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        gone: Policies,
    ) -> Result<()> {
        let (_, policies) = self.listed_admission(group, version, kind)?;
        for sort in gone.sorts() {
            if !policies.has(sort) {
                return Err(lacks(group, kind, &format!("{} policy", sort.name())));
            }
        }
        policies.mutating &= !gone.mutating;
        policies.validating &= !gone.validating;
        self.drop_idle();
        self.check()
    }

    /// The webhooks and policies of a kind that PROJECT lists.
    fn listed_admission(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<(&mut Webhooks, &mut Policies)> {
        if let Some(own) = self.own_kind_named(group, kind)? {
            let one = own.asked(version, own.hub())?.clone();
            let found = self.entry(&one).ok_or_else(|| unlisted(group, kind))?;
            return Ok((&mut found.webhooks, &mut found.policies));
        }
        let index = self.listed_core(group, version, kind)?;
        let core = &mut self.resources.core[index];
        Ok((&mut core.webhooks, &mut core.policies))
    }

    /// The entry of a kind that is not the project's own.
    fn listed_core(&self, group: &Group, version: Option<&Version>, kind: &Kind) -> Result<usize> {
        let core = &self.resources.core;
        let is_kind = |one: &CoreKind| {
            one.kind == *kind && (one.group == *group || one.api_group() == group.as_str())
        };
        let matches =
            |one: &CoreKind| is_kind(one) && version.is_none_or(|version| one.version == *version);
        let found = core.iter().position(matches);
        found.ok_or_else(|| match version {
            Some(version) if core.iter().any(is_kind) => {
                let versions = core.iter().filter(|one| is_kind(one));
                no_version(group, version, kind, versions.map(|one| &one.version))
            }
            _ => unlisted(group, kind),
        })
    }

    /// PROJECT lists a kind of Kubernetes for what the project does with it.
    fn drop_idle(&mut self) {
        for index in (0..self.resources.core.len()).rev() {
            self.drop_if_idle(index);
        }
    }

    fn drop_if_idle(&mut self, index: usize) {
        let core = &self.resources.core[index];
        let is_controlled = core.controller || !core.controllers.is_empty();
        let is_asked = !core.webhooks.is_none() || !core.policies.is_none();
        if core.core && !is_controlled && !is_asked {
            self.resources.core.remove(index);
        }
    }
}

fn remove(
    first: &mut bool,
    named: &mut Vec<NamedController>,
    name: Option<&ControllerName>,
) -> bool {
    match name {
        None => std::mem::take(first),
        Some(name) => {
            let before = named.len();
            named.retain(|one| one.name != *name);
            named.len() < before
        }
    }
}

/// A kind needs its hub, and its controllers stand at one version.
fn check_unneeded(one: &Resource, hub: &Resource) -> Result<()> {
    let Resource {
        group,
        kind,
        version,
        ..
    } = one;
    let other = |flag: &str| {
        format!(
            "give that to another version first: `rop create api --group {group} --version VERSION --kind {kind} {flag}`"
        )
    };
    if one.is(hub) {
        let message = format!(
            "{} is the hub of its kind: objects are stored in it",
            one.gvk()
        );
        return Err(Error::usage(message).hint(other("--hub")));
    }
    if one.controller || !one.controllers.is_empty() {
        let message = format!("the controller of {group} {kind} works with `{version}`");
        return Err(Error::usage(message).hint(other("--controller")));
    }
    Ok(())
}

fn lacks(group: &Group, kind: &Kind, what: &str) -> Error {
    Error::usage(format!("{group} {kind} has no {what}")).hint("PROJECT lists what each kind has")
}

fn unlisted(group: &Group, kind: &Kind) -> Error {
    Error::usage(format!("PROJECT does not list {group} {kind}"))
        .hint("`resources` in PROJECT has what can be deleted")
}
