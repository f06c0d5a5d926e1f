//! The project's own kinds: what their versions share, and the hub.

use super::{KindVersion, Origin, Policies, ProjectKind, Versioned, Webhooks};
use crate::error::{Code, Error, Result};
use crate::project::name::{Domain, Group, Kind, Label, Version};

/// What only a kind has that the project defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The domain behind the group.
    pub domain: Domain,
    /// Short names that kubectl knows the kind by.
    pub short_names: Vec<Label>,
    /// Categories such as `all`.
    pub categories: Vec<Label>,
    /// Whether PROJECT calls the hub so: it need not if that is the first version, or the one that has the conversion.
    pub lists_hub: bool,
}

impl ProjectKind {
    /// A kind of the project's own in one version, namespaced and with a controller.
    pub fn own(domain: Domain, group: Group, version: Version, name: Kind) -> Self {
        let own = Own {
            domain,
            short_names: Vec::new(),
            categories: Vec::new(),
            lists_hub: false,
        };
        let mut kind = Self::new(group, version.clone(), name, None, Origin::Own(own));
        kind.add_controller(&version, None);
        kind
    }

    /// The kind in another version, which is like the newest one and has types of its own alone.
    #[must_use]
    pub fn in_version(&self, name: Version) -> Self {
        let newest = self.versions.iter().max_by_key(|version| &version.name);
        let like = newest.unwrap_or(&self.versions[0]);
        let version = KindVersion {
            api: like.api,
            template: like.template,
            image: like.image.clone(),
            port: like.port,
            ..KindVersion::new(name.clone())
        };
        let mut kind = Self {
            hub: name,
            versions: vec![version],
            controllers: Vec::new(),
            finalizer: false,
            webhooks: Webhooks::default(),
            policies: Policies::default(),
            ..self.clone()
        };
        kind.list_hub(false);
        kind
    }

    /// Short names and categories.
    pub fn aliases(&self) -> [&[Label]; 2] {
        match &self.origin {
            Origin::Own(own) => [&own.short_names, &own.categories],
            _ => [&[], &[]],
        }
    }

    /// Whether PROJECT says which version is the hub.
    pub(in crate::project) fn lists_hub(&self) -> bool {
        matches!(&self.origin, Origin::Own(own) if own.lists_hub)
    }

    pub(in crate::project) fn list_hub(&mut self, says: bool) {
        if let Origin::Own(own) = &mut self.origin {
            own.lists_hub = says;
        }
    }

    /// Sets the hub.
    pub(in crate::project) fn make_hub(&mut self, version: &Version) {
        if self.hub == *version {
            return;
        }
        let old = std::mem::replace(&mut self.hub, version.clone());
        for spoke in &mut self.webhooks.spoke {
            if spoke == version {
                spoke.clone_from(&old);
            }
        }
        self.list_hub(!self.starts_with(version) && !self.webhooks.conversion);
    }

    /// Makes one kind of its entries in PROJECT.
    ///
    /// # Errors
    /// They contradict each other, or two are the hub.
    pub(super) fn of_entries(entries: Vec<Self>) -> Result<Self> {
        for (at, new) in entries.iter().enumerate() {
            check_finalizer(new)?;
            for old in &entries[..at] {
                check_same(new.hub(), old.hub())?;
            }
        }
        let is_hub = |entry: &Self| entry.lists_hub() || entry.webhooks.conversion;
        let at = entries.iter().position(is_hub).unwrap_or(0);
        let mut kind = entries[at].clone();
        for (index, spoke) in entries.iter().enumerate() {
            if index != at {
                check_spoke(spoke, &entries[at])?;
            }
        }
        (kind.versions, kind.controllers) = (Vec::new(), Vec::new());
        for entry in entries {
            kind.versions.extend(entry.versions);
            kind.controllers.extend(entry.controllers);
            kind.finalizer |= entry.finalizer;
        }
        Ok(kind)
    }
}

/// Checks that a kind with a finalizer has a controller: objects could not be deleted otherwise.
pub(in crate::project) fn check_finalizer(new: &ProjectKind) -> Result<()> {
    if new.finalizer && new.controlled().is_none() {
        return Err(Error::new(
            Code::UnsupportedFinalizer,
            format!(
                "{} has a finalizer but no controller to run the cleanup",
                new.hub().gvk()
            ),
        )
        .hint("remove `--finalizer`, or create the kind with a controller"));
    }
    Ok(())
}

/// Checks that two versions agree on the settings of the CRD.
pub(in crate::project) fn check_same(new: Versioned<'_>, old: Versioned<'_>) -> Result<()> {
    let differs = |what: &str| {
        Error::new(
            Code::VersionsDiffer,
            format!(
                "{} and {} are versions of one kind but have different {what}",
                new.gvk(),
                old.gvk()
            ),
        )
    };
    if new.version.name == old.version.name {
        return Err(Error::new(
            Code::ListedTwice,
            format!("PROJECT lists {} twice", new.gvk()),
        )
        .hint("remove one of the entries"));
    }
    let ([short_names, categories], others) = (new.kind.aliases(), old.kind.aliases());
    let what = match () {
        () if new.kind.namespaced != old.kind.namespaced => "scopes",
        () if new.kind.plural != old.kind.plural => "plurals",
        () if short_names != others[0] => "short names",
        () if categories != others[1] => "categories",
        () => return Ok(()),
    };
    Err(differs(what).hint("remove the flag, or set the same value in both entries of PROJECT"))
}

/// The hub of a kind is what everything else is about: what is stored, and what webhooks are asked.
fn check_spoke(spoke: &ProjectKind, hub: &ProjectKind) -> Result<()> {
    if spoke.lists_hub() || spoke.webhooks.conversion {
        return Err(Error::new(
            Code::InvalidHub,
            format!(
                "PROJECT has two storage versions (hubs) of one kind: {} and {}",
                hub.hub().gvk(),
                spoke.hub().gvk()
            ),
        )
        .hint("set `hub: true` or `conversion: true` in one entry only"));
    }
    let has = match (spoke.webhooks.admits(), spoke.policies.is_none()) {
        (true, _) => "webhooks",
        (false, false) => "policies",
        (false, true) => return Ok(()),
    };
    Err(not_of_hub(spoke.hub(), &hub.hub, has))
}

/// The API server converts what webhooks and policies are asked about.
pub(in crate::project) fn not_of_hub(spoke: Versioned<'_>, hub: &Version, has: &str) -> Error {
    Error::new(
        Code::InvalidHub,
        format!(
            "{} has {has} but is not the storage version (hub) of its kind",
            spoke.gvk()
        ),
    )
    .hint(format!(
        "create them for `--version {hub}`: the API server converts requests to that version"
    ))
}
