//! What cargo demands of the directory that a project is made in, if there is a package or a
//! workspace already.

use std::path::Path;

use semver::VersionReq;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::cargo::DEPENDENCIES;
use crate::disk::{View, read_text};
use crate::error::{Code, Context, Error, Result};

use super::Project;

const MANIFEST: &str = "Cargo.toml";
/// What the generated code is written in.
const EDITION: &str = "2024";

impl Project {
    /// Whether cargo will load the project in a directory with the Cargo.toml that `view` has of it.
    /// `expected` renders the Cargo.toml of a new project, which only a directory that has one is compared with.
    ///
    /// # Errors
    /// It would not, and the message says what to change.
    pub(crate) fn check_cargo(
        &self,
        view: &View,
        expected: impl FnOnce() -> Result<String>,
    ) -> Result<()> {
        check_above(view.root())?;
        let Some(text) = view.read(MANIFEST)? else {
            return Ok(());
        };
        let have = parse(MANIFEST, &text)?;
        self.check_package(&have)?;
        check_dependencies(&have, &parse(MANIFEST, &expected()?)?)
    }

    fn check_package(&self, manifest: &DocumentMut) -> Result<()> {
        let inherited = inherited(manifest);
        if let Some(key) = inherited.filter(|_| !manifest.contains_key("workspace")) {
            return Err(Error::new(Code::OtherWorkspace, format!(
                "`{key}` in {MANIFEST} is inherited from another workspace, but a project is its \
                own workspace"
            ))
            .hint("run the command in a directory that is not a member of that workspace"));
        }
        let Some(package) = manifest.get("package").and_then(Item::as_table_like) else {
            return Ok(());
        };
        let text = |key| package.get(key).and_then(Item::as_str);
        let name = text("name").unwrap_or_default();
        if name != self.project_name.as_str() {
            return Err(Error::new(
                Code::PackageNameDiffers,
                format!(
                    "the package in {MANIFEST} is named `{name}`, but the project `{}`",
                    self.project_name
                ),
            )
            .hint(format!("use the package name: `--project-name {name}`")));
        }
        let of_workspace =
            inside(manifest, &["workspace", "package", "edition"]).and_then(Item::as_str);
        let edition = match package.get("edition") {
            Some(item) => item.as_str().or(of_workspace),
            // What cargo takes if none is named.
            None => Some("2015"),
        };
        match edition {
            Some(edition) if edition != EDITION => Err(Error::new(
                Code::UnsuitableCargoToml,
                format!(
                    "the package in {MANIFEST} has edition {edition}, but generated code needs \
                {EDITION}"
                ),
            )
            .hint(format!(
                "set `edition = \"{EDITION}\"` under `[package]`; `cargo fix --edition` \
                migrates your code"
            ))),
            _ => Ok(()),
        }
    }
}

/// What stands behind a path of keys.
fn inside<'a>(manifest: &'a DocumentMut, keys: &[&str]) -> Option<&'a Item> {
    let mut keys = keys.iter();
    let first = manifest.get(keys.next()?)?;
    keys.try_fold(first, |item, key| item.get(key))
}

fn parse(path: &str, text: &str) -> Result<DocumentMut> {
    text.parse()
        .context(Code::MalformedFile, || format!("malformed `{path}`"))
}

/// A key that takes its value from the workspace.
fn inherited(manifest: &DocumentMut) -> Option<String> {
    let is_inherited = |item: &Item| item.get("workspace").and_then(Item::as_bool) == Some(true);
    let tables = ["package"].into_iter().chain(DEPENDENCIES);
    tables
        .filter_map(|name| Some((name, manifest.get(name)?.as_table_like()?)))
        .find_map(|(name, table)| {
            let (key, _) = table.iter().find(|(_, item)| is_inherited(item))?;
            Some(format!("{name}.{key}"))
        })
}

/// Refuses dependencies of another version than the generated code is written for.
fn check_dependencies(have: &DocumentMut, expected: &DocumentMut) -> Result<()> {
    let expected: Vec<_> = dependencies(expected).collect();
    for table in dependencies(have) {
        for (name, item) in table.iter() {
            let needed = expected
                .iter()
                .find_map(|table| requirement(table.get(name)?));
            let (Some(given), Some(needed)) = (requirement(item), needed) else {
                continue;
            };
            if !is_same_major(&given, &needed) {
                return Err(Error::new(
                    Code::UnsuitableCargoToml,
                    format!(
                        "{MANIFEST} requires `{name}` {given}, but generated code needs {needed}"
                    ),
                )
                .hint(format!(
                    "set `{name} = \"{needed}\"`, or remove the dependency: rop adds it"
                )));
            }
        }
    }
    Ok(())
}

