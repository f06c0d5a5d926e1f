//! What a path in a module means.

use crate::error::Result;

use super::krate::Crate;
use super::module::{Module, Path, What};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Module(Path),
    /// An item of the crate.
    Item(Path),
    /// Something of another crate, or of the language.
    Outer(String),
    /// Nothing that is understood, and why.
    Unknown(String),
}

/// What is on its way to be found.
type Asked = Vec<(Path, String)>;

impl Crate<'_> {
    /// What a path means in a module.
    pub(super) fn resolve(&self, module: &[String], path: &[String]) -> Result<Found> {
        self.resolve_on(module, path, &mut Asked::new())
    }

    fn resolve_on(&self, module: &[String], path: &[String], asked: &mut Asked) -> Result<Found> {
        let mut parts = path.iter().map(String::as_str).peekable();
        let mut found = Found::Module(module.to_vec());
        match parts.peek() {
            Some(&"crate") => {
                parts.next();
                found = Found::Module(Path::new());
            }
            Some(&"") => {
                let path: Vec<_> = parts.skip(1).collect();
                return Ok(Found::Outer(canonical(&path)));
            }
            Some(&"self" | &"super") => {
                let mut module = module.to_vec();
                while let Some(part) = parts.next_if(|part| matches!(*part, "self" | "super")) {
                    if part == "super" {
                        module.pop();
                    }
                }
                found = Found::Module(module);
            }
            Some(first) => {
                let first = *first;
                if let Some(local) = self.lookup(module, first, asked)? {
                    parts.next();
                    found = local;
                } else if path.len() > 1 || is_usual(first) {
                    let path: Vec<_> = parts.collect();
                    return Ok(Found::Outer(canonical(&path)));
                } else {
                    return Ok(Found::Unknown(self.missing(module, first)?));
                }
            }
            None => {}
        }
        for part in parts {
            found = match found {
                Found::Module(module) => match self.lookup(&module, part, asked)? {
                    Some(found) => found,
                    None => Found::Unknown(self.missing(&module, part)?),
                },
                Found::Outer(path) => Found::Outer(canonical(&[&path, part])),
                Found::Item(path) => {
                    Found::Unknown(format!("`{}::{part}` is not a type", shown(&path)))
                }
                Found::Unknown(why) => return Ok(Found::Unknown(why)),
            };
        }
        Ok(found)
    }

    /// What a name means in a module, if it means anything there.
    fn lookup(&self, module: &[String], name: &str, asked: &mut Asked) -> Result<Option<Found>> {
        let key = (module.to_vec(), name.to_owned());
        if asked.contains(&key) {
            return Ok(None);
        }
        asked.push(key);
        let found = self.lookup_once(module, name, asked);
        asked.pop();
        found
    }

    fn lookup_once(&self, path: &[String], name: &str, asked: &mut Asked) -> Result<Option<Found>> {
        let Some(module) = self.module(path)? else {
            return Ok(None);
        };
        let item = [path, &[name.to_owned()]].concat();
        let mut found: Vec<Found> = Vec::new();
        for meaning in module.names.get(name).into_iter().flatten() {
            let meaning = match &meaning.what {
                What::Module(_) => Found::Module(item.clone()),
                What::Import(to) => match self.resolve_on(path, to, asked)? {
                    // A name that imports itself is the crate of that name.
                    Found::Unknown(_) if to[..] == [name] => Found::Outer(name.to_owned()),
                    found => found,
                },
                _ => Found::Item(item.clone()),
            };
            // The same name can mean a macro or a function besides.
            if !found.contains(&meaning) || matches!(meaning, Found::Item(_)) {
                found.push(meaning);
            }
        }
        if found.len() > 1 {
            found.retain(|one| !matches!(one, Found::Unknown(_)));
        }
        match found.len() {
            0 => {}
            1 => return Ok(found.pop()),
            _ => {
                let why = format!("`{name}` has several definitions in `{}`", module.file);
                return Ok(Some(Found::Unknown(why)));
            }
        }
        if let Some(module) = self.module(&item)? {
            return Ok(Some(Found::Module(module.path.clone())));
        }
        self.in_globs(&module, name, asked)
    }

    /// What a name means by what a module imports with `*`.
    fn in_globs(&self, module: &Module, name: &str, asked: &mut Asked) -> Result<Option<Found>> {
        let (mut found, mut outer) = (Vec::new(), Vec::new());
        for (glob, _) in &module.globs {
            match self.resolve_on(&module.path, glob, asked)? {
                Found::Module(path) => {
                    if !self.shows(&path, name, &module.path)? {
                        continue;
                    }
                    if let Some(one) = self.lookup(&path, name, asked)?
                        && !found.contains(&one)
                    {
                        found.push(one);
                    }
                }
                Found::Outer(path) => outer.push(path),
                Found::Item(_) | Found::Unknown(_) => {}
            }
        }
        if found.len() > 1 {
            let why = format!("`{name}` comes from several modules in `{}`", module.file);
            return Ok(Some(Found::Unknown(why)));
        }
        if let Some(found) = found.pop() {
            return Ok(Some(found));
        }
        if is_usual(name) || outer.is_empty() {
            return Ok(None);
        }
        // What is in the modules of the standard library is known.
        let known = |path: &&String| match KNOWN.iter().find(|(known, _)| *known == name) {
            Some((_, of)) => *path == of || !path.starts_with("std::"),
            None => !COLLECTIONS.contains(&path.as_str()),
        };
        let mut candidates: Vec<_> = outer.iter().filter(known).cloned().collect();
        candidates.sort();
        candidates.dedup();
        Ok(Some(match &candidates[..] {
            [] => return Ok(None),
            [one] => Found::Outer(canonical(&[one, name])),
            _ => Found::Outer(format!("{{{}}}::{name}", candidates.join(", "))),
        }))
    }

    /// Whether a name of a module, if it has it, can be used in another one.
    fn shows(&self, path: &[String], name: &str, from: &[String]) -> Result<bool> {
        let Some(module) = self.module(path)? else {
            return Ok(false);
        };
        Ok(match module.names.get(name) {
            Some(meanings) => meanings.iter().any(|one| one.visibility.reaches(from)),
            None => true,
        })
    }

    /// Why a name means nothing in a module.
    fn missing(&self, path: &[String], name: &str) -> Result<String> {
        let module = self.module(path)?;
        let macro_ = module.as_ref().and_then(|module| module.macro_.clone());
        let place = match &module {
            Some(module) if !module.file.is_empty() => format!("`{}`", module.file),
            _ => format!("the module `{}`", shown(path)),
        };
        Ok(match macro_ {
            Some(macro_) => format!("`{name}` may come from the macro `{macro_}!` in {place}"),
            None => format!("`{name}` is not defined in {place}"),
        })
    }
}

