//! What outputs are made of.

use std::fmt;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::Sources;
use crate::objects::Objects;
use crate::plan::{self, File, Ownership, Tree, without_header};
use crate::project::Project;

/// Where all manifests are.
const IN_CONFIG: &str = "config/";

/// Renders `config/default` of a project that need not be on disk, also where that takes kubectl.
#[derive(Clone, Copy)]
pub(super) struct Renderer<'a>(&'a dyn Fn(&View) -> Result<Objects>);

impl Renderer<'_> {
    pub(super) fn render(self, view: &View) -> Result<Objects> {
        (self.0)(view)
    }
}

impl fmt::Debug for Renderer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Renderer")
    }
}

/// The manifests of a project, as they are or as a command is about to write them.
#[derive(Debug)]
pub struct Manifests<'a> {
    /// What PROJECT says.
    pub(super) project: &'a Project,
    view: &'a View,
    /// What was made of the project last, and what is made of it now.
    change: Option<[&'a Tree; 2]>,
    /// What kustomize makes of `config/default`, with the image and the namespace that were asked for. Nothing where
    /// a command is still to write: kustomize reads what is on disk.
    pub(super) rendered: Option<&'a Objects>,
    /// What renders manifests that are not rendered in memory, for outputs that take several renderings.
    pub(super) renderer: Option<Renderer<'a>>,
}

impl<'a> Manifests<'a> {
    /// Those on disk.
    pub fn on_disk(project: &'a Project, view: &'a View) -> Self {
        Self {
            project,
            view,
            change: None,
            rendered: None,
            renderer: None,
        }
    }

    /// The same, with what renders manifests that are not rendered in memory.
    #[must_use]
    pub fn with_renderer(self, render: &'a dyn Fn(&View) -> Result<Objects>) -> Self {
        Self {
            renderer: Some(Renderer(render)),
            ..self
        }
    }

    /// Those on disk, with what a command adds to what was made last.
    pub fn planned(project: &'a Project, view: &'a View, change: [&'a Tree; 2]) -> Self {
        Self {
            change: Some(change),
            ..Self::on_disk(project, view)
        }
    }

    /// Those on disk, as kustomize renders them.
    pub fn rendered(project: &'a Project, view: &'a View, objects: &'a Objects) -> Self {
        Self {
            rendered: Some(objects),
            ..Self::on_disk(project, view)
        }
    }

    /// A manifest without its header: the one on disk, or what a command changes it to.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn text(&self, path: &str) -> Result<Option<String>> {
        let files = self.change.map(|trees| trees.map(|tree| tree.get(path)));
        let [old, new] = files.unwrap_or_default();
        let found = match new {
            Some(new) if Some(new) == old => self.view.read_own(path)?,
            // Edits stay, or are merged.
            Some(new) if new.ownership() == Ownership::Seeded => self
                .planned_files(|file| file.path() == path)?
                .read_own(path)?,
            Some(_) => None,
            None => self.view.read_own(path)?,
        };
        Ok(match (found, new) {
            (Some(text), _) => Some(without_header(&text).to_owned()),
            (None, new) => new.map(|new| new.body().to_owned()),
        })
    }

    /// The project as it is.
    pub(super) fn view(&self) -> &View {
        self.view
    }

    /// The project with the manifests as a command is about to write them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn planned_view(&self) -> Result<View> {
        self.planned_files(|file| file.path().starts_with(IN_CONFIG))
    }

    /// The project with some files as a command is about to write them.
    fn planned_files(&self, is_planned: impl Fn(&File) -> bool) -> Result<View> {
        let Some(trees) = self.change else {
            return self.view.with([]);
        };
        let [before, after] = trees.map(|tree| {
            let mut tree = tree.clone();
            tree.retain(&is_planned);
            tree
        });
        // What is in conflict stays, and the command fails for it later.
        let (plan, conflicts) = plan::compare(self.view, &before, &after, false)?;
        let is_in_conflict = |path: &str| conflicts.iter().any(|conflict| conflict.path == path);
        let changes = plan.changes.into_iter();
        let (mut gone, mut changed) = (Vec::new(), Vec::new());
        for change in changes.filter(|change| !is_in_conflict(&change.path)) {
            match change.after {
                Some(text) => changed.push((change.path, text)),
                None => gone.push(change.path),
            }
        }
        self.view.without(&gone)?.with(changed)
    }

    /// The sources whose markers ask for some of the manifests.
    ///
    /// # Errors
    /// One cannot be read.
    pub(super) fn sources(&self) -> Result<Sources> {
        let nothing = Tree::default();
        let [before, after] = self.change.unwrap_or([&nothing; 2]);
        Sources::read(self.view, before, after)
    }
}
