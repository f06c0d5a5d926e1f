//! Kinds of other operators: how they are named, and where their types are.

use std::collections::HashMap;

use crate::error::{Error, Result};

use super::layout::{EXTERNAL_CRDS, EXTERNAL_TYPES};
use super::name::{Group, Kind, Plural, Version};
use super::{CoreKind, Policies, Project, Webhooks};

/// What is known of a kind of another operator.
#[derive(Clone, Debug)]
pub struct ExternalKind {
    /// The group without its domain.
    pub group: Group,
    /// The domain behind it.
    pub domain: Group,
    /// The version.
    pub version: Version,
    /// The kind.
    pub kind: Kind,
    /// The resource in URLs.
    pub plural: Plural,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// The Rust module that has its type.
    pub path: String,
}

impl CoreKind {
    /// A kind of another operator, without a controller.
    pub fn external(kind: ExternalKind) -> Self {
        Self {
            core: false,
            controller: false,
            controllers: Vec::new(),
            domain: Some(kind.domain.to_string()),
            external: true,
            group: kind.group,
            kind: kind.kind,
            module: None,
            namespaced: kind.namespaced,
            cluster_scoped: !kind.namespaced,
            path: kind.path,
            plural: Some(kind.plural),
            version: kind.version,
            webhooks: Webhooks::default(),
            policies: Policies::default(),
        }
    }

    /// Whether its types are generated from its CRD: those of another crate are not.
    pub fn has_types(&self) -> bool {
        self.external && self.module.is_none()
    }

    /// The CRD that the project keeps of it.
    pub fn crd(&self) -> String {
        format!(
            "{EXTERNAL_CRDS}/{}_{}.yaml",
            self.api_group(),
            self.plural()
        )
    }

    /// The command that takes its CRD from a file.
    pub(crate) fn create(&self, file: &str) -> String {
        let of_crate = self.module.as_ref().map_or_else(String::new, |module| {
            format!(
                " --external-api-crate {module} --external-api-path {}",
                self.path
            )
        });
        format!(
            "rop create api --group {} --version {} --kind {} --external-crd {file}{of_crate}",
            self.api_group(),
            self.version,
            self.kind
        )
    }

    /// The modules of its types below the one that has all of them: group, version and kind.
    pub fn modules(&self) -> [String; 3] {
        let group: Result<Group, _> = self.api_group().parse();
        let group = group.map_or_else(|_| self.group.module(), |group| group.module());
        let (version, kind) = (self.version.module(), self.kind.module());
        // A module must not be called as the one that it is in.
        let kind = if kind == version {
            format!("{kind}_")
        } else {
            kind
        };
        [group, version, kind]
    }

    /// The file of its types.
    pub fn types(&self) -> String {
        format!("{EXTERNAL_TYPES}/{}.rs", self.modules().join("/"))
    }
}

impl Project {
    /// The kinds of other operators. The project has their CRDs.
    pub fn external_kinds(&self) -> impl Iterator<Item = &CoreKind> {
        self.resources.core.iter().filter(|one| one.external)
    }

    /// Those whose types are generated.
    pub fn external_types(&self) -> impl Iterator<Item = &CoreKind> {
        self.external_kinds().filter(|one| one.has_types())
    }

    /// The module that has the type of a kind whose types are generated.
    pub fn external_path(&self, group: &Group, version: &Version) -> String {
        let api = self.project_name.api_crate();
        format!("{api}::external::{}::{}", group.module(), version.module())
    }

    /// A group and its domain: the part before the first dot, and the rest.
    ///
    /// # Errors
    /// There is no dot.
    pub fn split_external_group(group: &Group, domain: Option<&Group>) -> Result<(Group, Group)> {
        if let Some(domain) = domain {
            let below = group.as_str().strip_suffix(domain.as_str());
            let below = below.and_then(|below| below.strip_suffix('.'));
            let group = below.map_or_else(|| Ok(group.clone()), str::parse)?;
            return Ok((group, domain.clone()));
        }
        let Some((first, rest)) = group.as_str().split_once('.') else {
            return Err(Error::usage(format!(
                "the group `{group}` has no domain, and the group of a CRD has one"
            ))
            .hint("name the whole group, or its domain with `--external-api-domain`"));
        };
        Ok((first.parse()?, rest.parse()?))
    }

    /// The kind of another operator of that name. Its group may be written with its domain or without it.
    pub(super) fn external_kind(
        &self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Option<&CoreKind> {
        let is_it = |one: &&CoreKind| {
            let is_group = one.group == *group || one.api_group() == group.as_str();
            let is_version = version.is_none_or(|version| one.version == *version);
            one.external && one.kind == *kind && is_group && is_version
        };
        self.resources.core.iter().find(is_it)
    }

    /// Checks that kinds of other operators have names and modules that go with the others.
    pub(super) fn check_external(&self) -> Result<()> {
        let external = "external";
        let groups = self.resources.own.iter().map(|own| &own.group);
        let mut groups = groups.filter(|group| group.module() == external);
        if let (Some(one), Some(group)) = (self.external_types().next(), groups.next()) {
            return Err(Error::usage(format!(
                "the types of {} would be in the module `{external}`, which the group `{group}` has",
                one.gvk()
            ))
            .hint("give the project's own group another name"));
        }
        let packages = [
            self.project_name.to_string(),
            self.project_name.api_package(),
        ];
        for kind in self.external_kinds() {
            if let Some(of) = &kind.module
                && let Some(why) = of.conflict(&packages)
            {
                let gvk = kind.gvk();
                return Err(Error::usage(format!(
                    "`--external-api-crate {of}` cannot have the types of {gvk}: {why}"
                ))
                .hint("name the crate that has its types, or leave out the flag: they are generated from the CRD"));
            }
        }
        for one in self.external_types() {
            let path = self.external_path(&one.api_group().parse()?, &one.version);
            if one.path != path {
                return Err(Error::usage(format!(
                    "the types of {} are in `{path}`, and `path` says `{}`",
                    one.gvk(),
                    one.path
                ))
                .hint(format!(
                    "write `path: {path}`; if a crate has the types, name it with `module: NAME@VERSION`"
                )));
            }
        }
        let mut taken: HashMap<String, &CoreKind> = HashMap::new();
        for one in self.external_types() {
            let [group, version, _] = one.modules();
            let name = one.type_name();
            let file = format!("file `{}`", one.types());
            let of_type = format!("{group}::{version}::{name}");
            for (place, what) in [
                (file.clone(), file),
                (of_type, format!("Rust type `{name}`")),
            ] {
                let other = *taken.entry(place).or_insert(one);
                if !one.is(other) {
                    let (one, other) = (one.gvk(), other.gvk());
                    return Err(Error::usage(format!(
                        "{other} and {one} would both have the {what}"
                    ))
                    .hint("take the types of one of them from a crate: `--external-api-crate`"));
                }
            }
        }
        Ok(())
    }
}
