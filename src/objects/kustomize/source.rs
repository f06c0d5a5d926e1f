//! The files of a folder, read as kustomize reads them.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Component, Path};
use std::rc::Rc;

use serde_json::Value;

use crate::disk::{View, read};
use crate::error::{Code, Error};
use crate::objects::Objects;
use crate::yaml;

use super::budget::Budget;
use super::kustomization::Kustomization;
use super::parsed::Parsed;
use super::references::{Configuration, NameReference};
use super::replacement::Replacement;
use super::resource::Resource;

/// The files of which kustomize takes one for the kustomization of a folder.
pub(crate) const FILE_NAMES: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// No more files are read for a folder: those that list each other twice would be read for ever.
const MOST_FILES: usize = 2000;

/// The text of a file may be part of what is said about it, in characters.
const LONGEST_REASON: usize = 200;

/// Why a folder was not rendered.
#[derive(Debug)]
pub(crate) enum Unrendered {
    /// It takes kustomize: the place is not known here.
    Unknown(String),
    /// kustomize may not render it either.
    Refused(Error),
}

impl Unrendered {
    /// Where it takes kustomize, or why nothing may render it.
    pub(crate) fn into_reason(self) -> String {
        match self {
            Self::Unknown(place) => place,
            Self::Refused(error) => error.chain().collect::<Vec<_>>().join(": "),
        }
    }
}

