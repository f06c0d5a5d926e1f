//! The project as last generated, recorded in the folder `.rop`.
//!
//! A command compares the desired files with the last ones, so it knows what was removed from PROJECT and what the user
//! edited since. The folder belongs in version control. It holds:
//!
//! - `record`: PROJECT as last applied, and the generated files, a line each. Git merges the lines of two branches as
//!   a union, so no line depends on another.
//! - `base`: each file that the user may edit, as rop wrote it, with its checksum and a mark before each line.

mod lines;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::plan::{File, LineEnds, Ownership, Tree, digest};
use crate::project::{self, FILE_NAME, Project, release};

pub use names::Names;

/// The folder of the record.
pub(crate) const FOLDER: &str = ".rop";

/// The file with the record.
pub(crate) const LINES: &str = ".rop/record";

/// How git treats the folder.
const ATTRIBUTES: &str = ".rop/.gitattributes";

/// What rop notes of the files of one machine is not committed.
const IGNORE: &str = ".rop/.gitignore";

const IGNORE_TEXT: &str = "\
/seen
";

/// Lines of two branches are all true, and nobody reviews what rop notes for itself.
const ATTRIBUTES_TEXT: &str = "\
* linguist-generated merge=union
";

/// A file that the user may edit, as rop last wrote it.
pub(crate) struct Base {
    pub(crate) text: String,
    /// Whether it was made of the user's own sources, and not of templates alone.
    pub(crate) is_from_sources: bool,
}

/// The project as last generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// PROJECT as last applied.
    pub(crate) project: Project,
    /// The generated files, by path.
    files: BTreeMap<String, Ownership>,
    /// The sums of the templates that made them: several if branches of two builds were merged.
    templates: BTreeSet<String>,
}

impl Record {
    /// Reads the record, if it exists and is valid: a bad merge may have broken it.
    ///
    /// # Errors
    /// The file cannot be read, or a newer release wrote it.
    pub(crate) fn read(view: &View) -> Result<Option<Self>> {
        let way_out = format!("remove `{FOLDER}`: the next command recreates it");
        let text = view.read_own(LINES).map_err(|error| error.hint(way_out))?;
        let record = text.map_or(Ok(None), |text| lines::read(&text));
        record.map_err(|error| error.context(format!("failed to read `{LINES}`")))
    }

    /// Fails if it is that of another project, such as one that was copied. A merge brings other names too, but none of
    /// two branches has both names of its own.
    ///
    /// # Errors
    /// Neither the name nor the domain is that of `project`.
    pub(crate) fn check(&self, project: &Project) -> Result<()> {
        let (recorded, current) = (Names::of(&self.project), Names::of(project));
        if recorded.is_like(&current) {
            return Ok(());
        }
        Err(Error::new(
            Code::ForeignProject,
            format!("`{LINES}` belongs to another project, `{recorded}`: this is `{current}`"),
        )
        .hint(format!(
            "remove `{FOLDER}`: the next command recreates it. To rename a project, use `rop edit`"
        )))
    }

    /// Fails if other templates than those of this build made the project: a change would mix the files of both.
    ///
    /// # Errors
    /// An older release, or another build of this one, made it.
    pub(crate) fn check_release(&self) -> Result<()> {
        check_release(&self.project, self.has_other_templates())
    }

    /// Whether another build than this one made the project, or a part of it.
    pub(crate) fn has_other_templates(&self) -> bool {
        self.templates.len() != 1 || !self.templates.contains(project::templates())
    }

    /// The generated files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, Ownership)> {
        self.files
            .iter()
            .map(|(path, ownership)| (&**path, *ownership))
    }

    /// Whether a file was generated.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn of<'a>(project: &Project, generated: impl Iterator<Item = &'a File>) -> Self {
        let files = generated.filter(|file| is_recorded(file));
        Self {
            project: project.clone(),
            files: files
                .map(|file| (file.path().to_owned(), file.ownership()))
                .collect(),
            templates: BTreeSet::from([project::templates().to_owned()]),
        }
    }
}

/// The record of a project with these generated files. Some of its files may still have `former` names.
///
/// # Errors
/// PROJECT cannot be written as text.
pub(crate) fn of(project: &Project, generated: &Tree, former: &BTreeSet<Names>) -> Result<Tree> {
    let lines = lines::text(&Record::of(project, generated.files()), former)?;
    let is_from_sources = |path: &str| generated.is_from_sources(path);
    Ok(files(lines, generated.files(), is_from_sources))
}

/// Fails if an older release made the project, or another build of this one.
///
/// # Errors
/// One did.
pub(crate) fn check_release(project: &Project, has_other_templates: bool) -> Result<()> {
    let (made, this) = (&project.cli_version, release());
    let message = if *made < this {
        format!("rop {made} generated the project, but this is rop {this}")
    } else if has_other_templates {
        format!("another build of rop {this}, with other templates, generated the project")
    } else {
        return Ok(());
    };
    Err(Error::new(Code::OlderProject, message).hint("run `rop update` first, then this command"))
}

