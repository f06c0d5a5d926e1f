//! Kinds of other operators: how they are named, and where their types are.

use std::collections::HashMap;

use crate::error::{Code, Error, Result};

use super::{ExternalCrate, Origin, ProjectKind};
use crate::project::name::{Group, Kind, Version};
use crate::project::{Project, taken};

/// What is known of a kind of another operator alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The domain behind the group.
    pub domain: Group,
    /// The Rust module that has its type.
    pub path: String,
    /// The crate that has its type, unless it is one of the project.
    pub module: Option<ExternalCrate>,
}

impl ProjectKind {
    /// A kind of another operator, without a controller.
    pub fn external(group: Group, version: Version, name: Kind, external: External) -> Self {
        Self::new(group, version, name, None, Origin::External(external))
    }

    /// The crate that has its type, if none is generated.
    pub fn external_crate(&self) -> Option<&ExternalCrate> {
        match &self.origin {
            Origin::External(external) => external.module.as_ref(),
            _ => None,
        }
    }

    /// Whether its types are generated from its CRD: those of another crate are not.
    pub fn has_generated_types(&self) -> bool {
        self.is_external() && self.external_crate().is_none()
    }

    /// The command that takes its CRD from a file.
    pub(crate) fn create(&self, file: &str) -> String {
        let path = self.hub().path();
        let of_crate = self.external_crate().map_or_else(String::new, |module| {
            format!(" --external-api-crate {module} --external-api-path {path}")
        });
        format!(
            "rop create api --group {} --version {} --kind {} --external-crd {file}{of_crate}",
            self.api_group(),
            self.hub,
            self.name
        )
    }

    /// The modules of its types below the one that has all of them: group, version and kind.
    pub fn modules(&self) -> [String; 3] {
        let parsed: Result<Group, _> = self.api_group().parse();
        let group = parsed.map_or_else(|_| self.group.module(), |group| group.module());
        let (version, kind) = (self.hub.module(), self.name.module());
        // A module must not be called as the one that it is in.
        let kind = if kind == version {
            format!("{kind}_")
        } else {
            kind
        };
        [group, version, kind]
    }
}

impl Project {
    /// The kinds of other operators. The project has their CRDs.
    pub fn external_kinds(&self) -> impl Iterator<Item = &ProjectKind> {
        self.kinds.iter().filter(|kind| kind.is_external())
    }

    /// Those whose types are generated.
    pub fn external_types(&self) -> impl Iterator<Item = &ProjectKind> {
        self.kinds.iter().filter(|kind| kind.has_generated_types())
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
            let below = group
                .as_str()
                .strip_suffix(domain.as_str())
                .and_then(|below| below.strip_suffix('.'));
            let group = below.map_or_else(|| Ok(group.clone()), str::parse)?;
            return Ok((group, domain.clone()));
        }
        let Some((first, rest)) = group.as_str().split_once('.') else {
            return Err(Error::new(
                Code::InvalidGroup,
                format!("the group `{group}` has no domain, which a CRD's group needs"),
            )
            .hint("use the whole group, or set its domain with `--external-api-domain`"));
        };
        Ok((first.parse()?, rest.parse()?))
    }

    /// The kind of another operator of that name. Its group may be written with its domain or without it.
    pub(in crate::project) fn external_kind(
        &self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Option<&ProjectKind> {
        let is_version =
            |listed: &&ProjectKind| version.is_none_or(|version| listed.hub == *version);
        let mut kinds = self.external_kinds().filter(is_version);
        kinds.find(|listed| listed.is_named(group, kind))
    }

    /// Checks that kinds of other operators have names and modules that go with the others.
    pub(in crate::project) fn check_external(&self) -> Result<()> {
        let external = "external";
        let mut groups = self
            .own_kinds()
            .map(|own| &own.group)
            .filter(|group| group.module() == external);
        if let (Some(kind), Some(group)) = (self.external_types().next(), groups.next()) {
            return Err(Error::new(Code::NameTaken, format!(
                "the types of {} would be in the module `{external}`, which the group `{group}` \
                uses",
                kind.hub().gvk()
            ))
            .hint("use another name for the project's own group"));
        }
        let packages = [
            self.project_name.to_string(),
            self.project_name.api_package(),
        ];
        for kind in self.external_kinds() {
            if let Some(of) = kind.external_crate()
                && let Some(why) = of.conflict(&packages)
            {
                let gvk = kind.hub().gvk();
                return Err(Error::new(
                    Code::UnusableCrate,
                    format!("`--external-api-crate {of}` cannot provide the types of {gvk}: {why}"),
                )
                .hint(
                    "use the crate that provides the types, or remove the flag to generate them \
                    from the CRD",
                ));
            }
        }
        for kind in self.external_types() {
            let path = self.external_path(&kind.api_group().parse()?, &kind.hub);
            if kind.hub().path() != path {
                return Err(Error::new(
                    Code::WrongTypesPath,
                    format!(
                        "the types of {} are in `{path}`, but `path` in PROJECT is `{}`",
                        kind.hub().gvk(),
                        kind.hub().path()
                    ),
                )
                .hint(format!(
                    "set `path: {path}`; if a crate provides the types, set `module: NAME@VERSION`"
                )));
            }
        }
        let mut taken: HashMap<String, &ProjectKind> = HashMap::new();
        for kind in self.external_types() {
            let [group, version, _] = kind.modules();
            let name = kind.type_name();
            let file = format!("file `{}`", kind.hub().types_file());
            let of_type = format!("{group}::{version}::{name}");
            for (place, what) in [
                (file.clone(), file),
                (of_type, format!("Rust type `{name}`")),
            ] {
                let other = *taken.entry(place).or_insert(kind);
                if !kind.hub().is(other.hub()) {
                    let (kind, other) = (kind.hub().gvk(), other.hub().gvk());
                    let what = format!("the {what}");
                    return Err(taken::conflict(Code::NameTaken, other, kind, what).hint(
                        "use the types of one of them from a crate: `--external-api-crate`",
                    ));
                }
            }
        }
        Ok(())
    }
}
