//! What must hold between the parts of a project, beyond each name by itself.

use std::collections::BTreeSet;

use crate::error::{Code, Error, Result};

use super::controllers::cluster_scoped_error;
use super::kind::check_same;
use super::name::{Group, NameError, Version};
use super::{Project, ProjectKind, Versioned, taken};

/// The longest name of a CRD: it is an object name like any other.
const CRD_NAME_MAX: usize = 253;

impl Project {
    /// Checks every resource against those before it.
    ///
    /// # Errors
    /// Two of them cannot live together.
    pub fn check(&self) -> Result<()> {
        let mut others = Vec::new();
        for version in self.own_versions() {
            let new = self.checked(version)?;
            for old in &others {
                check_pair(&new, old)?;
            }
            others.push(new);
        }
        for kind in self.own_kinds() {
            check_versions(kind)?;
        }
        self.check_controllers()?;
        self.check_external()?;
        self.check_places()
    }

    /// What is compared of a version, if it can be by itself.
    pub(super) fn checked<'a>(&self, new: Versioned<'a>) -> Result<Names<'a>> {
        let kind = new.kind;
        kind.name.check_own()?;
        new.version.name.check_own()?;
        let group = kind.api_group();
        Group::check_whole(&group)?;
        let crd_name = kind.crd_name();
        if crd_name.len() > CRD_NAME_MAX {
            return Err(NameError {
                what: "CRD name",
                value: crd_name,
                rule: format!("must have at most {CRD_NAME_MAX} characters"),
                hint: Some("shorten the group or the plural".into()),
            }
            .into());
        }
        if self.namespaced && !kind.namespaced {
            return Err(cluster_scoped_error(new).hint(
                "remove `--cluster-scoped`, or let the operator watch all namespaces: `rop edit --namespaced=false`",
            ));
        }
        Ok(Names {
            of: new,
            group,
            group_module: kind.group.module(),
            module: kind.name.module(),
            list: kind.name.list(),
            in_urls: url_names(kind),
            types: kind.type_names(),
        })
    }
}

/// A version, and its names, which are compared with those of all others.
pub(super) struct Names<'a> {
    of: Versioned<'a>,
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
    if new.group == old.group {
        check_names(new, old)
    } else {
        Ok(())
    }
}

/// Two groups must not become one Rust module.
fn check_module(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    let (group, other, module) = (&new.of.kind.group, &old.of.kind.group, &new.group_module);
    if group != other && *module == old.group_module {
        return Err(Error::new(
            Code::NameTaken,
            format!("the groups `{group}` and `{other}` would share the Rust module `{module}`"),
        )
        .hint("choose groups that differ in more than `-` and `.`"));
    }
    Ok(())
}

/// Two API groups must not have the same name before their domains: files are called after it.
fn check_group(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    let (group, other, module) = (&new.group, &old.group, &new.group_module);
    if new.of.kind.group == old.of.kind.group && group != other {
        return Err(Error::new(
            Code::NameTaken,
            format!(
                "the API groups `{group}` and `{other}` would share the Rust module `{module}`"
            ),
        )
        .hint("choose groups that differ before the first dot"));
    }
    Ok(())
}

/// What the API server's naming controller demands of two kinds of a group, and what Rust demands
/// of two kinds of a version.
fn check_names(new: &Names<'_>, old: &Names<'_>) -> Result<()> {
    let (left, right) = (new.of.kind, old.of.kind);
    let clash = |what: &str, name: &str| {
        let what = format!("the {what} `{name}`");
        taken::conflict(Code::NameTaken, new.of.gvk(), old.of.gvk(), what)
    };
    if left.name == right.name {
        return check_same(new.of, old.of);
    }
    if left.name.is_same(&right.name) {
        return Err(clash("singular name", &left.name.lower()).hint("choose another kind"));
    }
    if left.name.as_str() == old.list || right.name.as_str() == new.list {
        return Err(Error::new(
            Code::NameTaken,
            format!("`{}` is the list kind of `{}`", old.list, right.name),
        )
        .hint("choose another kind"));
    }
    if let Some(name) = new.in_urls.intersection(&old.in_urls).next() {
        return Err(
            clash("name", name).hint("choose another name with `--plural` or `--short-name`")
        );
    }
    if new.of.version.name == old.of.version.name {
        if new.module == old.module {
            return Err(clash("Rust module", &new.module).hint("choose another kind"));
        }
        if let Some(name) = new.types.iter().find(|name| old.types.contains(name)) {
            return Err(clash("Rust type", name).hint("choose another kind"));
        }
    }
    Ok(())
}

