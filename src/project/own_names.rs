//! What the files of the project's own kinds are called after.

use std::collections::HashMap;

use super::name::{joined, module};
use super::{Project, Resource};

/// The first kind of each name: a later one gets its group into the name.
pub(crate) struct OwnNames<'a> {
    project: &'a Project,
    modules: HashMap<String, &'a Resource>,
    stems: HashMap<String, &'a Resource>,
}

impl Project {
    /// The names of all kinds, for those that ask for many.
    pub(crate) fn own_names(&self) -> OwnNames<'_> {
        let mut names = OwnNames {
            project: self,
            modules: HashMap::new(),
            stems: HashMap::new(),
        };
        for resource in &self.resources.own {
            let kind = &resource.kind;
            names.modules.entry(kind.module()).or_insert(resource);
            names.stems.entry(kind.lower()).or_insert(resource);
        }
        names
    }

    /// The module of a resource's controller below `src/controller/`: one folder for the kind, in
    /// one for the group where the project is multigroup. Where two groups have the same kind in
    /// a project that is not, the later one gets its group into the name.
    pub fn controller_module(&self, resource: &Resource) -> Vec<String> {
        self.own_names().controller_module(resource)
    }

    /// What the roles for people of a resource are called after: the kind, with its group before it
    /// where the project is multigroup, or where an earlier group has such a kind too.
    pub fn role_stem(&self, resource: &Resource) -> Vec<String> {
        self.own_names().role_stem(resource)
    }
}

impl OwnNames<'_> {
    /// As [`Project::controller_module`].
    pub(crate) fn controller_module(&self, resource: &Resource) -> Vec<String> {
        let kind = resource.kind.module();
        if self.project.multigroup {
            return self.project.in_group(&resource.group, kind);
        }
        match is_taken(self.modules.get(&kind), resource) {
            true => vec![module(&joined(&resource.group.module(), &kind))],
            false => vec![kind],
        }
    }

    /// As [`Project::role_stem`].
    pub(crate) fn role_stem(&self, resource: &Resource) -> Vec<String> {
        let kind = resource.kind.lower();
        match self.project.multigroup || is_taken(self.stems.get(&kind), resource) {
            true => vec![resource.group.to_string(), kind],
            false => vec![kind],
        }
    }
}

/// Whether the first kind of a name is another one.
fn is_taken(first: Option<&&Resource>, resource: &Resource) -> bool {
    first.is_some_and(|first| !first.is_version_of(resource))
}
