//! A kind of the project's own in all its versions.

use std::collections::HashMap;

use crate::error::Result;

use super::core_kind::no_version;
use super::name::{Group, Kind, Version, joined};
use super::{Project, Resource};

/// A kind of the project's own: an entry of PROJECT for each of its versions.
#[derive(Clone, Debug)]
pub struct OwnKind<'a> {
    versions: Vec<&'a Resource>,
}

/// Two versions of a kind between which objects are converted. The code for that stays where it is if the hub changes.
#[derive(Clone, Copy, Debug)]
pub struct Conversion<'a> {
    /// The version that objects are stored in.
    pub hub: &'a Resource,
    /// The other one.
    pub spoke: &'a Resource,
}

impl<'a> Conversion<'a> {
    /// The two, the older one first, as Kubernetes ranks versions.
    pub fn versions(&self) -> [&'a Resource; 2] {
        match self.hub.version < self.spoke.version {
            true => [self.hub, self.spoke],
            false => [self.spoke, self.hub],
        }
    }

    /// The module that has the code, beside the types of the newer version.
    pub(crate) fn module(&self) -> String {
        let [older, newer] = self.versions();
        joined(
            &newer.kind.module(),
            &format!("conversion_{}", older.version),
        )
    }

    /// The file that has the code.
    pub(crate) fn source(&self) -> String {
        let [_, newer] = self.versions();
        let (group, version) = (newer.group.module(), &newer.version);
        format!("api/src/{group}/{version}/{}.rs", self.module())
    }
}

impl<'a> OwnKind<'a> {
    /// The version that objects are stored in, and converted to and from the others: the one that PROJECT says, or
    /// the first.
    pub fn hub(&self) -> &'a Resource {
        let mut versions = self.versions.iter();
        let hub = versions.find(|one| one.hub || one.webhooks.conversion);
        hub.unwrap_or(&self.versions[0])
    }

    /// Its versions, in the order in which they were made.
    pub fn versions(&self) -> impl Iterator<Item = &'a Resource> {
        self.versions.iter().copied()
    }

    /// Whether it is the version that was made first.
    pub fn starts_with(&self, resource: &Resource) -> bool {
        self.versions()
            .next()
            .is_none_or(|first| first.is(resource))
    }

    /// The newest one, as Kubernetes ranks versions.
    pub fn newest(&self) -> Option<&'a Resource> {
        self.versions().max_by_key(|one| &one.version)
    }

    /// Its versions but for the hub.
    pub fn spokes(&self) -> impl Iterator<Item = &'a Resource> {
        let hub = self.hub();
        self.versions().filter(move |one| !one.is(hub))
    }

    /// What a webhook converts.
    pub fn conversions(&self) -> impl Iterator<Item = Conversion<'a>> {
        let hub = self.hub();
        let webhooks = &hub.webhooks;
        let spokes = self
            .spokes()
            .filter(|one| webhooks.conversion && webhooks.spoke.contains(&one.version));
        spokes.map(move |spoke| Conversion { hub, spoke })
    }

    /// Whether a webhook converts any.
    pub fn is_converted(&self) -> bool {
        self.hub().webhooks.conversion
    }

    /// The version of that name, if it has one.
    pub fn version(&self, version: &Version) -> Option<&'a Resource> {
        self.versions().find(|one| one.version == *version)
    }

    /// The version that is asked for, or `usual` if none is.
    ///
    /// # Errors
    /// It has no such version.
    pub(super) fn asked(
        &self,
        version: Option<&Version>,
        usual: &'a Resource,
    ) -> Result<&'a Resource> {
        let Some(version) = version else {
            return Ok(usual);
        };
        let versions = || self.versions().map(|one| &one.version);
        self.version(version)
            .ok_or_else(|| no_version(&usual.group, version, &usual.kind, versions()))
    }
}

impl Project {
    /// The kinds of its own, in the order in which they were made.
    pub fn own_kinds(&self) -> Vec<OwnKind<'_>> {
        let mut kinds: Vec<OwnKind<'_>> = Vec::new();
        let mut places = HashMap::new();
        for resource in &self.resources.own {
            let name = [
                resource.domain.as_str(),
                resource.group.as_str(),
                resource.kind.as_str(),
            ];
            let place = *places.entry(name).or_insert(kinds.len());
            match kinds.get_mut(place) {
                Some(kind) => kind.versions.push(resource),
                None => kinds.push(OwnKind {
                    versions: vec![resource],
                }),
            }
        }
        kinds
    }

    /// The name of the object in a sample, which is another one for each version. It is a label too, which has 63
    /// characters at the most.
    pub fn sample_name(&self, resource: &Resource) -> String {
        let version = match self.own_kind(resource).starts_with(resource) {
            true => String::new(),
            false => format!("{}-", resource.version),
        };
        let name = format!("{}-{version}sample", resource.kind.lower());
        match name.len() {
            ..=63 => name,
            _ => format!("{version}sample"),
        }
    }

    /// What webhooks convert.
    pub fn conversions(&self) -> impl Iterator<Item = Conversion<'_>> {
        let kinds = self.own_kinds().into_iter();
        kinds.flat_map(|kind| kind.conversions().collect::<Vec<_>>())
    }

    /// The kind of a name. Its group may be written with its domain or without it.
    ///
    /// # Errors
    /// As [`Project::split_group`].
    pub(crate) fn own_kind_named(&self, group: &Group, kind: &Kind) -> Result<Option<OwnKind<'_>>> {
        let (group, domain) = self.split_group(group.clone())?;
        let is_it = |one: &OwnKind<'_>| {
            let one = one.hub();
            one.domain == domain && one.group == group && one.kind == *kind
        };
        Ok(self.own_kinds().into_iter().find(is_it))
    }

    /// The kind in all its versions.
    pub fn own_kind(&self, resource: &Resource) -> OwnKind<'_> {
        let versions = self.resources.own.iter();
        OwnKind {
            versions: versions.filter(|one| one.is_version_of(resource)).collect(),
        }
    }
}
