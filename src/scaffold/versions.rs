//! The files of a kind with several versions: a further one starts as a copy of what is there.

use std::collections::{BTreeMap, BTreeSet};

use crate::conversion::{self, Crate, Move};
use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::manifest;
use crate::plan::{
    File, LineEnds, Ownership, Tree, is_edited, is_rust, with_words, without_header,
};
use crate::project::{Conversion, Project, ProjectKind, Versioned};
use crate::record;
use crate::template;

/// How many lines of a conversion a note names.
const LINES: usize = 10;

/// Fills in what templates cannot know: the types, the tests and the sample of a version that is new are those of the
/// newest one, its conversions are those of the types as they are, and the CRD has all versions.
///
/// A CRD that has to follow is taken out of `before`: it is compared with the one that is there, which templates do not
/// know.
pub(super) fn update(
    view: &View,
    project: &Project,
    before: &mut Tree,
    desired: &mut Tree,
) -> Result<()> {
    for version in project.own_versions() {
        if is_folder(view, version) {
            let file = version.types_file();
            desired.retain(|other| other.path() != file);
        }
    }
    for kind in project.own_kinds() {
        for version in kind.versions() {
            if let Some(source) = source(view, kind, version) {
                copy(view, project, source, version, desired)?;
            }
        }
        for conversion in kind.conversions() {
            convert(view, project, conversion, desired)?;
        }
        if let Some(crd) = of_own_types(view, &kind.crd(), before, desired)? {
            before.retain(|file| file.path() != crd.path());
            desired.replace(crd);
        }
        if let Some(crd) = manifest::with_versions(view, kind, desired)? {
            before.retain(|file| file.path() != crd.path());
            desired.replace(crd);
        }
    }
    Ok(())
}

/// The CRD on disk, where templates make another one than they did: what follows from types that their user edited does
/// not follow from templates.
fn of_own_types(view: &View, path: &str, before: &Tree, desired: &Tree) -> Result<Option<File>> {
    let (Some(given), Some(generated)) = (before.get(path), desired.get(path)) else {
        return Ok(None);
    };
    if given == generated {
        return Ok(None);
    }
    let on_disk = view.read(path)?.map(|text| LineEnds::read(&text));
    let body = on_disk.as_deref().map(without_header);
    let is_of_types = |body: &&str| *body != given.body() && on_disk.as_deref() != Some(*body);
    Ok(body
        .filter(is_of_types)
        .map(|body| File::owned(path, body.to_owned())))
}

/// Whether the types of a version are a folder.
fn is_folder(view: &View, version: Versioned<'_>) -> bool {
    view.is_file(&version.types_in_folder()) && !view.is_file(&version.types_file())
}

/// The version that a new one is a copy of: the newest that is there, of the same template.
fn source<'a>(view: &View, kind: &'a ProjectKind, new: Versioned<'_>) -> Option<Versioned<'a>> {
    let is_there = |version: Versioned<'_>| {
        view.is_file(&version.types_file()) || view.is_file(&version.types_in_folder())
    };
    let others = kind.versions().filter(|version| {
        let is_alike = version.version.api && version.version.template == new.version.template;
        is_alike && !version.is(new) && is_there(*version)
    });
    let newest = others.max_by_key(|version| &version.version.name);
    newest.filter(|_| new.version.api && !is_there(new))
}