/// What a project is called in files of another branch that was merged. That PROJECT was edited is no merge.
///
/// # Errors
/// The record cannot be read.
pub(crate) fn former_names(view: &View, project: &Project) -> Result<BTreeSet<Names>> {
    let text = view.read_own(LINES)?.unwrap_or_default();
    let mut names = lines::names(&text);
    Ok(if names.remove(&Names::of(project)) {
        names
    } else {
        BTreeSet::new()
    })
}

/// The current record, if these files were generated last.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn current<'a>(view: &View, generated: impl Iterator<Item = &'a File>) -> Result<Tree> {
    let lines = view.read_own(LINES)?;
    Ok(files(lines.unwrap_or_default(), generated, |_| false))
}

/// The record before and after more files are generated. Empty if nothing is recorded.
///
/// # Errors
/// A file cannot be read, or another release made the project.
pub(crate) fn extended(view: &View, more: &Tree) -> Result<(Tree, Tree)> {
    let Some(mut record) = Record::read(view)? else {
        return Ok(Default::default());
    };
    record.check_release()?;
    let before = current(view, std::iter::empty())?;
    let more_of_it = Record::of(&record.project, more.files());
    record.files.extend(more_of_it.files);
    let former = former_names(view, &record.project)?;
    let lines = lines::text(&record, &former)?;
    Ok((before, files(lines, more.files(), |_| false)))
}

fn files<'a>(
    lines: String,
    generated: impl Iterator<Item = &'a File>,
    is_from_sources: impl Fn(&str) -> bool,
) -> Tree {
    let recorded = |path: String, text: String| File::new(path, Ownership::Recorded, text);
    let mut record = Tree::default();
    record.insert(recorded(LINES.to_owned(), lines));
    record.insert(recorded(ATTRIBUTES.to_owned(), ATTRIBUTES_TEXT.to_owned()));
    record.insert(recorded(IGNORE.to_owned(), IGNORE_TEXT.to_owned()));
    generated
        .filter_map(|file| base_of(file, is_from_sources(file.path())))
        .for_each(|base| record.insert(base));
    record
}

/// The bases of the files that the user may edit.
pub(crate) fn bases(files: &Tree) -> Tree {
    let mut bases = Tree::default();
    files
        .files()
        .filter_map(|file| base_of(file, false))
        .for_each(|base| bases.insert(base));
    bases
}

/// The base of a file, if the user may edit it.
fn base_of(file: &File, is_from_sources: bool) -> Option<File> {
    let quote = || {
        File::new(
            base_path(file.path()),
            Ownership::Recorded,
            quoted(file.text(), is_from_sources),
        )
    };
    has_base(file).then(quote)
}

/// The files in a folder that have a base.
///
/// # Errors
/// The memory cannot be read.
pub(crate) fn given_in(view: &View, folder: &str) -> Result<BTreeSet<String>> {
    let bases = view.files_in(&base_path(folder))?;
    let start = base_path("").len();
    Ok(bases
        .iter()
        .filter_map(|path| path.get(start..))
        .map(str::to_owned)
        .collect())
}

/// The text of a file as rop last wrote it, before user edits.
///
/// # Errors
/// It cannot be read.
pub(crate) fn given(view: &View, path: &str) -> Result<Option<String>> {
    Ok(base(view, path)?.map(|base| base.text))
}

/// A file as rop last wrote it, before user edits.
///
/// # Errors
/// It cannot be read.
pub(crate) fn base(view: &View, path: &str) -> Result<Option<Base>> {
    let base = base_path(path);
    // Behind a link there may be what a user wrote.
    let text = if view.is_file(&base) && !view.is_linked(&base) {
        let way_out = format!("restore `{base}` from version control");
        view.read(&base).map_err(|error| error.hint(way_out))?
    } else {
        None
    };
    Ok(text.and_then(|text| unquoted(&LineEnds::read(&text))))
}

/// Fails if the base of a file is behind a link: what is there may be what a user wrote.
///
/// # Errors
/// It is.
pub(crate) fn check_base(view: &View, path: &str) -> Result<()> {
    let base = base_path(path);
    if !view.is_linked(&base) {
        return Ok(());
    }
    let message = format!("`{base}` is behind a link, so it is not what rop wrote");
    Err(Error::new(Code::OutsideProject, message)
        .hint("replace the link with a copy of its target"))
}

/// Whether rop generated a file of a tree that includes the record, and not only the user wrote it.
pub(crate) fn is_generated(tree: &Tree, path: &str) -> bool {
    let is_given = |file: &File| !has_base(file) || tree.get(&base_path(path)).is_some();
    tree.get(path).is_some_and(is_given)
}

/// Stands before each line of a base. Git takes a file that was moved for the copy of it that is most alike, and would
/// merge another branch's edits into a base that is just that.
const QUOTE: char = '|';

/// Stands behind the sum of a text that was made of the user's own sources.
const FROM_SOURCES: &str = " from sources";

/// A base: the sum of a text, and the text with a mark before each line.
fn quoted(text: &str, is_from_sources: bool) -> String {
    let mut base = digest(text);
    if is_from_sources {
        base.push_str(FROM_SOURCES);
    }
    base.push('\n');
    for line in text.split_inclusive('\n') {
        base.push(QUOTE);
        base.push_str(line);
    }
    base
}