/// The tables of dependencies: the package's own, and those that the members of a workspace share.
fn dependencies(document: &DocumentMut) -> impl Iterator<Item = &dyn TableLike> {
    let own = DEPENDENCIES.iter().filter_map(|name| document.get(name));
    let shared = inside(document, &["workspace", "dependencies"]);
    own.chain(shared).filter_map(Item::as_table_like)
}

/// The version that a dependency asks for, if it is one of a registry.
fn requirement(item: &Item) -> Option<String> {
    let version = item.as_str().or_else(|| item.get("version")?.as_str());
    let is_elsewhere = item.as_table_like().is_some_and(|table: &dyn TableLike| {
        table.contains_key("path") || table.contains_key("git")
    });
    version.filter(|_| !is_elsewhere).map(str::to_owned)
}

/// Whether two requirements ask for releases that are compatible.
fn is_same_major(left: &str, right: &str) -> bool {
    let major = |text: &str| {
        let requirement: VersionReq = text.parse().ok()?;
        let first = requirement.comparators.first()?;
        let minor = (first.major == 0).then_some(first.minor).flatten();
        Some((first.major, minor))
    };
    match (major(left), major(right)) {
        (Some(left), Some(right)) => left == right,
        // `*`, and what only cargo understands.
        _ => true,
    }
}

/// Refuses a directory that a workspace above it has among its members.
fn check_above(root: &Path) -> Result<()> {
    for folder in root.ancestors().skip(1) {
        let path = folder.join(MANIFEST);
        let Ok(text) = read_text(&path) else {
            continue;
        };
        let name = path.display().to_string();
        let manifest = parse(&name, &text)?;
        let Some(workspace) = manifest.get("workspace") else {
            continue;
        };
        let Some(below) = root.strip_prefix(folder).ok().and_then(Path::to_str) else {
            continue;
        };
        let below = below.replace('\\', "/");
        let list = |key: &str| -> Vec<String> {
            let items = workspace
                .get(key)
                .and_then(Item::as_array)
                .into_iter()
                .flatten()
                .filter_map(|item| item.as_str());
            items
                .map(|item| item.trim_end_matches('/').to_owned())
                .collect()
        };
        let is_excluded = |excluded: &String| Path::new(&below).starts_with(excluded);
        let member = list("members")
            .into_iter()
            .find(|pattern| matches(pattern, &below));
        if let Some(member) = member.filter(|_| !list("exclude").iter().any(is_excluded)) {
            return Err(Error::new(
                Code::OtherWorkspace,
                format!(
                    "`{name}` makes this directory a member of its workspace (`{member}`), but a \
                project is its own workspace"
                ),
            )
            .hint(format!(
                "add `exclude = [\"{below}\"]` under `[workspace]` there, and run the command again"
            )));
        }
        // The next one above is no workspace of this directory.
        return Ok(());
    }
    Ok(())
}

/// Whether a path is one that a pattern of `members` means, which may have `*` and `?` in its parts.
fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./");
    let (patterns, parts): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    match patterns.iter().position(|part| *part == "**") {
        Some(at) => {
            let (before, after) = (&patterns[..at], &patterns[at + 1..]);
            before.len() + after.len() <= parts.len()
                && all_match(before, &parts[..before.len()])
                && all_match(after, &parts[parts.len() - after.len()..])
        }
        None => all_match(&patterns, &parts),
    }
}

fn all_match(patterns: &[&str], parts: &[&str]) -> bool {
    let pairs = patterns.iter().zip(parts);
    patterns.len() == parts.len()
        && pairs
            .into_iter()
            .all(|(p, part)| part_matches(p.as_bytes(), part.as_bytes()))
}

fn part_matches(pattern: &[u8], part: &[u8]) -> bool {
    match (pattern, part) {
        ([b'*', rest @ ..], _) => (0..=part.len()).any(|from| part_matches(rest, &part[from..])),
        ([b'?', rest @ ..], [_, part @ ..]) => part_matches(rest, part),
        ([first, rest @ ..], [other, part @ ..]) => first == other && part_matches(rest, part),
        ([], []) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_matched_as_cargo_does() {
        for (pattern, path) in [
            ("a", "a"),
            ("./a", "a"),
            ("crates/*", "crates/a"),
            ("*", "a"),
            ("crates/a-*-?", "crates/a-b-c"),
            ("**/op", "x/y/op"),
            ("crates/**", "crates/x/y"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("a", "b"),
            ("*", "a/b"),
            ("crates/*", "crates/a/b"),
            ("a?", "a"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn compatible_requirements_have_one_major() {
        for (left, right) in [("1", "1.2"), ("^5.0", "5"), ("0.29", "0.29.1"), ("*", "5")] {
            assert!(is_same_major(left, right), "{left} {right}");
        }
        for (left, right) in [("4", "5"), ("0.28", "0.29")] {
            assert!(!is_same_major(left, right), "{left} {right}");
        }
    }
}
