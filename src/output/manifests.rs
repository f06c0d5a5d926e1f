//! What outputs are made of.

use crate::disk::View;
use crate::error::Result;
use crate::manifest::Sources;
use crate::objects::Objects;
use crate::plan::{self, Tree, without_header};
use crate::project::Project;

/// Where all manifests are.
const IN_CONFIG: &str = "config/";

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
}

impl<'a> Manifests<'a> {
    /// Those on disk.
    pub fn on_disk(project: &'a Project, view: &'a View) -> Self {
        Self {
            project,
            view,
            change: None,
            rendered: None,
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
        let is_changed = new != old;
        let found = match new {
            Some(_) if is_changed => None,
            _ => self.view.read_own(path)?,
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
        let Some(trees) = self.change else {
            return self.view.with([]);
        };
        let [before, after] = trees.map(|tree| {
            let mut tree = tree.clone();
            tree.retain(|file| file.path().starts_with(IN_CONFIG));
            tree
        });
        // What is in conflict stays, and the command fails for it later.
        let (plan, _) = plan::compare(self.view, &before, &after, false)?;
        let (mut gone, mut changed) = (Vec::new(), Vec::new());
        for change in plan.changes {
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
