//! The files of a kind with several versions: a further one starts as a copy of what is there.

use std::collections::BTreeMap;

use crate::disk::View;
use crate::error::Result;
use crate::manifest;
use crate::plan::{File, Ownership, Tree};
use crate::project::{Conversion, OwnKind, Project, Resource};
use crate::template;

/// Fills in what templates cannot know: the types, the tests and the sample of a version that is new are those of the
/// newest one, its conversions are those of the types as they are, and the CRD has all versions.
pub(super) fn follow(view: &View, project: &Project, wanted: &mut Tree) -> Result<()> {
    for kind in project.own_kinds() {
        for version in kind.versions() {
            if let Some(source) = source(view, &kind, version) {
                copy(view, project, source, version, wanted)?;
            }
        }
        for conversion in kind.conversions() {
            convert(view, project, conversion, wanted)?;
        }
        if let Some(crd) = manifest::with_versions(view, &kind, wanted)? {
            wanted.replace(crd);
        }
    }
    Ok(())
}

/// The version that a new one is a copy of: the newest that is there, of the same template.
fn source<'a>(view: &View, kind: &OwnKind<'a>, new: &Resource) -> Option<&'a Resource> {
    let is_there = |one: &Resource| view.is_file(&one.types_file());
    let others = kind.versions().filter(|one| {
        one.api.is_some() && one.template == new.template && !one.is(new) && is_there(one)
    });
    let newest = others.max_by_key(|one| &one.version);
    newest.filter(|_| new.api.is_some() && !is_there(new))
}

fn copy(
    view: &View,
    project: &Project,
    source: &Resource,
    new: &Resource,
    wanted: &mut Tree,
) -> Result<()> {
    let words = words(project, source).into_iter().zip(words(project, new));
    let words: Vec<_> = words.collect();
    for path in [Resource::types_file, Resource::api_test, Resource::sample] {
        let to = path(new);
        if wanted.get(&to).is_none() || view.is_file(&to) {
            continue;
        }
        if let Some(mut text) = view.read(&path(source))? {
            for (old, new) in &words {
                text = with_word(&text, old, new);
            }
            wanted.replace(File::new(to, Ownership::Seeded, text));
        }
    }
    Ok(())
}

/// What names a version in its types, its tests and its sample, and nothing else: Kubernetes has a `v1` too.
fn words(project: &Project, resource: &Resource) -> [String; 6] {
    let Resource {
        group,
        version,
        domain,
        kind,
        ..
    } = resource;
    let module = format!("{}::{version}", group.module());
    let api_crate = project.project_name.api_crate();
    [
        format!("version = \"{version}\""),
        format!("crate::{module}"),
        format!("{api_crate}::{module}"),
        format!("{group}_{version}_{}.yaml", kind.lower()),
        format!("{group}.{domain}/{version}"),
        format!("name: {}", project.sample_name(resource)),
    ]
}

fn convert(
    view: &View,
    project: &Project,
    conversion: Conversion<'_>,
    wanted: &mut Tree,
) -> Result<()> {
    if view.is_file(&conversion.source()) {
        return Ok(());
    }
    let mut types = BTreeMap::new();
    for resource in conversion.versions() {
        let path = resource.types_file();
        let there = view.read(&path)?;
        let text = there.or_else(|| wanted.get(&path).map(|file| file.text().to_owned()));
        types.extend(text.map(|text| (path, text)));
    }
    let made = template::convert(project, conversion, |path| {
        types.get(path).map(String::as_str)
    })?;
    if let Some(file) = made {
        wanted.replace(file);
    }
    Ok(())
}

/// A text with words in place of others, wherever those stand by themselves.
fn with_word(text: &str, old: &str, new: &str) -> String {
    let is_in_word = |c: char| c.is_ascii_alphanumeric();
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(old) {
        let (before, found) = rest.split_at(start);
        let after = &found[old.len()..];
        let is_word = !before.ends_with(is_in_word) && !after.starts_with(is_in_word);
        replaced.push_str(before);
        replaced.push_str(if is_word { new } else { old });
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::with_word;

    #[test]
    fn only_whole_words_are_replaced() {
        let text = "app/v1: app/v1alpha1 xapp/v1 app/v1";
        let expected = "app/v2: app/v1alpha1 xapp/v1 app/v2";
        assert_eq!(with_word(text, "app/v1", "app/v2"), expected);
    }
}
