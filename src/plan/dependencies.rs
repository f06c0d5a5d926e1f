//! Dependencies that a release no longer needs, but the user's code does.

use std::collections::BTreeMap;

use toml_edit::{DocumentMut, Item, TableLike};

use crate::cargo::DEPENDENCIES;
use crate::disk::View;
use crate::error::Result;

use super::{Change, Plan, is_rust};

const MANIFEST: &str = "Cargo.toml";
const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];

/// Keeps the dependencies that a plan removes and that a source uses as the plan leaves it, with a note.
///
/// # Errors
/// A source cannot be read.
pub(super) fn keep_used(view: &View, plan: &mut Plan) -> Result<()> {
    for index in 0..plan.changes.len() {
        let Change {
            path,
            before: Some(before),
            after: Some(after),
            ..
        } = &plan.changes[index]
        else {
            continue;
        };
        let Some(folder) = path.strip_suffix(MANIFEST) else {
            continue;
        };
        let (Ok(before), Ok(mut after)) = (before.parse(), after.parse::<DocumentMut>()) else {
            continue;
        };
        let removed = removed(&before, &after);
        if removed.is_empty() {
            continue;
        }
        let sources = sources(view, plan, folder)?;
        let mut notes = Vec::new();
        for (name, (table, item)) in removed {
            let krate = name.replace('-', "_");
            let users = sources.iter().find(|(_, text)| uses(text, &krate));
            let Some((source, _)) = users else {
                continue;
            };
            let table = after.entry(table).or_insert_with(toml_edit::table);
            if let Some(table) = table.as_table_like_mut() {
                table.insert(&name, item);
                notes.push(format!(
                    "keeping the dependency `{name}` in `{path}`, which this release does not need, but `{source}` does"
                ));
            }
        }
        if !notes.is_empty() {
            plan.changes[index].after = Some(after.to_string());
            plan.notes.append(&mut notes);
        }
    }
    Ok(())
}

/// What `before` depends on and `after` does not, with its table. What the workspace has to say of it may be gone.
fn removed(before: &DocumentMut, after: &DocumentMut) -> BTreeMap<String, (&'static str, Item)> {
    let is_left = |name: &str| tables(after).any(|(_, table)| table.contains_key(name));
    let is_own = |item: &Item| item.get("workspace").is_none() && item.get("path").is_none();
    let entries = tables(before).flat_map(|(table, entries)| {
        let entries = entries.iter();
        entries.map(move |(name, item)| (name, table, item))
    });
    entries
        .filter(|(name, _, item)| is_own(item) && !is_left(name))
        .map(|(name, table, item)| (name.to_owned(), (table, item.clone())))
        .collect()
}

/// The tables of dependencies with their names.
fn tables(document: &DocumentMut) -> impl Iterator<Item = (&'static str, &dyn TableLike)> {
    let table = |name| Some((name, document.get(name)?.as_table_like()?));
    DEPENDENCIES.into_iter().filter_map(table)
}

/// The sources of the package in a folder, as the plan leaves them.
fn sources(view: &View, plan: &Plan, folder: &str) -> Result<Vec<(String, String)>> {
    let mut sources = Vec::new();
    for below in FOLDERS {
        for path in view.own_files_in(&format!("{folder}{below}"))? {
            let is_left = plan.changes.iter().all(|change| change.path != path);
            if is_rust(&path)
                && is_left
                && let Some(text) = view.read_own(&path)?
            {
                sources.push((path, text));
            }
        }
    }
    let is_inside = |path: &str| {
        let mut folders = FOLDERS.iter();
        let rest = path.strip_prefix(folder).unwrap_or_default();
        is_rust(path) && folders.any(|below| rest.starts_with(&format!("{below}/")))
    };
    let changed = plan.changes.iter().filter(|change| is_inside(&change.path));
    let changed = changed.filter_map(|change| Some((change.path.clone(), change.after.clone()?)));
    sources.extend(changed);
    Ok(sources)
}

/// Whether a source has a path into a crate, or imports it.
fn uses(source: &str, krate: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    source.match_indices(krate).any(|(at, _)| {
        let after = &source[at + krate.len()..];
        !source[..at].ends_with(is_name)
            && (after.starts_with("::")
                || source[..at].ends_with("use ") && after.starts_with([';', ' ']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_use_crates_by_paths() {
        for (source, expected) in [
            ("use serde_saphyr::from_str;", true),
            ("    serde_saphyr::from_str(text)", true),
            ("use serde_saphyr;", true),
            ("use serde_saphyr as yaml;", true),
            ("my_serde_saphyr::x()", false),
            ("a::serde_saphyr::x()", false),
            ("let serde_saphyr = 1;", false),
        ] {
            assert_eq!(uses(source, "serde_saphyr"), expected, "{source}");
        }
    }

    #[test]
    fn removed_dependencies_are_in_no_table() {
        let before = "[dependencies]\na = \"1\"\nw.workspace = true\n\n[dev-dependencies]\nb = \"1\"\nc = { version = \"2\" }\n";
        let after = "[dependencies]\na = \"1\"\nb = \"1\"\n\n[dev-dependencies]\n";
        let [before, after] = [before, after].map(|text| text.parse().expect("TOML"));
        let removed = removed(&before, &after);
        let names: Vec<_> = removed
            .iter()
            .map(|(name, (table, _))| (&**name, *table))
            .collect();
        assert_eq!(names, [("c", "dev-dependencies")]);
    }
}