/// What a base says. None if it is not what rop wrote: a merge, or a change of all files, may have been there.
fn unquoted(base: &str) -> Option<Base> {
    let (head, lines) = base.split_once('\n')?;
    let of_sources = head.strip_suffix(FROM_SOURCES);
    let sum = of_sources.unwrap_or(head);
    let lines: Option<String> = lines
        .split_inclusive('\n')
        .map(|line| line.strip_prefix(QUOTE))
        .collect();
    let text = lines.filter(|text| digest(text) == sum)?;
    Some(Base {
        text,
        is_from_sources: of_sources.is_some(),
    })
}

fn base_path(path: &str) -> String {
    format!("{FOLDER}/base/{path}")
}

/// PROJECT is recorded by what it says, and a vendored folder knows its files.
fn is_recorded(file: &File) -> bool {
    file.path() != FILE_NAME
        && match file.ownership() {
            Ownership::Owned | Ownership::Seeded | Ownership::Shared => true,
            Ownership::Vendored | Ownership::Recorded => false,
        }
}

/// Files that rop owns need no base: they can be generated again.
fn has_base(file: &File) -> bool {
    is_recorded(file) && file.ownership() != Ownership::Owned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::ProjectKind;

    fn project() -> Project {
        let mut project = Project::new(
            "app-operator".parse().expect("a name"),
            "example.com".parse().expect("a domain"),
        );
        project.namespaced = true;
        for kind in ["App", "Backup"] {
            let new = ProjectKind::own(
                project.domain.clone(),
                "app".parse().expect("a group"),
                "v1".parse().expect("a version"),
                kind.parse().expect("a kind"),
            );
            project.add(new).expect("a kind");
        }
        project
    }

    fn record() -> Record {
        let mut generated = Tree::default();
        generated.insert(File::owned("config/a.yaml", "a: b\n".to_owned()));
        generated.insert(File::shared("Cargo.toml", "[package]\n".to_owned()));
        generated.insert(File::shared(FILE_NAME, "a: b\n".to_owned()));
        Record::of(&project(), generated.files())
    }

    #[test]
    fn a_record_reads_what_it_wrote() {
        let text = lines::text(&record(), &BTreeSet::new()).expect("text");
        assert_eq!(lines::read(&text).ok(), Some(Some(record())), "{text}");
    }

    /// As git does it: common lines once, then those of one branch, then those of the other.
    #[test]
    fn two_branches_make_one_record() {
        let text = lines::text(&record(), &BTreeSet::new()).expect("text");
        let (mut left, mut right) = (project(), project());
        left.kinds.remove(1);
        right.kinds.remove(0);
        let [left, right] = [left, right].map(|project| {
            let record = Record {
                project,
                ..record()
            };
            lines::text(&record, &BTreeSet::new()).expect("text")
        });
        let mut union = String::new();
        for line in left.lines().chain(right.lines()) {
            if line.starts_with("resource") || !union.contains(line) {
                union = union + line + "\n";
            }
        }
        let [merged, whole] = [union, text].map(|text| lines::read(&text).ok());
        assert_eq!(merged, whole);
    }

    #[test]
    fn a_base_reads_what_it_wrote() {
        for text in ["", "\n", "a", "a\n", "|a\n\n  b\n", "a\r\nb"] {
            for is_from_sources in [false, true] {
                let base = quoted(text, is_from_sources);
                let read = unquoted(&base).expect("a base");
                assert_eq!(
                    (&*read.text, read.is_from_sources),
                    (text, is_from_sources),
                    "{base}"
                );
                assert!(unquoted(&format!("{base}|more\n")).is_none());
                assert!(unquoted(&format!("{base}more")).is_none());
            }
        }
        assert!(unquoted("a\n").is_none());
    }

    /// One branch was updated, and the other one was not.
    #[test]
    fn branches_of_two_releases_make_the_older_record() {
        let newer = lines::text(&record(), &BTreeSet::new()).expect("text");
        let release = |release: &str| format!("\"cliVersion\":\"{release}\"");
        let older = newer.replace(
            &release(&crate::project::release().to_string()),
            &release("0.0.1"),
        );
        assert_ne!(newer, older);
        for [first, second] in [[&newer, &older], [&older, &newer]] {
            let read = lines::read(&format!("{first}{second}")).ok();
            assert_eq!(read, lines::read(&older).ok());
        }
    }

    #[test]
    fn what_is_no_record_is_none() {
        let text = lines::text(&record(), &BTreeSet::new()).expect("text");
        let doubled = text.replace("project {", "project {\"namespaced\":false}\nproject {");
        for broken in ["", "<<<<<<< ours\n", "owned a\n", "project 1\n", &doubled] {
            assert_eq!(lines::read(broken).ok(), Some(None), "{broken}");
        }
        let outside = format!(
            "{text}owned ../a\nseeded /etc/passwd\nowned .git/config\nowned config//a.yaml\n\
            owned config/a.yaml/\nseeded .rop/base/a\n"
        );
        assert_eq!(lines::read(&outside).ok(), Some(Some(record())));
    }
}