/// A path in the crate, as Rust writes it.
pub(super) fn shown(path: &[String]) -> String {
    let parts = path.iter().map(|part| super::krate::written(part));
    std::iter::once("crate".to_owned())
        .chain(parts)
        .collect::<Vec<_>>()
        .join("::")
}

/// Names that need no import.
const USUAL: [&str; 22] = [
    "Box", "Option", "Result", "String", "Vec", "bool", "char", "f32", "f64", "i128", "i16", "i32",
    "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8", "usize",
];

/// Where the maps and sets of the standard library are.
const COLLECTIONS: [&str; 1] = ["std::collections"];

/// Types of the standard library that have several paths, each with the module that they are written with.
const KNOWN: [(&str, &str); 8] = [
    ("BTreeMap", "std::collections"),
    ("BTreeSet", "std::collections"),
    ("BinaryHeap", "std::collections"),
    ("HashMap", "std::collections"),
    ("HashSet", "std::collections"),
    ("LinkedList", "std::collections"),
    ("VecDeque", "std::collections"),
    ("Cow", "std::borrow"),
];

fn is_usual(name: &str) -> bool {
    USUAL.contains(&name)
}

/// A path of another crate, the same for the same type of the standard library.
fn canonical(path: &[&str]) -> String {
    let path = path.join("::");
    let parts: Vec<&str> = path.split("::").collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return path;
    };
    if !["std", "core", "alloc"].contains(first) || parts.len() < 2 {
        return path;
    }
    if parts.len() > 2 {
        if is_usual(last) && *last != "Result" {
            return (*last).to_owned();
        }
        if let Some((_, of)) = KNOWN.iter().find(|(known, _)| known == last) {
            return format!("{of}::{last}");
        }
    }
    format!("std::{}", parts[1..].join("::"))
}
