use crate::address::FINALIZERS;
use crate::error::{Code, Error, Result};

use super::kind::{check_finalizer, check_same, renumber};
use super::name::{ControllerName, Domain, Group, Kind, Version};
use super::unknown::unknown;
use super::{KindVersion, Origin, Project, ProjectKind};

impl Project {
    /// Adds a kind in one version. If that exists, it gets what it was made without, and its settings change to those that
    /// are asked for.
    ///
    /// # Errors
    /// The kind exists with other settings, or conflicts with another kind.
    pub fn add(&mut self, new: ProjectKind) -> Result<()> {
        check_finalizer(&new)?;
        let existing = self.same(&new).and_then(|kind| kind.version(&new.hub));
        if existing.is_none() {
            self.checked(new.hub())?;
        }
        let Some(kind) = self.same_mut(&new) else {
            self.push(new);
            return self.check();
        };
        let position = kind
            .versions
            .iter()
            .position(|version| version.name == new.hub);
        if let Some(index) = position {
            kind.grow(index, &new)?;
        } else {
            for old in kind.versions() {
                check_same(new.hub(), old)?;
            }
            // If versions of the kind are converted, the new one is too.
            if kind.webhooks.conversion {
                kind.webhooks.spoke.push(new.hub.clone());
            }
            kind.versions.extend(new.versions);
        }
        for controller in new.controllers {
            kind.add_controller(&controller.version, controller.name);
        }
        kind.finalizer |= new.finalizer;
        renumber(&mut self.kinds);
        self.check()
    }

    /// Gives a kind a controller: one of the project's own that has types, with a finalizer if that is asked for,
    /// or one of Kubernetes itself. One with a `name` is another controller beside those that there are.
    ///
    /// # Errors
    /// The kind does not exist, or the controller cannot have a finalizer.
    pub fn add_controller(
        &mut self,
        group: Group,
        version: Option<&Version>,
        kind: &Kind,
        name: Option<ControllerName>,
        finalizer: bool,
    ) -> Result<()> {
        // The name of the kind is that of its first controller.
        let name = name.filter(|name| *name != ControllerName::of(kind));
        if let Some(index) = self.own_index(&group, kind)? {
            let own = &mut self.kinds[index];
            let requested = own.version_or(version, own.controlled().unwrap_or(&own.hub))?;
            check_finalizer_of(name.as_ref(), &requested.gvk(), finalizer)?;
            let version = requested.version.name.clone();
            if name.is_none() {
                own.move_controllers(&version);
            }
            own.finalizer |= finalizer;
            own.add_controller(&version, name);
        } else {
            let other = self.other_kind(&group, version, kind)?;
            if finalizer {
                return Err(finalizer_of_others(&other));
            }
            let has_it = |kind: &&ProjectKind| {
                let is_other = kind.is_same(&other) && kind.hub != other.hub;
                is_other && kind.controlled().is_some()
            };
            if name.is_none()
                && let Some(controlled) = self.external_kinds().find(has_it)
            {
                return Err(of_other_version(controlled, &other));
            }
            let hub = other.hub.clone();
            self.listed(other).add_controller(&hub, name);
        }
        self.check()
    }

    /// The entry of a kind that the project does not own; it is added if missing.
    pub(super) fn listed(&mut self, kind: ProjectKind) -> &mut ProjectKind {
        let index = self
            .kinds
            .iter()
            .position(|listed| listed.hub().is(kind.hub()))
            .unwrap_or_else(|| {
                self.push(kind);
                self.kinds.len() - 1
            });
        &mut self.kinds[index]
    }

