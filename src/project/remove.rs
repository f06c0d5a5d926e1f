//! Removes kinds, controllers, webhooks and policies.

use crate::error::{Code, Error, Result};

use super::kind::{no_version, renumber};
use super::name::{ControllerName, Group, Kind, Version};
use super::unknown::unlisted;
use super::{Origin, Policies, Project, ProjectKind, Versioned, Webhooks};

impl Project {
    /// Removes a kind with all that it has, or one version of it. Returns what was removed of the project's own kinds.
    ///
    /// # Errors
    /// PROJECT does not list it, or other versions of the kind need it.
    pub fn remove_api(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<Option<ProjectKind>> {
        let Some(index) = self.own_index(group, kind)? else {
            let index = self.listed_index(group, version, kind)?;
            self.kinds.remove(index);
            return self.check().map(|()| None);
        };
        let own = &mut self.kinds[index];
        let requested = own.version_or(version, &own.hub)?;
        let gone = match version {
            Some(_) if own.versions.len() > 1 => {
                check_unneeded(requested)?;
                own.only(requested.version)
            }
            _ => self.kinds.remove(index),
        };
        if let Some(own) = self.same_mut(&gone) {
            own.retain_versions(|version| version.name != gone.hub);
            let webhooks = &mut own.webhooks;
            webhooks.spoke.retain(|spoke| *spoke != gone.hub);
            webhooks.conversion &= !webhooks.spoke.is_empty();
            if own.starts_with(&own.hub) {
                // The first one is the hub anyway.
                own.list_hub(false);
            }
        }
        renumber(&mut self.kinds);
        self.check()?;
        Ok(Some(gone))
    }

    /// Removes a controller of a kind: without a name, the first.
    ///
    /// # Errors
    /// PROJECT does not list it.
    pub fn remove_controller(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        name: Option<&ControllerName>,
    ) -> Result<()> {
        let name = name.filter(|name| **name != ControllerName::of(kind));
        let index = self.listed_index(group, version, kind)?;
        if !self.kinds[index].remove_controller(version, name) {
            return Err(Error::new(
                Code::NothingToDelete,
                match name {
                    None => format!("{group} {kind} has no controller"),
                    Some(name) => format!("{group} {kind} has no controller `{name}`"),
                },
            )
            .hint("see `resources` in PROJECT for the controllers of each kind"));
        }
        self.drop_if_idle(index);
        self.check()
    }

    /// Removes webhooks of a kind. Of a conversion, the named spokes, or all.
    ///
    /// # Errors
    /// The kind does not have one of them.
    pub fn remove_webhooks(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        gone: &Webhooks,
    ) -> Result<()> {
        let (own, is_hub) = self.admitting(group, version, kind)?;
        let webhooks = &mut own.webhooks;
        for (has, goes, what) in [
            (webhooks.defaulting, gone.defaulting, "defaulting webhook"),
            (webhooks.validation, gone.validation, "validating webhook"),
            (webhooks.conversion, gone.conversion, "conversion"),
        ] {
            if goes && !(has && is_hub) {
                return Err(not_listed(group, kind, what));
            }
        }
        if gone.defaulting {
            (webhooks.defaulting, webhooks.defaulting_path) = (false, None);
        }
        if gone.validation {
            (webhooks.validation, webhooks.validation_path) = (false, None);
        }
        if gone.conversion {
            let is_gone = |spoke: &Version| gone.spoke.is_empty() || gone.spoke.contains(spoke);
            webhooks.spoke.retain(|spoke| !is_gone(spoke));
            webhooks.conversion = !webhooks.spoke.is_empty();
            if !webhooks.conversion {
                // The conversion has said so until now.
                own.list_hub(!own.starts_with(&own.hub));
            }
        }
        self.drop_idle();
        self.check()
    }

    /// Removes policies of a kind.
    ///
    /// # Errors
    /// The kind does not have one of them.
    pub fn remove_policies(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        gone: Policies,
    ) -> Result<()> {
        let (ProjectKind { policies, .. }, is_hub) = self.admitting(group, version, kind)?;
        for sort in gone.sorts() {
            if !(policies.has(sort) && is_hub) {
                return Err(not_listed(group, kind, &format!("{} policy", sort.name())));
            }
        }
        policies.mutating &= !gone.mutating;
        policies.validating &= !gone.validating;
        self.drop_idle();
        self.check()
    }

    /// A kind that PROJECT lists, and whether what is asked about its webhooks and policies is asked about its hub.
    fn admitting(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<(&mut ProjectKind, bool)> {
        let index = self.listed_index(group, version, kind)?;
        let listed = &mut self.kinds[index];
        let is_hub = listed.version_or(version, &listed.hub)?.is_hub();
        Ok((listed, is_hub))
    }

    /// The index of a kind. A kind that the project does not own has an index for each version.
    fn listed_index(&self, group: &Group, version: Option<&Version>, kind: &Kind) -> Result<usize> {
        if let Some(index) = self.own_index(group, kind)? {
            return Ok(index);
        }
        let is_kind = |listed: &ProjectKind| !listed.is_own() && listed.is_named(group, kind);
        let matches =
            |listed: &ProjectKind| is_kind(listed) && version.is_none_or(|it| listed.hub == *it);
        let found = self.kinds.iter().position(matches);
        found.ok_or_else(|| {
            let mut versions = self
                .kinds
                .iter()
                .filter(|listed| is_kind(listed))
                .map(|listed| &listed.hub)
                .peekable();
            match (version, versions.peek()) {
                (Some(version), Some(_)) => no_version(group, version, kind, versions),
                _ => unlisted(self, group, kind),
            }
        })
    }

    /// Removes kinds of Kubernetes without controllers, webhooks and policies.
    fn drop_idle(&mut self) {
        for index in (0..self.kinds.len()).rev() {
            self.drop_if_idle(index);
        }
    }

    fn drop_if_idle(&mut self, index: usize) {
        let kind = &self.kinds[index];
        let is_built_in = matches!(kind.origin, Origin::BuiltIn(_));
        let is_asked = !kind.webhooks.is_none() || !kind.policies.is_none();
        if is_built_in && kind.controllers.is_empty() && !is_asked {
            self.kinds.remove(index);
        }
    }
}

/// Checks that a version is neither the hub nor reconciled by a controller.
fn check_unneeded(versioned: Versioned<'_>) -> Result<()> {
    let ProjectKind { group, name, .. } = versioned.kind;
    let version = &versioned.version.name;
    let is_reconciled = versioned.kind.controllers_of(version).next().is_some();
    let hub = format!(
        "{} is the storage version (hub) of its kind",
        versioned.gvk()
    );
    let (message, flags) = match (versioned.is_hub(), is_reconciled) {
        (true, true) => (
            format!("{hub}, and its controller uses it"),
            "--hub --controller",
        ),
        (true, false) => (hub, "--hub"),
        (false, true) => (
            format!("the controller of {group} {name} uses version `{version}`"),
            "--controller",
        ),
        (false, false) => return Ok(()),
    };
    let versions = versioned.kind.versions().map(|other| &other.version.name);
    let newest = versions
        .filter(|other| *other != version)
        .max()
        .map_or("VERSION", Version::as_str);
    let hint = format!(
        "move it to another version first: `rop create api --group {group} --version {newest} --kind {name} {flags}`"
    );
    Err(Error::new(Code::VersionInUse, message).hint(hint))
}

fn not_listed(group: &Group, kind: &Kind, what: &str) -> Error {
    Error::new(
        Code::NothingToDelete,
        format!("{group} {kind} has no {what}"),
    )
    .hint("see `resources` in PROJECT for what each kind has")
}
