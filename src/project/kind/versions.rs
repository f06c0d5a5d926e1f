//! The versions of a kind, one of which is its hub.

use super::{KindVersion, Policies, ProjectKind, Versioned, Webhooks};
use crate::error::{Code, Error, Result};
use crate::project::name::{Group, Kind, Version};

impl ProjectKind {
    /// Its versions, in the order of their creation.
    pub fn versions(&self) -> impl Iterator<Item = Versioned<'_>> {
        let versions = self.versions.iter();
        versions.map(|version| Versioned {
            kind: self,
            version,
        })
    }

    /// The version of that name, if it has one.
    pub fn version(&self, name: &Version) -> Option<Versioned<'_>> {
        self.versions().find(|entry| entry.version.name == *name)
    }

    /// The storage version, to and from which the others are converted.
    pub fn hub(&self) -> Versioned<'_> {
        self.version(&self.hub).unwrap_or(Versioned {
            kind: self,
            version: &self.versions[0],
        })
    }

    /// Whether it is the first version.
    pub fn starts_with(&self, version: &Version) -> bool {
        self.versions[0].name == *version
    }

    /// Its versions except the hub.
    pub fn spokes(&self) -> impl Iterator<Item = Versioned<'_>> {
        self.versions()
            .filter(|entry| entry.version.name != self.hub)
    }

    /// The requested version, or `usual` if none is given.
    ///
    /// # Errors
    /// It has no such version.
    pub(in crate::project) fn version_or(
        &self,
        version: Option<&Version>,
        usual: &Version,
    ) -> Result<Versioned<'_>> {
        let version = version.unwrap_or(usual);
        self.version(version).ok_or_else(|| {
            let versions = self.versions.iter().map(|version| &version.name);
            no_version(&self.group, version, &self.name, versions)
        })
    }

    /// What one entry of PROJECT says of it: the kind in one version.
    #[must_use]
    pub fn only(&self, version: &KindVersion) -> Self {
        let mut only = self.clone();
        only.retain_versions(|kept| kept.name == version.name);
        only
    }

    /// Keeps some of its versions, with the controllers that work with them. Webhooks and policies stay with the hub.
    pub(in crate::project) fn retain_versions(&mut self, keep: impl Fn(&KindVersion) -> bool) {
        self.versions.retain(keep);
        let versions = &self.versions;
        let is_left = |name: &Version| versions.iter().any(|version| version.name == *name);
        self.controllers
            .retain(|controller| is_left(&controller.version));
        if !is_left(&self.hub) {
            self.webhooks = Webhooks::default();
            self.policies = Policies::default();
            if let Some(first) = versions.first() {
                self.hub = first.name.clone();
            }
            self.list_hub(false);
        }
        self.finalizer &= self.controlled().is_some();
    }
}

/// The error of a version that the kind does not have.
pub(in crate::project) fn no_version<'a>(
    group: &Group,
    version: &Version,
    name: &Kind,
    versions: impl Iterator<Item = &'a Version>,
) -> Error {
    let versions: Vec<_> = versions.map(Version::as_str).collect();
    Error::new(
        Code::UnknownVersion,
        format!("{group} {name} has no version `{version}`"),
    )
    .hint(format!("use one of its versions: {}", versions.join(", ")))
}
