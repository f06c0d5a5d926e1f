//! The Cargo.lock that a project starts with.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, Item};

use crate::project::{Project, Runtime};

use super::embedded;

pub(super) const FILE_NAME: &str = "Cargo.lock";

const PACKAGE: &str = "[[package]]\n";
const RUNTIME: &str = "rop-runtime";

/// The features of the runtime that every project has, or can have by one of its own.
const FEATURES: [&str; 2] = ["otlp", "testing"];
/// The one that a project has if it has webhooks.
const WEBHOOK: &str = "webhook";

/// One package of the file.
struct Package<'a> {
    /// What stands before its dependencies.
    head: &'a str,
    /// Each with its version, where there are several of its name.
    dependencies: Vec<&'a str>,
}

impl<'a> Package<'a> {
    fn parse(text: &'a str) -> Self {
        let text = text.trim_end();
        let (head, dependencies) = text.split_once("\ndependencies = [").unwrap_or((text, ""));
        let lines = dependencies
            .lines()
            .map(|line| line.trim_matches([' ', '"', ',']));
        Self {
            head,
            dependencies: lines.filter(|line| !["", "]"].contains(line)).collect(),
        }
    }

    fn field(&self, key: &str) -> Option<&'a str> {
        self.head.lines().find_map(|line| {
            line.strip_prefix(key)?
                .strip_prefix(" = \"")?
                .strip_suffix('"')
        })
    }

    fn name(&self) -> &'a str {
        self.field("name").unwrap_or_default()
    }

    /// Whether a dependency, such as `syn 2.0.1` or `serde`, is this package.
    fn is(&self, dependency: &str) -> bool {
        match dependency.split_once(' ') {
            Some((name, version)) => self.name() == name && self.field("version") == Some(version),
            None => self.name() == dependency,
        }
    }

    fn order(&self) -> (&'a str, Option<semver::Version>) {
        let version = self
            .field("version")
            .and_then(|version| version.parse().ok());
        (self.name(), version)
    }

    fn text(&self) -> String {
        if self.dependencies.is_empty() {
            return format!("{PACKAGE}{}\n", self.head);
        }
        let lines: String = self
            .dependencies
            .iter()
            .map(|name| format!(" \"{name}\",\n"))
            .collect();
        format!("{PACKAGE}{}\ndependencies = [\n{lines}]\n", self.head)
    }
}

/// What cargo would write for a project that has its runtime from there, so that
/// `cargo build --locked` takes it. A runtime that has to be fetched is left to cargo.
pub(super) fn resolve(text: &str, project: &Project) -> String {
    let runtime = &project.runtime;
    let (head, packages) = text.split_once(PACKAGE).unwrap_or((text, ""));
    let mut packages: Vec<Package<'_>> = packages.split(PACKAGE).map(Package::parse).collect();
    match runtime {
        // What is in the folder of the project is a member of its workspace.
        _ if runtime.folder().is_some() => {}
        Runtime::Path(_) => {
            let webhook = project.has_webhooks().then_some(WEBHOOK);
            let features: Vec<_> = FEATURES.into_iter().chain(webhook).collect();
            without_tests_of_runtime(&mut packages, &features);
        }
        _ => {
            packages.retain(|package| package.name() != RUNTIME);
            for package in &mut packages {
                package.dependencies.retain(|name| *name != RUNTIME);
            }
        }
    }
    // Cargo writes all by name, and the names of the project's own packages are known only now.
    packages.sort_by_cached_key(Package::order);
    for package in &mut packages {
        package.dependencies.sort_unstable();
    }
    let texts: Vec<String> = packages.iter().map(Package::text).collect();
    format!("{head}{}", texts.join("\n"))
}

/// Takes out what only the runtime's own tests need: those of another workspace do not count.
fn without_tests_of_runtime(packages: &mut Vec<Package<'_>>, features: &[&str]) {
    let needed = needed_by_runtime(features);
    for package in packages
        .iter_mut()
        .filter(|package| package.name() == RUNTIME)
    {
        let name = |dependency: &str| dependency.split(' ').next().map(str::to_owned);
        package
            .dependencies
            .retain(|dependency| name(dependency).is_some_and(|name| needed.contains(&name)));
    }
    // What has no source is the project's own.
    let mut used: BTreeSet<usize> = (0..packages.len())
        .filter(|index| packages[*index].field("source").is_none())
        .collect();
    let mut waiting: Vec<usize> = used.iter().copied().collect();
    while let Some(index) = waiting.pop() {
        for dependency in &packages[index].dependencies {
            let found = packages.iter().position(|package| package.is(dependency));
            waiting.extend(found.filter(|found| used.insert(*found)));
        }
    }
    let mut index = 0..;
    packages.retain(|_| index.next().is_some_and(|index| used.contains(&index)));
}

/// The packages that the runtime of a project is built from.
fn needed_by_runtime(features: &[&str]) -> BTreeSet<String> {
    let path = format!("{}/Cargo.toml", Runtime::FOLDER);
    let file = embedded::runtime().get(&path).expect("a manifest");
    let manifest: DocumentMut = file.text().parse().expect("cargo has read it too");
    let features = features
        .iter()
        .filter_map(|name| manifest["features"].get(name)?.as_array());
    let enabled: BTreeSet<_> = features
        .flatten()
        .filter_map(|value| value.as_str()?.strip_prefix("dep:"))
        .collect();
    let is_enabled = |key: &str, item: &Item| {
        let optional = item.get("optional").and_then(Item::as_bool);
        optional != Some(true) || enabled.contains(key)
    };
    let tables = ["dependencies", "build-dependencies"].map(|table| manifest.get(table));
    let dependencies = tables.into_iter().flatten().filter_map(Item::as_table_like);
    dependencies
        .flat_map(|table| table.iter())
        .filter(|(key, item)| is_enabled(key, item))
        .map(
            |(key, item)| match item.get("package").and_then(Item::as_str) {
                Some(package) => package.to_owned(),
                None => key.to_owned(),
            },
        )
        .collect()
}
