//! The change from the project as last generated to its desired state.

use std::collections::{BTreeMap, BTreeSet};

use crate::beside::both;
use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::output::Output;
use crate::plan::{File, LineEnds, Ownership, Renames, Tree};
use crate::project::{Admission, FILE_NAME, Project, Versioned, release};
use crate::record::{self, Names, Record};
use crate::template;

use super::last::Last;
use super::moved::{Layout, Moved};
use super::unlisted::without_lost;
use super::unwritten::as_written;
use super::update::Update;
use super::{as_built, complete, desired, outputs, renamed, render, update};

/// A change of a project.
pub struct Change<'a> {
    /// Its files.
    pub view: &'a View,
    /// Its files, with new versions of those from which others are generated.
    pub sources: &'a View,
    /// The current PROJECT, if the project exists.
    pub current: Option<&'a Project>,
    /// The new PROJECT.
    pub next: &'a Project,
    /// A new output, besides the existing ones.
    pub output: Option<&'static dyn Output>,
    /// Whether user edits are merged with the change. Otherwise an edited file stays as it is.
    pub merges_edits: bool,
    /// If `current` is the project of a merged branch, under the names that it had there: the names in further branches.
    pub former: Option<&'a BTreeSet<Names>>,
    /// Which missing files are recreated.
    pub missing: Missing,
    /// Whether the files follow this release, whichever one made them. Otherwise this release must have made them.
    pub updates: bool,
}

/// Which missing files are recreated. Others count as deleted on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// None.
    None,
    /// All but those that the user may delete: those that rop owns, the sources of a kind or a webhook without any, and
    /// what is not in the record.
    Needed,
    /// All.
    All,
}

impl<'a> Change<'a> {
    /// A change of PROJECT that leaves the user's files alone.
    pub fn new(view: &'a View, current: Option<&'a Project>, next: &'a Project) -> Self {
        Self {
            view,
            sources: view,
            current,
            next,
            output: None,
            merges_edits: false,
            former: None,
            missing: Missing::None,
            updates: false,
        }
    }

    /// An update of a project to this release: user edits are merged with it.
    pub fn update(view: &'a View, project: &'a Project) -> Self {
        Self {
            merges_edits: true,
            updates: true,
            ..Self::new(view, Some(project), project)
        }
    }

    /// The files as last generated, and the desired ones. What was removed from PROJECT is only in the first.
    ///
    /// # Errors
    /// A file cannot be read, or the desired files cannot be generated from the sources.
    pub fn trees(&self) -> Result<(Tree, Tree)> {
        let mut next = Project {
            cli_version: release(),
            ..self.next.clone()
        };
        if self.updates {
            let given = |path: &str| record::given(self.view, path).ok().flatten();
            next.library = next.library.updated(given);
        }
        Change {
            next: &next,
            ..*self
        }
        .trees_of_release()
    }

    /// As [`Self::trees`], for a PROJECT that names this release.
    fn trees_of_release(&self) -> Result<(Tree, Tree)> {
        let Some(current) = self.current else {
            return Ok((Tree::default(), self.new_project()?));
        };
        let is_former = self.former.is_some();
        let (rendered, last) = both(
            || template::render(self.next),
            || Last::read(self.view, current, is_former),
        );
        let (mut rendered, mut last) = (rendered?, last?);
        if self.updates {
            last.tree = update::given(self.view, &mut last)?;
        } else {
            let is_other = !is_former && last.has_other_templates(self.view)?;
            record::check_release(&last.project, is_other)?;
        }
        let former = self.former_names(current)?;
        let laid_out = Project {
            multigroup: last.project.multigroup,
            ..self.next.clone()
        };
        let mut renames = Renames::default();
        if self.merges_edits {
            renames = renamed::renames(self.view, &last.project, &laid_out, self.next)?;
            let projects = [&last.project, self.next];
            renamed::add_crds(self.view, &renames, projects, &mut rendered)?;
        }
        let listed = if laid_out.multigroup == self.next.multigroup {
            complete(self.sources, &laid_out, rendered.clone())?
        } else {
            render(self.sources, &laid_out)?
        };
        let update = self
            .updates
            .then(|| Update::begin(self.view, &last, &listed, &mut renames));
        let paths = last.tree.files().map(File::path);
        let gone = paths.filter(|path| listed.get(path).is_none());
        let mut gone: BTreeSet<String> = gone.map(str::to_owned).collect();
        let mut before = self.given(&last, current, &gone, (&listed, &renames))?;
        self.treat_edits(&renames, &mut rendered);
        let layout = self.layout(&laid_out)?;
        let trees = [&mut before, &mut rendered];
        let restores = self.missing == Missing::All;
        let moved = Moved::find(self.view, &last, trees, &layout, &gone, restores);
        gone.extend(moved.gone().iter().cloned());
        gone.extend(self.moving_webhooks(&laid_out));
        // Markers in what goes ask for nothing.
        let mut renamed = renamed::texts(self.view, &renames)?;
        let texts = renamed
            .iter()
            .filter(|(path, _)| !gone.contains(*path))
            .map(|(path, [_, text])| (path.clone(), text.clone()));
        let mut sources = self.sources.without(&gone)?.with(texts)?;
        if self.updates {
            sources = Update::sources(self.view, &sources, [&before, &rendered], &moved)?;
        }
        let mut after = self.desired(&sources, rendered, &mut before)?;
        if self.recreates() {
            self.give_bases(&last, &mut before, &after)?;
        }
        outputs::add_last(self.view, &last, [&mut before, &mut after])?;
        if self.updates {
            update::add_given(self.view, &last, &mut before, &after)?;
        }
        if last.record.is_some() || is_former {
            before.extend(self.recorded(&last, &before)?);
        }
        let record = record::of(self.next, &as_written(self.view, &before, &after), &former)?;
        after.extend(record);
        let is_moved = moved.paths();
        for path in self.move_files(&layout, &renames, (&before, &mut after), is_moved)? {
            renamed.remove(&path);
        }
        moved.add_to([&mut before, &mut after]);
        add_renamed(renamed, &mut before, &mut after);
        if let Some(update) = update {
            update.finish(self.view, &last, &mut after)?;
        }
        if has_another_template(&last.project, self.next) {
            after.leave_nothing();
        }
        Ok((before, after))
    }

