use super::{ProjectKind, Versioned};
use crate::project::Project;
use crate::project::name::joined;

/// Two versions of a kind between which objects are converted. The code for that stays where it is if the hub changes.
#[derive(Clone, Copy, Debug)]
pub struct Conversion<'a> {
    /// The version that objects are stored in.
    pub hub: Versioned<'a>,
    /// The other one.
    pub spoke: Versioned<'a>,
}

impl<'a> Conversion<'a> {
    /// The two, the older one first, as Kubernetes ranks versions.
    pub fn versions(&self) -> [Versioned<'a>; 2] {
        if self.hub.version.name < self.spoke.version.name {
            [self.hub, self.spoke]
        } else {
            [self.spoke, self.hub]
        }
    }

    /// The module that has the code, beside the types of the newer version.
    pub(crate) fn module(&self) -> String {
        let [older, newer] = self.versions();
        joined(
            &newer.kind.name.module(),
            &format!("conversion_{}", older.version.name),
        )
    }

    /// The test of its code.
    pub(crate) fn test(&self) -> String {
        self.source().replacen("api/src/", "tests/api/", 1)
    }

    /// The file that has the code.
    pub(crate) fn source(&self) -> String {
        let [_, newer] = self.versions();
        let (group, version) = (newer.kind.group.module(), &newer.version.name);
        format!("api/src/{group}/{version}/{}.rs", self.module())
    }
}

impl ProjectKind {
    /// What a webhook converts.
    pub fn conversions(&self) -> impl Iterator<Item = Conversion<'_>> {
        let (hub, webhooks) = (self.hub(), &self.webhooks);
        let spokes = self
            .spokes()
            .filter(|spoke| webhooks.conversion && webhooks.spoke.contains(&spoke.version.name));
        spokes.map(move |spoke| Conversion { hub, spoke })
    }

    /// Whether a webhook converts any.
    pub fn is_converted(&self) -> bool {
        self.webhooks.conversion && self.is_own()
    }
}

impl Project {
    /// What webhooks convert.
    pub fn conversions(&self) -> impl Iterator<Item = Conversion<'_>> {
        self.own_kinds().flat_map(ProjectKind::conversions)
    }
}
