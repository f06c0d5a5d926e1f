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
        let mut others = Vec::new();
        for resource in &self.resources.own {
            let new = self.checked(resource)?;
            for old in &others {
                check_pair(&new, old)?;
            }
            others.push(new);
        }
        for kind in self.own_kinds() {
            check_versions(&kind)?;
        }
        self.check_controllers()?;
        self.check_external()?;
        self.check_places()
    }

    /// What is compared of a resource, if it can be by itself.
    fn checked<'a>(&self, new: &'a Resource) -> Result<Names<'a>> {
        new.kind.check_own()?;
        new.version.check_own()?;
        let group = new.api_group()?.to_string();
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
        Ok(Names {
            resource: new,
            group,
            group_module: new.group.module(),
            module: new.kind.module(),
            list: new.kind.list(),
            in_urls: url_names(new),
            types: new.type_names(),
        })
    }
}

/// A resource, and its names, which are compared with those of all others.
struct Names<'a> {
    resource: &'a Resource,
    /// With the domain.
    group: String,
    group_module: String,
    module: String,
    list: String,
    in_urls: BTreeSet<String>,
    types: [String; 3],
}

fn check_pair(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    check_module(new, old)?;
    check_group(new, old)?;
    match new.group == old.group {
        true => check_names(new, old),
        false => Ok(()),
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
fn check_module(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    let (group, other, module) = (&new.resource.group, &old.resource.group, &new.group_module);
    if group != other && *module == old.group_module {
        return Err(Error::usage(format!(
            "the groups `{group}` and `{other}` would share the Rust module `{module}`"
        ))
        .hint("choose groups that differ in more than `-` and `.`"));
    }
    Ok(())
}

/// Two API groups must not have the same name before their domains: files are called after it.
fn check_group(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    let (group, other, module) = (&new.group, &old.group, &new.group_module);
    if new.resource.group == old.resource.group && group != other {
        return Err(Error::usage(format!(
            "the API groups `{group}` and `{other}` would share the Rust module `{module}`"
        ))
        .hint("choose groups that differ before the first dot"));
    }
    Ok(())
}

/// What the API server's naming controller demands of two kinds of a group, and what Rust demands
/// of two kinds of a version.
fn check_names(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    let (one, other) = (new.resource, old.resource);
    let clash = |what: &str, name: &str| {
        Error::usage(format!(
            "{} and {} would both have the {what} `{name}`",
            one.gvk(),
            other.gvk()
        ))
    };
    if one.kind == other.kind {
        return check_same(one, other);
    }
    if one.kind.is_same(&other.kind) {
        return Err(clash("singular name", &one.kind.lower()).hint("choose another kind"));
    }
    if one.kind.as_str() == old.list || other.kind.as_str() == new.list {
        return Err(Error::usage(format!(
            "`{}` is the kind of `{}`'s list",
            old.list, other.kind
        ))
        .hint("choose another kind"));
    }
    if let Some(name) = new.in_urls.intersection(&old.in_urls).next() {
        return Err(clash("name", name).hint("choose another with `--plural` or `--short-name`"));
    }
    if one.version == other.version {
        if new.module == old.module {
            return Err(clash("Rust module", &new.module).hint("choose another kind"));
        }
        if let Some(name) = new.types.iter().find(|name| old.types.contains(name)) {
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
            ))
            .hint("if you took it out of PROJECT, take it out of `spoke:` there as well, and with the last one `webhooks:`"));
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

#[cfg(test)]
mod tests {
    use crate::project::name::Version;
    use crate::project::{CoreKind, ExternalKind};

    use super::*;

    fn project() -> Project {
        let (name, domain) = ("a-operator".parse(), "example.com".parse());
        Project::new(name.expect("a name"), domain.expect("a domain"))
    }

    /// A kind of another operator, which is moved from no version.
    fn other(kind: &str) -> (CoreKind, Vec<Version>) {
        let kind = CoreKind::external(ExternalKind {
            group: "other".parse().expect("a group"),
            domain: "example.org".parse().expect("a domain"),
            version: "v1".parse().expect("a version"),
            kind: kind.parse().expect("a kind"),
            plural: format!("{}s", kind.to_lowercase())
                .parse()
                .expect("a plural"),
            namespaced: true,
            path: "a_operator_api::external::other_example_org::v1".to_owned(),
        });
        (kind, Vec::new())
    }

    #[test]
    fn many_kinds_and_versions_are_checked_in_one_go() {
        let mut project = project();
        let own = |kind: &str, version: String| Resource {
            controller: false,
            ..Resource::new(
                "example.com".parse().expect("a domain"),
                "app".parse().expect("a group"),
                version.parse().expect("a version"),
                kind.parse().expect("a kind"),
            )
        };
        let versions = (1..=400).map(|n| own("App", format!("v{n}")));
        let kinds = (0..200).map(|n| own(&format!("Kind{n}"), "v1".to_owned()));
        project.resources.own = versions.chain(kinds).collect();
        let others = (0..1000).map(|n| other(&format!("Other{n}")));
        project
            .add_external(others)
            .expect("they can live together");
    }

    #[test]
    fn kinds_of_others_have_files_and_types_of_their_own() {
        let mut project = project();
        let error = project.add_external([other("my-kind"), other("MyKind")]);
        assert_eq!(
            error.expect_err("one file").chain().next().as_deref(),
            Some(
                "other.example.org/v1 my-kind and other.example.org/v1 MyKind would both have the file \
                 `api/src/external/other_example_org/v1/my_kind.rs`"
            )
        );
    }
}
