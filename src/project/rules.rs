//! What must hold between the parts of a project, beyond each name by itself.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

use super::name::NameError;
use super::{OwnKind, Project, Resource};

/// The longest name of a CRD: it is an object name like any other.
const CRD_NAME_MAX: usize = 253;

impl Project {
    /// Checks every resource against those before it.
    ///
    /// # Errors
    /// Two of them cannot live together.
    pub fn check(&self) -> Result<()> {
        for (i, resource) in self.resources.own.iter().enumerate() {
            self.check_resource(resource, &self.resources.own[..i])?;
        }
        for kind in self.own_kinds() {
            check_versions(&kind)?;
        }
        self.check_controllers()?;
        self.check_external()?;
        self.check_places()
    }

    fn check_resource(&self, new: &Resource, others: &[Resource]) -> Result<()> {
        new.kind.check_own()?;
        new.version.check_own()?;
        new.api_group()?;
        check_finalizer(new)?;
        let crd_name = new.crd_name();
        if crd_name.len() > CRD_NAME_MAX {
            return Err(NameError {
                what: "CRD name",
                value: crd_name,
                rule: format!("is longer than {CRD_NAME_MAX} characters"),
                hint: Some("shorten the group or the plural".into()),
            }
            .into());
        }
        if self.namespaced && !new.is_namespaced() {
            return Err(Error::usage(format!(
                "{} is cluster-scoped, and a namespaced operator may not watch it",
                new.gvk()
            ))
            .hint(
                "make the kind namespaced, or the project with `rop init` without `--namespaced`",
            ));
        }
        for old in others {
            check_module(new, old)?;
            check_group(new, old)?;
            if new.api_group()? == old.api_group()? {
                check_names(new, old)?;
            }
        }
        Ok(())
    }
}

/// A finalizer that no controller takes off would keep every object for ever.
pub(super) fn check_finalizer(new: &Resource) -> Result<()> {
    if new.finalizer && !new.controller {
        return Err(Error::usage(format!(
            "{} has a finalizer, and no controller that would clean up",
            new.gvk()
        ))
        .hint("leave out `--finalizer`, or let the kind have a controller"));
    }
    Ok(())
}

/// Two groups must not become one Rust module.
fn check_module(new: &Resource, old: &Resource) -> Result<()> {
    if new.group != old.group && new.group.module() == old.group.module() {
        return Err(Error::usage(format!(
            "the groups `{}` and `{}` would share the Rust module `{}`",
            new.group,
            old.group,
            new.group.module()
        ))
        .hint("choose groups that differ in more than `-` and `.`"));
    }
    Ok(())
}

/// Two API groups must not have the same name before their domains: files are called after it.
fn check_group(new: &Resource, old: &Resource) -> Result<()> {
    let (group, other) = (new.api_group()?, old.api_group()?);
    if new.group == old.group && group != other {
        return Err(Error::usage(format!(
            "the API groups `{group}` and `{other}` would share the Rust module `{}`",
            new.group.module()
        ))
        .hint("choose groups that differ before the first dot"));
    }
    Ok(())
}

/// What the API server's naming controller demands of two kinds of a group, and what Rust demands
/// of two kinds of a version.
fn check_names(new: &Resource, old: &Resource) -> Result<()> {
    let clash = |what: &str, name: &str| {
        Error::usage(format!(
            "{} and {} would both have the {what} `{name}`",
            new.gvk(),
            old.gvk()
        ))
    };
    if new.kind == old.kind {
        return check_same(new, old);
    }
    if new.kind.is_same(&old.kind) {
        return Err(clash("singular name", &new.kind.lower()).hint("choose another kind"));
    }
    if new.kind.as_str() == old.kind.list() || old.kind.as_str() == new.kind.list() {
        return Err(Error::usage(format!(
            "`{}` is the kind of `{}`'s list",
            old.kind.list(),
            old.kind
        ))
        .hint("choose another kind"));
    }
    let taken = url_names(old);
    if let Some(name) = url_names(new).into_iter().find(|name| taken.contains(name)) {
        return Err(clash("name", &name).hint("choose another with `--plural` or `--short-name`"));
    }
    if new.version == old.version {
        if new.kind.module() == old.kind.module() {
            return Err(clash("Rust module", &new.kind.module()).hint("choose another kind"));
        }
        let types = old.type_names();
        if let Some(name) = new.type_names().iter().find(|name| types.contains(name)) {
            return Err(clash("Rust type", name).hint("choose another kind"));
        }
    }
    Ok(())
}