    /// A kind that the project does not own: of another operator, from PROJECT, or of Kubernetes.
    pub(super) fn other_kind(
        &self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<ProjectKind> {
        if let Some(external) = self.external_kind(group, version, kind) {
            return Ok(external.clone());
        }
        let built_in = ProjectKind::built_in(group, version, kind)?;
        built_in.ok_or_else(|| unknown(self, group, kind))
    }

    /// Lists kinds of other operators. Each keeps the controllers, webhooks and policies that it has, and takes those of
    /// the versions that are moved to it.
    ///
    /// # Errors
    /// They conflict with other kinds.
    pub fn add_external(
        &mut self,
        kinds: impl IntoIterator<Item = (ProjectKind, Vec<Version>)>,
    ) -> Result<()> {
        for (new, moved) in kinds {
            self.list_external(new, &moved);
        }
        renumber(&mut self.kinds);
        self.check()
    }

    fn list_external(&mut self, mut new: ProjectKind, moved: &[Version]) {
        let is_new = |old: &ProjectKind| old.hub == new.hub;
        let (mut from, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.kinds)
            .into_iter()
            .partition(|old| old.is_same(&new) && (is_new(old) || moved.contains(&old.hub)));
        self.kinds = kept;
        from.sort_by_key(|old| !is_new(old));
        if let Some(first) = from.first() {
            // The entry stays where it is.
            new.versions[0].place = first.versions[0].place;
        }
        for old in &from {
            new.take_over(old);
        }
        self.kinds.push(new);
    }

    /// Moves the controllers of a kind to the version of `to`, which is added next.
    pub fn move_controllers(&mut self, to: &ProjectKind) {
        if let Some(kind) = self.same_mut(to) {
            kind.move_controllers(&to.hub);
        }
    }

    /// Makes a version the hub of its kind.
    ///
    /// # Errors
    /// It cannot be the hub.
    pub fn make_hub(&mut self, new: &ProjectKind) -> Result<()> {
        if let Some(kind) = self.same_mut(new) {
            kind.make_hub(&new.hub);
        }
        self.check()
    }

    /// A group as it was asked for, and the domain behind it. A group that ends in the project's
    /// domain is taken for the whole one, and one that is that domain is split at its first dot.
    ///
    /// # Errors
    /// The group is a domain of one part, which cannot be split.
    pub fn split_group(&self, group: Group) -> Result<(Group, Domain)> {
        let whole = group.as_str();
        let below = whole.strip_suffix(self.domain.as_str());
        if below == Some("") {
            let (first, rest) = whole.split_once('.').ok_or_else(|| {
                Error::new(
                    Code::InvalidGroup,
                    format!("the group `{whole}` is the project's domain and has no dot"),
                )
                .hint("a CRD's group needs a dot: use a group under the domain, such as `app`")
            })?;
            return Ok((first.parse()?, rest.parse()?));
        }
        match below.and_then(|below| below.strip_suffix('.')) {
            Some(below) => Ok((below.parse()?, self.domain.clone())),
            None => Ok((group, self.domain.clone())),
        }
    }
}

impl ProjectKind {
    /// Updates the settings of an existing version.
    ///
    /// # Errors
    /// Objects would be lost, or something would be removed that `rop delete` removes.
    fn grow(&mut self, index: usize, new: &Self) -> Result<()> {
        let old = self.only(&self.versions[index]);
        let refused = |what: String, way_out: &str| {
            let gvk = new.hub().gvk();
            let error = Error::new(Code::AlreadyExists, format!("{gvk} already exists {what}"));
            Err(error.hint(way_out))
        };
        if new.plural != old.plural {
            let what = format!("with the plural `{}`, which cannot change", old.plural);
            return refused(
                what,
                "remove `--plural`, or delete the API and create it again",
            );
        }
        if new.namespaced != old.namespaced {
            let scope = if old.namespaced {
                "as namespaced"
            } else {
                "as cluster-scoped"
            };
            let what = format!("{scope}: the scope of a CRD cannot change");
            return refused(
                what,
                "remove the scope flag, or delete the API and create it again",
            );
        }
        if old.controlled().is_some() && new.controlled().is_none() {
            let way_out = format!(
                "to delete it: `rop delete controller --group {} --kind {}`",
                new.group, new.name
            );
            return refused("with a controller".to_owned(), &way_out);
        }
        let requested = &new.versions[0];
        self.versions[index] = KindVersion {
            place: self.versions[index].place,
            ..requested.clone()
        };
        if let (Origin::Own(own), Origin::Own(requested)) = (&mut self.origin, &new.origin) {
            own.short_names.clone_from(&requested.short_names);
            own.categories.clone_from(&requested.categories);
        }
        Ok(())
    }
}

/// Checks that only the first controller of a kind has the finalizer.
fn check_finalizer_of(name: Option<&ControllerName>, gvk: &str, finalizer: bool) -> Result<()> {
    match name.filter(|_| finalizer) {
        None => Ok(()),
        Some(name) => Err(Error::new(
            Code::UnsupportedFinalizer,
            format!("`--finalizer` is only for the first controller of {gvk}, not for `{name}`"),
        )
        .hint(cleanup_by_hand())),
    }
}

/// A kind has its first controller in one version.
fn of_other_version(controlled: &ProjectKind, new: &ProjectKind) -> Error {
    Error::new(
        Code::ControllerExists,
        format!(
            "{} already has the controller: a kind has its controller in one version",
            controlled.hub().gvk()
        ),
    )
    .hint(format!(
        "to move it to {}: `{}`",
        new.hub,
        new.create(&new.crd())
    ))
    .hint("to add another controller, name it with `--controller-name`")
}

/// Objects that are not the operator's must not wait for it.
pub(crate) fn finalizer_of_others(kind: &ProjectKind) -> Error {
    let gvk = kind.hub().gvk();
    Error::new(Code::UnsupportedFinalizer, format!(
        "`--finalizer` is only for the project's own kinds: without the operator, {gvk} objects \
        with its finalizer could not be deleted"
    ))
    .hint(cleanup_by_hand())
}

fn cleanup_by_hand() -> String {
    format!("remove `--finalizer`; for a cleanup by hand, see {FINALIZERS}")
}
