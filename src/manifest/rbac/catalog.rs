//! What there is to grant: the resources of Kubernetes and those of the project.

use std::collections::BTreeSet;

use super::{OwnKinds, builtin};

/// A resource that is known by name.
#[derive(Debug)]
pub(super) struct Resource<'a> {
    pub(super) group: &'a str,
    pub(super) name: &'a str,
    /// The kind, where it is the project's.
    kind: Option<&'a str>,
    subresources: &'a str,
    pub(super) namespaced: bool,
    /// Whether there is an API of it.
    served: bool,
}

impl Resource<'_> {
    /// What may stand behind the slash. `finalizers` is no API, and is asked about for every
    /// owner of an object that blocks its deletion (the admission plugin
    /// `OwnerReferencesPermissionEnforcement`).
    pub(super) fn subresources(&self) -> impl Iterator<Item = &str> {
        self.subresources
            .split(',')
            .filter(|name| !name.is_empty())
            .chain(["finalizers"])
    }

    /// Whether `kind` is its kind.
    pub(super) fn is_of(&self, kind: &str) -> bool {
        self.kind.is_some_and(|own| own.eq_ignore_ascii_case(kind))
    }
}

/// All that is known.
#[derive(Debug)]
pub(in crate::manifest) struct Catalog<'a> {
    resources: Vec<Resource<'a>>,
}

/// Who vouches for an API group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Kubernetes: what is not in the catalog is not there.
    BuiltIn,
    /// The project: likewise.
    Own,
    /// Nobody here, or `*`: anything may be there.
    Foreign,
}

impl<'a> Catalog<'a> {
    pub(in crate::manifest) fn new(own_kinds: &'a OwnKinds) -> Self {
        let built_in = builtin::all().map(|resource| Resource {
            group: resource.group,
            name: resource.name,
            kind: None,
            subresources: resource.subresources,
            namespaced: resource.namespaced,
            served: resource.served,
        });
        let own = own_kinds.kinds.iter().map(|own| Resource {
            group: &own.group,
            name: &own.plural,
            kind: Some(&own.kind),
            subresources: "scale,status",
            namespaced: own.namespaced,
            served: true,
        });
        Self {
            resources: built_in.chain(own).collect(),
        }
    }

    /// The resources that are in no namespace, by group and name.
    pub(in crate::manifest) fn cluster_scoped(&self) -> BTreeSet<(String, String)> {
        let all = self.all().filter(|resource| !resource.namespaced);
        all.map(|resource| (resource.group.to_owned(), resource.name.to_owned()))
            .collect()
    }

    /// Whose the group is. A kind of the project's in a group of Kubernetes joins the others.
    pub(super) fn origin(&self, group: &str) -> Origin {
        let mut kinds = self.all().filter(|resource| resource.group == group);
        match kinds.next() {
            None => Origin::Foreign,
            Some(resource) if resource.kind.is_some() => Origin::Own,
            Some(_) => Origin::BuiltIn,
        }
    }

    /// The groups that somebody vouches for, the project's first; but for the core group, which has
    /// no name.
    pub(super) fn named_groups(&self) -> Vec<&str> {
        let (built_in, own): (Vec<_>, Vec<_>) = self.all().partition(|r| r.kind.is_none());
        let mut groups: Vec<&str> = own.into_iter().chain(built_in).map(|r| r.group).collect();
        let mut seen = BTreeSet::from([""]);
        groups.retain(|group| seen.insert(group));
        groups
    }

    /// The groups that have a resource of that name: those that serve it, where any does.
    pub(super) fn groups_of(&self, name: &str) -> BTreeSet<&str> {
        let named = || self.all().filter(|resource| resource.name == name);
        let any_served = named().any(|resource| resource.served);
        named()
            .filter(|resource| resource.served || !any_served)
            .map(|resource| resource.group)
            .collect()
    }

    /// Every resource.
    pub(super) fn all(&self) -> impl Iterator<Item = &Resource<'a>> {
        self.resources.iter()
    }

    /// The resources of that name in any of `groups`. One may occur twice, with different
    /// subresources.
    pub(super) fn named(&self, groups: &[&str], name: &str) -> Vec<&Resource<'a>> {
        self.all()
            .filter(|resource| resource.name == name && groups.contains(&resource.group))
            .collect()
    }
}

#[cfg(test)]
pub(in crate::manifest) mod tests {
    use super::super::OwnKind;
    use super::*;

    /// A project with one kind in a namespace and one in the cluster.
    pub(in crate::manifest) fn own_kinds() -> OwnKinds {
        let own = |kind: &str, plural: &str, namespaced| OwnKind {
            group: "app.example.com".into(),
            kind: kind.into(),
            plural: plural.into(),
            version: "v1".into(),
            namespaced,
        };
        OwnKinds {
            kinds: vec![
                own("AppService", "appservices", true),
                own("Person", "people", false),
            ],
        }
    }

    #[test]
    fn groups_have_an_origin() {
        let own_kinds = own_kinds();
        let catalog = Catalog::new(&own_kinds);
        for (group, origin) in [
            ("", Origin::BuiltIn),
            ("apps", Origin::BuiltIn),
            ("app.example.com", Origin::Own),
            ("cert-manager.io", Origin::Foreign),
            ("*", Origin::Foreign),
        ] {
            assert_eq!(catalog.origin(group), origin, "{group}");
        }
    }

    #[test]
    fn groups_are_named_once_and_the_own_first() {
        let own_kinds = own_kinds();
        let catalog = Catalog::new(&own_kinds);
        let groups = catalog.named_groups();
        assert_eq!(
            groups[..2],
            ["app.example.com", "admissionregistration.k8s.io"]
        );
        assert_eq!(groups.len(), 24);
    }

    #[test]
    fn a_resource_is_in_the_groups_that_serve_it() {
        let own_kinds = own_kinds();
        let catalog = Catalog::new(&own_kinds);
        for (name, groups) in [
            ("deployments", &["apps"][..]),
            ("events", &["", "events.k8s.io"]),
            ("serviceaccounts", &[""]),
            ("users", &["", "authentication.k8s.io"]),
            ("appservices", &["app.example.com"]),
            ("widgets", &[]),
        ] {
            assert!(catalog.groups_of(name).iter().eq(groups), "{name}");
        }
    }

    #[test]
    fn own_kinds_have_the_subresources_of_a_custom_resource() {
        let own_kinds = own_kinds();
        let catalog = Catalog::new(&own_kinds);
        let [people] = catalog.named(&["apps", "app.example.com"], "people")[..] else {
            panic!("not one");
        };
        assert!(people.is_of("person") && !people.namespaced);
        assert_eq!(
            people.subresources().collect::<Vec<_>>(),
            ["scale", "status", "finalizers"]
        );
        assert!(catalog.named(&["apps"], "people").is_empty());
    }
}
