//! The kinds of a project, all of them or one of a name.

use super::entries::{self, renumber};
use super::{Origin, ProjectKind, Versioned};
use crate::error::Result;
use crate::project::Project;
use crate::project::name::{Group, Kind};

impl Project {
    /// The kinds in each of their versions, in the order of PROJECT: the project's own, then those of others.
    pub fn entries(&self) -> Vec<Versioned<'_>> {
        entries::of(&self.kinds)
    }

    /// The project's own kinds, in the order of their creation.
    pub fn own_kinds(&self) -> impl Iterator<Item = &ProjectKind> {
        self.kinds.iter().filter(|kind| kind.is_own())
    }

    /// Those in each of their versions, in the order in which these were made.
    pub fn own_versions(&self) -> impl Iterator<Item = Versioned<'_>> {
        let entries = self.entries().into_iter();
        entries.filter(|entry| entry.kind.is_own())
    }

    /// The kind of that name which is the project's own. Its group may be written with its domain or without it.
    ///
    /// # Errors
    /// As [`Project::split_group`].
    pub(crate) fn own_kind(&self, group: &Group, name: &Kind) -> Result<Option<&ProjectKind>> {
        let index = self.own_index(group, name)?;
        Ok(index.map(|index| &self.kinds[index]))
    }

    /// Where the kind of that name is which is the project's own.
    pub(in crate::project) fn own_index(
        &self,
        group: &Group,
        name: &Kind,
    ) -> Result<Option<usize>> {
        let (group, domain) = self.split_group(group.clone())?;
        let is_asked = |kind: &ProjectKind| {
            let is_domain = matches!(&kind.origin, Origin::Own(own) if own.domain == domain);
            is_domain && kind.group == group && kind.name == *name
        };
        Ok(self.kinds.iter().position(is_asked))
    }

    /// The kind of the project's own that is the same as another one.
    pub fn same(&self, other: &ProjectKind) -> Option<&ProjectKind> {
        self.own_kinds().find(|kind| kind.is_same(other))
    }

    /// As [`Self::same`], to change it.
    pub(in crate::project) fn same_mut(&mut self, other: &ProjectKind) -> Option<&mut ProjectKind> {
        self.kinds.iter_mut().find(|kind| kind.is_same(other))
    }

    /// Adds a kind to the list.
    pub(in crate::project) fn push(&mut self, kind: ProjectKind) {
        self.kinds.push(kind);
        renumber(&mut self.kinds);
    }
}
