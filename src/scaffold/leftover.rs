//! Files that still have a name which changed: what is no code and no manifest may mean something else by it.

use std::collections::{BTreeSet, HashMap};

use walkdir::{DirEntry, WalkDir};

use crate::disk::View;
use crate::plan::{File, Plan, Tree};
use crate::project::Project;
use crate::project::name::crate_name;
use crate::record;

/// What is built, and what comes from elsewhere.
const SKIPPED: [&str; 4] = ["Cargo.lock", "node_modules", "runtime", "target"];

/// The one folder with a dot that is a user's.
const GITHUB: &str = ".github";

/// A file that is longer is no text that somebody wrote.
const LONGEST: u64 = 1 << 20;

/// The files that have an old name once `plan` is carried out, in lines that rop did not write.
pub(crate) fn leftovers(
    view: &View,
    plan: &Plan,
    after: &Tree,
    [old, new]: [&Project; 2],
) -> Vec<String> {
    let words = words(old, new);
    if words.is_empty() {
        return Vec::new();
    }
    let planned: HashMap<_, _> = plan
        .changes
        .iter()
        .map(|change| (&*change.path, change))
        .collect();
    let paths: BTreeSet<_> = texts(view)
        .chain(planned.keys().map(|path| (*path).to_owned()))
        .collect();
    let has_name = |path: &String| {
        let text = match planned.get(&**path) {
            Some(change) => change.after.clone(),
            None => view.read(path).ok().flatten(),
        };
        let generated = after
            .get(path)
            .filter(|_| record::is_generated(after, path))
            .map_or("", File::text);
        let generated: BTreeSet<_> = generated.lines().collect();
        let text = text.unwrap_or_default();
        let mut lines = text.lines().filter(|line| !generated.contains(line));
        lines.any(|line| {
            words
                .iter()
                .any(|[old, new]| names(&line.replace(new, ""), old))
        })
    };
    paths
        .into_iter()
        .filter(|path| !path.starts_with('.') || path.starts_with(GITHUB))
        .filter(has_name)
        .collect()
}

/// The paths of the user's files that are not too long to be a text.
pub(super) fn texts(view: &View) -> impl Iterator<Item = String> {
    measured_texts(view).map(|(path, _)| path)
}

/// As [`texts`], with their lengths.
pub(super) fn measured_texts(view: &View) -> impl Iterator<Item = (String, u64)> {
    entries(view)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            let length = entry.metadata().ok()?.len();
            Some((path(view, &entry)?, length)).filter(|_| length <= LONGEST)
        })
}

/// The links that lead out of the project, if a name changes: what is behind them keeps its names.
pub(crate) fn links_out(view: &View, [old, new]: [&Project; 2]) -> Vec<String> {
    if words(old, new).is_empty() {
        return Vec::new();
    }
    let leads_out = |entry: &DirEntry| {
        let target = entry.path().canonicalize();
        entry.path_is_symlink() && target.is_ok_and(|target| !target.starts_with(view.root()))
    };
    let links = entries(view).filter(leads_out);
    links.filter_map(|link| path(view, &link)).collect()
}

/// The files and folders of a user's. No link is followed.
fn entries(view: &View) -> impl Iterator<Item = DirEntry> {
    let walk = WalkDir::new(view.root()).sort_by_file_name().into_iter();
    let entries = walk.filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry));
    entries.filter_map(Result::ok)
}

fn path(view: &View, entry: &DirEntry) -> Option<String> {
    let path = entry.path().strip_prefix(view.root()).ok()?;
    Some(path.to_str()?.to_owned())
}

/// What changes: each name, and the one in its place.
fn words(old: &Project, new: &Project) -> BTreeSet<[String; 2]> {
    let [name, new_name] = [old, new].map(|project| project.project_name.to_string());
    let crates = [&name, &new_name].map(|name| crate_name(name));
    let domains = [old, new].map(|project| project.domain.to_string());
    let words = [[name, new_name], crates, domains];
    words.into_iter().filter(|[old, new]| old != new).collect()
}

fn is_skipped(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    SKIPPED.contains(&&*name) || name.starts_with('.') && name != GITHUB
}

/// Whether a line has a name, also as the first part of a longer one, such as that of an object.
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        !before.ends_with(is_part) && !after.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_begin_a_longer_one() {
        for line in [
            "op",
            "name: op-controller-manager",
            "use op_api::a;",
            "foo.op",
            "op/x",
        ] {
            assert!(names(line, "op"), "{line}");
        }
        for line in ["", "opa", "my-op", "my_op", "stop"] {
            assert!(!names(line, "op"), "{line}");
        }
    }
}