    /// Says what becomes of edits, before outputs are made of the files as they will be.
    fn treat_edits(&self, renames: &Renames, desired: &mut Tree) {
        if self.merges_edits {
            desired.merge_edits(renames.clone());
        }
        if self.updates {
            desired.update();
        }
    }

    /// The names that the project has in branches that were merged.
    fn former_names(&self, current: &Project) -> Result<BTreeSet<Names>> {
        match self.former {
            Some(others) => Ok(others.clone()),
            None => record::former_names(self.view, current),
        }
    }

    fn recreates(&self) -> bool {
        self.missing != Missing::None
    }

    fn new_project(&self) -> Result<Tree> {
        let rendered = template::render(self.next)?;
        let mut after = self.desired(self.sources, rendered, &mut Tree::default())?;
        after.extend(record::of(self.next, &after, &BTreeSet::new())?);
        Ok(after)
    }

    /// The record of the files as last generated.
    fn recorded(&self, last: &Last, before: &Tree) -> Result<Tree> {
        let more = before
            .files()
            .filter(|file| last.tree.get(file.path()).is_none());
        record::current(self.view, last.tree.files().chain(more))
    }

    /// Adds the recorded text of user's files that were not in the last tree: after a merge, branches with two layouts
    /// of a project have one record.
    fn give_bases(&self, last: &Last, before: &mut Tree, after: &Tree) -> Result<()> {
        let record = Record::read(self.view)?;
        let missing = self.next.missing_sources(self.view);
        let is_recorded = |path: &str| record.as_ref().is_some_and(|record| record.has(path));
        let is_deleted =
            |path: &str| self.missing == Missing::Needed && is_recorded(path) && !missing.has(path);
        let is_new = |file: &&File| {
            let path = file.path();
            let is_known = self.view.is_file(path) || is_deleted(path);
            file.ownership() == Ownership::Seeded && is_known && last.tree.get(path).is_none()
        };
        for file in after.files().filter(is_new) {
            if let Some(text) = record::given(self.view, file.path())? {
                before.replace(File::new(file.path(), Ownership::Seeded, text));
            }
        }
        Ok(())
    }

    fn desired(&self, sources: &View, rendered: Tree, before: &mut Tree) -> Result<Tree> {
        desired(sources, self.next, rendered, before, self.output)
    }