fn copy(
    view: &View,
    project: &Project,
    source: Versioned<'_>,
    new: Versioned<'_>,
    desired: &mut Tree,
) -> Result<()> {
    let mut copies = Vec::new();
    let words: Vec<_> = words(source).into_iter().zip(words(new)).collect();
    {
        let read = |path: &str| text(view, desired, path);
        let (group, module) = (source.kind.group.module(), source.kind.name.module());
        let (from, to) = (source.version.name.as_str(), new.version.name.as_str());
        let expected = [vec![from], vec![to], vec![from, &module], vec![to, &module]];
        let expected = expected.iter().map(|path| {
            let path = std::iter::once(&*group).chain(path.iter().copied());
            path.map(str::to_owned).collect()
        });
        let krate = Crate::new(&read, expected.chain([vec![group.clone()]]).collect());
        let name = project.project_name.api_crate();
        let moved = Move {
            krate: &krate,
            name: &name,
            group: &group,
            module: &module,
            from,
            to,
        };
        let path = [&group, from, &module].map(str::to_owned);
        let modules = conversion::files(&krate, &path)?;
        let modules: BTreeMap<_, _> = modules.into_iter().collect();
        let [folder, new_folder] = [from, to].map(|version| format!("api/src/{group}/{version}/"));
        let mut files: BTreeSet<_> = modules.keys().cloned().collect();
        files.extend(view.files_in(&source.types())?);
        files.retain(|file| file.starts_with(&folder));
        let copied = files.into_iter().map(|file| {
            let copy = format!("{new_folder}{}", &file[folder.len()..]);
            (file, copy)
        });
        let tests =
            [Versioned::api_test, Versioned::sample].map(|path| (path(&source), path(&new)));
        let mut edited = Vec::new();
        for (from, to) in tests {
            // What nobody edited is made for the new version as it was for this one.
            let is_made = desired.get(&to).is_some() && !view.is_file(&to);
            let on_disk = view.read(&from)?.map(|text| LineEnds::read(&text));
            if is_made && record::given(view, &from)? != on_disk {
                edited.push((from, to));
            }
        }
        for (from, to) in copied.chain(edited) {
            let unreadable = || format!("failed to copy `{from}` to `{to}`");
            let Some(mut text) = view
                .read_own(&from)
                .map_err(|error| error.context(unreadable()))?
            else {
                continue;
            };
            text = with_words(&text, &words);
            if is_rust(&from) {
                text = moved.text(&from, &text, modules.get(&from).map(Vec::as_slice))?;
            }
            copies.push(File::new(to, Ownership::Seeded, text));
        }
    }
    if is_folder(view, source) {
        let file = new.types_file();
        desired.retain(|other| other.path() != file);
    }
    for file in copies {
        desired.replace_from_sources(file);
    }
    Ok(())
}

/// What names a version in its types, its tests and its sample, besides paths: Kubernetes has a `v1` too.
fn words(versioned: Versioned<'_>) -> [String; 3] {
    let (group, version) = (&versioned.kind.group, &versioned.version.name);
    [
        format!("{group}_{version}_{}.yaml", versioned.kind.name.lower()),
        versioned.api_version(),
        format!("name: {}", versioned.sample_name()),
    ]
}

fn convert(
    view: &View,
    project: &Project,
    conversion: Conversion<'_>,
    desired: &mut Tree,
) -> Result<()> {
    if view.is_file(&conversion.source()) {
        return Ok(());
    }
    let generated = template::convert(project, conversion, &|path| text(view, desired, path))?;
    if let Some(file) = generated {
        let lines = conversion::missing(file.text());
        if !lines.is_empty() {
            desired.note(note(file.path(), &lines));
        }
        desired.replace_from_sources(file);
    }
    Ok(())
}

/// What is left to write of a conversion.
fn note(path: &str, lines: &[usize]) -> String {
    let plural = if lines.len() == 1 { "" } else { "s" };
    format!(
        "`{path}` does not compile yet: rop cannot convert all of these types; complete \
        line{plural} {}",
        listed(lines, LINES)
    )
}

/// A file as it will be: one of rop's as the templates make it, unless somebody edited it.
fn text(view: &View, desired: &Tree, path: &str) -> Result<Option<String>> {
    let on_disk = if view.is_file(path) {
        view.read(path)?
    } else {
        None
    };
    let generated = desired
        .get(path)
        .map(|file| (file.ownership(), file.text()));
    Ok(match (on_disk, generated) {
        (Some(on_disk), Some((Ownership::Owned, _))) if is_edited(path, &on_disk) => Some(on_disk),
        (_, Some((Ownership::Owned, generated))) => Some(generated.to_owned()),
        (Some(on_disk), _) => Some(on_disk),
        (None, generated) => generated.map(|(_, text)| text.to_owned()),
    })
}