/// The project that folders are in.
pub(super) struct Source<'a> {
    view: &'a View,
    parsed: &'a Parsed,
    /// How many files may still be read.
    left: Cell<usize>,
    pub(super) budget: Budget,
    /// What is being rendered.
    place: RefCell<String>,
    /// What no renderer may read.
    refused: RefCell<Option<Error>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(view: &'a View, parsed: &'a Parsed) -> Self {
        Self {
            view,
            parsed,
            left: Cell::new(MOST_FILES),
            budget: Budget::new(),
            place: RefCell::default(),
            refused: RefCell::default(),
        }
    }

    /// Notes what is rendered next, in case it is not known here.
    pub(super) fn enter(&self, place: impl Display) {
        self.place.replace(place.to_string());
    }

    /// Why the folder was not rendered.
    pub(super) fn reason(self, folder: &str) -> Unrendered {
        let place = self.place.into_inner();
        if let Some(error) = self.refused.into_inner() {
            return Unrendered::Refused(error);
        }
        if self.budget.is_spent() {
            let message = format!("`{folder}` takes too much work to render: {place}");
            let hint =
                "split it into several directories, or list fewer objects, patches or labels";
            return Unrendered::Refused(Error::new(Code::KustomizeFailed, message).hint(hint));
        }
        Unrendered::Unknown(place)
    }

    /// Refuses what would keep any renderer reading: a pipe, or a file without end.
    fn refuse_special(&self, path: &str) {
        let read = read(&self.view.root().join(path));
        if let Err(error) = read
            && error.kind() == ErrorKind::Other
        {
            let error = Error::new(Code::UnreadableFile, error)
                .context(format!("failed to read `{path}`"))
                .hint("remove it, or replace it with a regular file");
            self.refused.borrow_mut().get_or_insert(error);
        }
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.view.is_file(path)
    }

    /// A file as it is.
    pub(super) fn raw(&self, path: &str) -> Option<String> {
        self.left.set(self.left.get().checked_sub(1)?);
        let read = self.view.read_own(path);
        if read.is_err() {
            self.refuse_special(path);
        }
        read.ok()?
    }

    /// A file whose scalars all readers of YAML take for the same.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let text = self.raw(path)?;
        self.check(path, &text)?;
        Some(text)
    }

    /// Whether all readers of YAML take the scalars of a file for the same.
    fn check(&self, path: &str, text: &str) -> Option<()> {
        self.check_in(&format!("`{path}`"), text)
    }

    /// As [`Self::check`], of a text in `place`.
    fn check_in(&self, place: &str, text: &str) -> Option<()> {
        let Some((number, line)) = unclear(text) else {
            return Some(());
        };
        let line: String = line.chars().take(LONGEST_REASON).collect();
        self.enter(format_args!(
            "{place}: line {number}: not all readers of YAML take `{line}` for the same, so write its value in quotes"
        ));
        None
    }

    /// Whether rop reads the text of a patch as kustomize does.
    pub(super) fn check_patch(&self, text: &str) -> Option<()> {
        let place = self.place.borrow().clone();
        self.check_in(&place, text)?;
        let reason = match yaml::from_str::<Value>(text) {
            Ok(Value::Array(_)) => return self.check_words(&place, text),
            Ok(_) => return Some(()),
            Err(_) if Objects::parse(text).is_ok() => return Some(()),
            Err(error) => error.to_string(),
        };
        let first: String = reason
            .lines()
            .next()?
            .chars()
            .take(LONGEST_REASON)
            .collect();
        self.enter(format_args!("{place}: {first}"));
        None
    }

    /// Whether a text in `place` has no words that are booleans in YAML 1.1.
    fn check_words(&self, place: &str, text: &str) -> Option<()> {
        let Some((number, line)) = line_with_words(text) else {
            return Some(());
        };
        let line: String = line.chars().take(LONGEST_REASON).collect();
        self.enter(format_args!(
            "{place}: line {number}: kustomize may take a word in `{line}` for a boolean"
        ));
        None
    }

    /// A file that kustomize reads as YAML 1.1.
    pub(super) fn settings(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        self.check_words(&format!("`{path}`"), &text)?;
        Some(text)
    }

    /// The kustomization of a folder that has one.
    pub(super) fn kustomization(&self, folder: &str) -> Option<Rc<Kustomization>> {
        let paths = FILE_NAMES.map(|name| format!("{folder}/{name}"));
        let mut found = paths.iter().filter(|path| self.is_file(path));
        let (Some(path), None) = (found.next(), found.next()) else {
            self.refuse_special(folder);
            return None;
        };
        self.enter(format_args!("`{path}`"));
        let parse = |text: &str| {
            self.check(path, text)?;
            self.check_words(&format!("`{path}`"), text)?;
            match yaml::from_str::<Kustomization>(text) {
                Ok(kustomization) => kustomization.is_valid().then(|| Rc::new(kustomization)),
                Err(error) => {
                    let message = error.to_string();
                    let first = message.split([',', '\n']).next().unwrap_or_default();
                    let reason: String = first.chars().take(LONGEST_REASON).collect();
                    self.enter(format_args!("`{path}`: {reason}"));
                    None
                }
            }
        };
        let kustomizations = &self.parsed.kustomizations;
        kustomizations.get_or_parse(self.raw(path)?, parse)
    }

    /// The objects in a file.
    pub(super) fn resources(&self, path: &str) -> Option<Rc<[Resource]>> {
        let parse = |text: &str| {
            self.check(path, text)?;
            let objects = Objects::parse(text).ok()?;
            objects.0.into_iter().map(Resource::new).collect()
        };
        let resources = &self.parsed.resources;
        resources.get_or_parse(self.raw(path)?, parse)
    }

    /// The replacements in a file: a list of them, or one.
    pub(super) fn replacements(&self, path: &str) -> Option<Vec<Replacement>> {
        match yaml::from_str::<Value>(&self.settings(path)?).ok()? {
            list @ Value::Array(_) => serde_json::from_value(list).ok(),
            replacement => Some(vec![serde_json::from_value(replacement).ok()?]),
        }
    }

    /// The references that a file of configuration adds.
    pub(super) fn references(&self, path: &str) -> Option<Vec<NameReference>> {
        let configuration: Configuration = yaml::from_str(&self.settings(path)?).ok()?;
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

/// Where a file in a kustomization is: kustomize reads none outside its folder.
pub(super) fn file(folder: &str, file: &str) -> Option<String> {
    let path = path(folder, file)?;
    path.strip_prefix(folder)?.starts_with('/').then_some(path)
}

/// The objects of a patch.
pub(super) fn objects(text: &str) -> Option<Vec<Value>> {
    if is_plain(text) {
        Some(Objects::parse(text).ok()?.0)
    } else {
        None
    }
}

/// Whether each value of a text means the same in YAML 1.1, which kustomize reads in part, and in YAML 1.2.
pub(super) fn is_plain(text: &str) -> bool {
    unclear(text).is_none()
}

/// The first line of a text, with its number, whose value is not the same to all readers.
fn unclear(text: &str) -> Option<(usize, &str)> {
    let mut lines = (1..).zip(text.lines().map(str::trim));
    lines.find(|&(_, line)| {
        let value = line.split_once(": ").map_or(line, |(_, value)| value);
        let value = value.strip_prefix("- ").unwrap_or(value);
        let value = value
            .split_once(" #")
            .map_or(value, |(value, _)| value)
            .trim_end_matches([',', ' ']);
        let is_ambiguous = match value.chars().next() {
            Some('[' | '{') => value
                .split([',', '[', ']', '{', '}', ' '])
                .any(is_ambiguous),
            Some('#') => false,
            _ => is_ambiguous(value),
        };
        // kustomize adds lines to a folded text.
        let is_folded = value.starts_with('>') && value.len() <= 3;
        line.contains("<<:") || is_folded || is_ambiguous
    })
}

/// Whether a text has words that are booleans in YAML 1.1.
pub(super) fn has_words(text: &str) -> bool {
    line_with_words(text).is_some()
}

/// The first line, with its number, that has a word that is a boolean in YAML 1.1.
fn line_with_words(text: &str) -> Option<(usize, &str)> {
    const WORDS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    let mut lines = (1..).zip(text.lines().map(str::trim));
    lines.find(|(_, line)| {
        let text = line.split_once(" #").map_or(*line, |(text, _)| text);
        let mut words = text.split([' ', '\t', ',', '[', ']', '{', '}', ':']);
        let is_boolean = |word: &str| WORDS.iter().any(|it| it.eq_ignore_ascii_case(word));
        !line.starts_with('#') && words.any(is_boolean)
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
    // Where a word or a sentence only starts so, it is text to all.
    if let Some(digits) = number.strip_prefix('0')
        && !digits.is_empty()
        && !digits.starts_with('.')
    {
        let is_digit = |c: char| c.is_ascii_digit() || c == '_';
        let is_number = match digits.split_at_checked(1) {
            Some(("x" | "X", digits)) => digits.chars().all(|c| c.is_ascii_hexdigit() || c == '_'),
            Some(("o" | "O" | "b" | "B", digits)) => digits.chars().all(is_digit),
            _ => digits.chars().all(|c| is_digit(c) || ".:eE+-".contains(c)),
        };
        return is_number;
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
            "a: 02:30",
            "\"a\": 007,",
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
            "a: 0 means no limit",
            "a: 0-based index",
            "a: 00123abc",
            "\"a\": 0,",
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