    /// The files that the user has from rop: the base of the comparison.
    fn given(
        &self,
        last: &Last,
        current: &Project,
        gone: &BTreeSet<String>,
        (listed, renames): (&Tree, &Renames),
    ) -> Result<Tree> {
        let mut given = Tree::default();
        let missing = self.next.missing_sources(self.view);
        // PROJECT may be all that there is.
        let exists = self.view.is_file("Cargo.toml");
        let is_deleted = |path: &str, ownership| {
            self.missing == Missing::Needed
                && [Ownership::Seeded, Ownership::Shared].contains(&ownership)
                && last
                    .record
                    .as_ref()
                    .map_or(exists, |record| record.has(path))
                && !missing.has(path)
        };
        // The rest is made of it.
        given.insert(File::shared(FILE_NAME, current.to_text()?));
        for file in last.tree.files().filter(|file| file.path() != FILE_NAME) {
            let (path, ownership) = (file.path(), file.ownership());
            let is_gone = gone.contains(path);
            let is_users = ownership != Ownership::Owned || manifest::is_crd(path);
            let is_there = || self.view.is_file(path);
            let is_known = is_there() || is_deleted(path, ownership);
            if self.recreates() && !((is_gone || is_users) && is_known) {
                continue;
            }
            let was_given = if is_gone && ownership == Ownership::Seeded {
                // Templates do not know what was made of the user's own sources.
                record::given(self.view, path)?
            } else {
                None
            };
            let lost = if self.recreates() && ownership == Ownership::Shared {
                self.view.read(path)?
            } else {
                None
            };
            let is_deleted = |file: &File| {
                !self.view.is_file(file.path()) && is_deleted(file.path(), file.ownership())
            };
            let with_lost =
                lost.and_then(|on_disk| without_lost(file, &on_disk, listed, renames, is_deleted));
            given.insert(match was_given {
                Some(text) => File::new(path, ownership, text),
                None => with_lost.unwrap_or_else(|| file.clone()),
            });
        }
        Ok(given)
    }

    /// The sources of webhooks that move with the layout.
    fn moving_webhooks(&self, laid_out: &Project) -> Vec<String> {
        if laid_out.multigroup == self.next.multigroup {
            return Vec::new();
        }
        let kinds = laid_out.webhook_kinds().into_iter();
        let sources = |kind: Admission<'_>| kind.sorts().map(|sort| kind.source(sort)).collect();
        kinds.flat_map::<Vec<_>, _>(sources).collect()
    }

    /// What moves because `multigroup` of PROJECT changes where controllers are.
    fn layout(&self, laid_out: &Project) -> Result<Layout> {
        if laid_out.multigroup == self.next.multigroup {
            return Ok(Layout::default());
        }
        Ok(Layout {
            pairs: template::pairs(&as_built(self.view, laid_out)?, self.next)?,
            folders: renamed::folders(laid_out, self.next),
        })
    }

    /// Records in `desired` which of its files move. Files that the user added next to them move too. Returns the paths that move, with those in `known`.
    fn move_files(
        &self,
        layout: &Layout,
        renames: &Renames,
        (before, desired): (&Tree, &mut Tree),
        mut known: BTreeSet<String>,
    ) -> Result<BTreeSet<String>> {
        let view = self.view;
        for (from, to) in &layout.pairs {
            known.insert(from.path().to_owned());
            if from.path() != to.path() && view.is_file(from.path()) && !view.is_file(to.path()) {
                let given = before.get(from.path()).unwrap_or(from);
                desired.moves(to.path(), given.clone());
            }
        }
        for [folder, to] in &layout.folders {
            for from in view.files_in(folder)? {
                let to = format!("{to}{}", &from[folder.len()..]);
                let is_known = from == to || known.contains(&from);
                if is_known || view.is_linked(&from) || view.is_file(&to) {
                    continue;
                }
                // What is no text is not rop's to move.
                let Ok(Some(text)) = view.read(&from) else {
                    desired.note(format!(
                        "`{from}` is not UTF-8 text: move it to `{to}` yourself"
                    ));
                    continue;
                };
                let text = LineEnds::read(&text);
                let renamed = renames.apply(&to, &text);
                known.insert(from.clone());
                desired.moves(&to, File::new(from, Ownership::Seeded, text));
                // What is generated of a CRD is the user's too.
                desired.replace(File::new(to, Ownership::Seeded, renamed));
            }
        }
        Ok(known)
    }
}

/// Whether the template of a kind changes.
fn has_another_template(last: &Project, next: &Project) -> bool {
    let all = || next.own_versions();
    let is_other = |old: Versioned<'_>| {
        all().any(|new| new.is(old) && new.version.template != old.version.template)
    };
    last.own_versions().any(is_other)
}

/// Adds files in which names change, if nothing else changes in them.
fn add_renamed(renamed: BTreeMap<String, [String; 2]>, before: &mut Tree, after: &mut Tree) {
    for (path, texts) in renamed {
        if !is_in_any([before, after], &path) {
            let [was, is] = texts.map(|text| File::new(&*path, Ownership::Seeded, text));
            before.insert(was);
            after.insert(is);
        }
    }
}

/// Whether one of two trees has a file at a path.
fn is_in_any(trees: [&Tree; 2], path: &str) -> bool {
    trees.iter().any(|tree| tree.get(path).is_some())
}
