//! What the files of kinds are called after.

use std::collections::HashMap;

use super::name::{joined, module};
use super::{Project, ProjectKind};

/// The first kind of each name among the project's own: a later one gets its group into the name.
pub(crate) struct FileNames<'a> {
    project: &'a Project,
    modules: HashMap<String, &'a ProjectKind>,
    stems: HashMap<String, &'a ProjectKind>,
}

impl Project {
    /// The names of all kinds.
    pub(crate) fn file_names(&self) -> FileNames<'_> {
        let mut names = FileNames {
            project: self,
            modules: HashMap::new(),
            stems: HashMap::new(),
        };
        for kind in self.own_kinds() {
            let name = &kind.name;
            names.modules.entry(name.module()).or_insert(kind);
            names.stems.entry(name.lower()).or_insert(kind);
        }
        names
    }
}

impl FileNames<'_> {
    /// The module of a kind's controller below `src/controller/`, and of its webhooks: one folder for the kind, in
    /// one for the group if the project is multigroup. If two groups have the same kind in
    /// a project that is not, the later one gets its group into the name.
    pub(crate) fn module(&self, kind: &ProjectKind) -> Vec<String> {
        let name = kind.name.module();
        if !self.project.multigroup && is_taken(self.modules.get(&name), kind) {
            vec![module(&joined(&kind.group.module(), &name))]
        } else {
            self.project.in_group(&kind.group, name)
        }
    }

    /// What the roles for people and the policies of a kind are called after: the kind, with its group before it
    /// if the project is multigroup, or if an earlier group has such a kind too.
    pub(crate) fn stem(&self, kind: &ProjectKind) -> Vec<String> {
        let name = kind.name.lower();
        if self.project.multigroup || is_taken(self.stems.get(&name), kind) {
            vec![kind.group.to_string(), name]
        } else {
            vec![name]
        }
    }
}

/// Whether the first kind of a name is another one. Kinds of others have no names of their own.
fn is_taken(first: Option<&&ProjectKind>, kind: &ProjectKind) -> bool {
    kind.is_own() && first.is_some_and(|first| !first.is_same(kind))
}