/// What two versions of a kind have in common: there is one CRD for both.
fn check_same(new: &Resource, old: &Resource) -> Result<()> {
    let differs = |what: &str| {
        Error::usage(format!(
            "{} and {} have different {what}, and they are one kind",
            new.gvk(),
            old.gvk()
        ))
    };
    if new.version == old.version {
        return Err(Error::usage(format!("PROJECT lists {} twice", new.gvk()))
            .hint("remove one of the entries"));
    }
    let what = match () {
        () if new.is_namespaced() != old.is_namespaced() => "scopes",
        () if new.plural != old.plural => "plurals",
        () if new.short_names != old.short_names => "short names",
        () if new.categories != old.categories => "categories",
        () => return Ok(()),
    };
    Err(differs(what).hint("leave out the flag, or make both entries of PROJECT say the same"))
}

/// The hub of a kind is what everything else is about: what is stored, what is controlled, what webhooks are asked.
fn check_versions(kind: &OwnKind<'_>) -> Result<()> {
    let hub = kind.hub();
    let is_unlike = |other: &Resource| {
        Error::usage(format!(
            "PROJECT has two hubs of one kind: {} and {}",
            hub.gvk(),
            other.gvk()
        ))
        .hint("let one entry have `hub: true` or `conversion: true`")
    };
    for spoke in kind.spokes() {
        if spoke.hub || spoke.webhooks.conversion {
            return Err(is_unlike(spoke));
        }
        let has = match (spoke.webhooks.admits(), spoke.policies.is_none()) {
            (true, _) => Some("webhooks"),
            (false, false) => Some("policies"),
            (false, true) => None,
        };
        if let Some(has) = has {
            return Err(Error::usage(format!(
                "{} has {has}, and is not the hub of its kind",
                spoke.gvk()
            ))
            .hint(format!(
                "make them for `--version {}`: the API server converts what they are asked about",
                hub.version
            )));
        }
        if spoke.controller && hub.controller {
            return Err(Error::usage(format!(
                "{} and {} would both have a controller",
                spoke.gvk(),
                hub.gvk()
            ))
            .hint("a controller sees all objects of a kind, whatever their version"));
        }
    }
    if !hub.served {
        return Err(Error::usage(format!(
            "{} is the hub of its kind, and is not served",
            hub.gvk()
        ))
        .hint("make another version the hub first: `--hub`"));
    }
    for version in &hub.webhooks.spoke {
        if *version == hub.version {
            return Err(
                Error::usage(format!("{} is the hub: it cannot be a spoke", hub.gvk()))
                    .hint("name another version with `--spoke`"),
            );
        }
        if kind.version(version).is_none() {
            return Err(Error::usage(format!(
                "{} has no version `{version}`, which is to be converted",
                hub.gvk()
            ))
            .hint(format!(
                "create it first: `rop create api --group {} --version {version} --kind {}`",
                hub.group, hub.kind
            )));
        }
    }
    let mut missing = kind
        .spokes()
        .filter(|one| kind.is_converted() && !hub.webhooks.spoke.contains(&one.version));
    if let Some(spoke) = missing.next() {
        return Err(Error::usage(format!(
            "nothing converts {}, and other versions of its kind are converted",
            spoke.gvk()
        ))
        .hint(format!(
            "add it: `rop create webhook --group {} --kind {} --conversion --spoke {}`",
            hub.group, hub.kind, spoke.version
        )));
    }
    Ok(())
}

/// Every name that a URL or kubectl may reach the kind by.
fn url_names(resource: &Resource) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = resource
        .short_names
        .iter()
        .map(ToString::to_string)
        .collect();
    names.insert(resource.plural.to_string());
    names.insert(resource.kind.lower());
    names
}