/// A version to convert that the kind does not have.
pub(super) fn unknown_spoke(kind: &ProjectKind, version: &Version) -> Error {
    Error::new(
        Code::UnknownVersion,
        format!(
            "cannot convert version `{version}` of {}: it does not exist",
            kind.hub().gvk()
        ),
    )
}

/// The hub of a kind is what everything else is about: what is stored, what is controlled, what is converted.
fn check_versions(kind: &ProjectKind) -> Result<()> {
    let (hub, webhooks) = (kind.hub(), &kind.webhooks);
    for spoke in kind.spokes() {
        let is_controlled = |version: Versioned<'_>| kind.controlled_in(&version.version.name);
        if is_controlled(spoke) && is_controlled(hub) {
            return Err(taken::conflict(
                Code::ControllerExists,
                spoke.gvk(),
                hub.gvk(),
                "a controller",
            )
            .hint("remove one of them: a controller reconciles objects of all versions"));
        }
    }
    if !hub.version.served {
        return Err(Error::new(
            Code::InvalidHub,
            format!("the storage version (hub) {} must be served", hub.gvk()),
        )
        .hint(
            "serve it with `--served`, or remove `served: false` from PROJECT; to stop serving it, first make another \
            version the hub with `--hub`",
        ));
    }
    for version in &webhooks.spoke {
        if *version == kind.hub {
            return Err(Error::new(
                Code::InvalidHub,
                format!("the storage version (hub) {} cannot be a spoke", hub.gvk()),
            )
            .hint("choose another version with `--spoke`"));
        }
        if kind.version(version).is_none() {
            return Err(unknown_spoke(kind, version).hint(format!(
                "in PROJECT, restore the entry of `{version}`, or remove it from `spoke:`, and `webhooks:` with \
                the last spoke"
            )));
        }
    }
    let mut spokes = kind.spokes();
    let missing = spokes.find(|spoke| !webhooks.spoke.contains(&spoke.version.name));
    if let (Some(spoke), true) = (missing, webhooks.conversion) {
        // All of them: the command that failed may have been the first that names the others.
        let names: Vec<_> = kind
            .spokes()
            .map(|spoke| spoke.version.name.as_str())
            .collect();
        return Err(Error::new(
            Code::VersionNotConverted,
            format!(
                "{} has no conversion, unlike the other versions of its kind",
                spoke.gvk()
            ),
        )
        .hint(format!(
            "add the conversion: `rop create webhook --group {} --kind {} --conversion --spoke {}`",
            kind.group,
            kind.name,
            names.join(",")
        )));
    }
    Ok(())
}

/// Every name that a URL or kubectl may reach the kind by.
fn url_names(kind: &ProjectKind) -> BTreeSet<String> {
    let [short_names, _] = kind.aliases();
    let names = short_names.iter().map(ToString::to_string);
    names
        .chain([kind.plural.to_string(), kind.name.lower()])
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::project::External;
    use crate::project::kind::joined;
    use crate::project::name::Version;

    use super::*;

    fn project() -> Project {
        let (name, domain) = ("a-operator".parse(), "example.com".parse());
        Project::new(name.expect("a name"), domain.expect("a domain"))
    }

    /// A kind of another operator, which is moved from no version.
    fn other(kind: &str) -> (ProjectKind, Vec<Version>) {
        let kind = ProjectKind::external(
            "other".parse().expect("a group"),
            "v1".parse().expect("a version"),
            kind.parse().expect("a kind"),
            External {
                domain: "example.org".parse().expect("a domain"),
                path: "a_operator_api::external::other_example_org::v1".to_owned(),
                module: None,
            },
        );
        (kind, Vec::new())
    }

    #[test]
    fn many_kinds_and_versions_are_checked_in_one_go() {
        let mut project = project();
        let own = |kind: &str, version: String| ProjectKind {
            controllers: Vec::new(),
            ..ProjectKind::own(
                "example.com".parse().expect("a domain"),
                "app".parse().expect("a group"),
                version.parse().expect("a version"),
                kind.parse().expect("a kind"),
            )
        };
        let versions = (1..=400).map(|n| own("App", format!("v{n}")));
        let kinds = (0..200).map(|n| own(&format!("Kind{n}"), "v1".to_owned()));
        project.kinds = joined(versions.chain(kinds).collect()).expect("kinds");
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
