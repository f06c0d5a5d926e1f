//! The files of a folder, read as kustomize reads them.

use std::cell::Cell;
use std::path::{Component, Path};

use serde_json::Value;

use crate::disk::View;
use crate::objects::Objects;
use crate::yaml;

use super::kustomization::Kustomization;
use super::references::{Configuration, NameReference};
use super::resource::Resource;

const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// No more files are read for a folder: those that list each other twice would be read for ever.
const MOST_FILES: usize = 2000;

/// The project that folders are in.
pub(super) struct Source<'a> {
    view: &'a View,
    /// How many files may still be read.
    left: Cell<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(view: &'a View) -> Self {
        let left = Cell::new(MOST_FILES);
        Self { view, left }
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.view.is_file(path)
    }

    /// A file whose scalars all readers of YAML take for the same.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.left.set(self.left.get().checked_sub(1)?);
        let text = self.view.read_own(path).ok()??;
        is_plain(&text).then_some(text)
    }

    /// The kustomization of a folder that has one.
    pub(super) fn kustomization(&self, folder: &str) -> Option<Kustomization> {
        let paths = FILE_NAMES.map(|name| format!("{folder}/{name}"));
        let mut found = paths.iter().filter(|path| self.is_file(path));
        let (Some(path), None) = (found.next(), found.next()) else {
            return None;
        };
        let kustomization: Kustomization = yaml::from_str(&self.text(path)?).ok()?;
        kustomization.is_valid().then_some(kustomization)
    }

    /// The objects in a file.
    pub(super) fn resources(&self, path: &str) -> Option<Vec<Resource>> {
        let objects = Objects::parse(&self.text(path)?).ok()?;
        let objects = objects.iter().cloned().map(Resource::new);
        objects.collect()
    }

    /// The references that a file of configuration adds.
    pub(super) fn references(&self, path: &str) -> Option<Vec<NameReference>> {
        let configuration: Configuration = yaml::from_str(&self.text(path)?).ok()?;
        Some(configuration.name_reference)
    }
}

/// Where a path in a kustomization leads, if it stays in the project.
pub(super) fn path(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// The objects of a patch.
pub(super) fn objects(text: &str) -> Option<Vec<Value>> {
    if is_plain(text) {
        Some(Objects::parse(text).ok()?.iter().cloned().collect())
    } else {
        None
    }
}

/// Whether each value of a text means the same in YAML 1.1, which kustomize reads in part, and in YAML 1.2.
fn is_plain(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim();
        let value = line.split_once(": ").map_or(line, |(_, value)| value);
        let value = value.strip_prefix("- ").unwrap_or(value);
        let value = value
            .split_once(" #")
            .map_or(value, |(value, _)| value)
            .trim();
        let is_ambiguous = match value.chars().next() {
            Some('[' | '{') => value
                .split([',', '[', ']', '{', '}', ' '])
                .any(is_ambiguous),
            Some('#') => false,
            _ => is_ambiguous(value),
        };
        // kustomize adds lines to a folded text.
        let is_folded = value.starts_with('>') && value.len() <= 3;
        !(line.contains("<<:") || is_folded || is_ambiguous)
    })
}

/// Whether a plain scalar is a number or a date to some readers, and something else to others.
fn is_ambiguous(scalar: &str) -> bool {
    let number = scalar.strip_prefix(['-', '+']).unwrap_or(scalar);
    if let Some(fraction) = number.strip_prefix('.') {
        let word = fraction.to_ascii_lowercase();
        return fraction.starts_with(|c: char| c.is_ascii_digit())
            || word == "inf"
            || word == "nan";
    }
    let is_decimal = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if number.starts_with('0') && number.len() > 1 && !number.starts_with("0.") {
        return true;
    }
    // A version is a word to all, and so is a quantity.
    !is_decimal
        && number
            .chars()
            .all(|c| c.is_ascii_digit() || "_.:-+TZeE ".contains(c))
        || is_decimal && scalar.starts_with('+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_scalars_that_readers_disagree_on() {
        for text in [
            "mode: 0644",
            "mode: 0o644",
            "a: 0x1f",
            "a: 1_000",
            "a: 2026-11-27",
            "a: 12:30:45",
            "a: 1e3",
            "a: .5",
            "a: .inf",
            "- 010",
            "a: [1, 007]",
            "<<: *a",
            "text: >-",
        ] {
            assert!(!is_plain(text), "{text}");
        }
        for text in [
            "a: 0",
            "a: 10",
            "a: -1",
            "a: 1.5",
            "a: 10m",
            "a: 128Mi",
            "a: v1",
            "a: 1.2.3",
            "a: \"0644\"",
            "image: controller:latest",
            "- --port=8080",
            "description: 'From 1 to 10.'",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }
}
