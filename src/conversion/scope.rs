//! What a path in a module means.

use crate::error::Result;

use super::krate::Crate;
use super::module::{Module, Path, What};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    Module(Path),
    /// An item of the crate.
    Item(Path),
    /// Something of another crate, or of the language.
    Outer(String),
    /// Not resolved, and why.
    Unknown(String),
}

/// Names whose resolution has started, to detect cycles.
type Pending = Vec<(Path, String)>;

impl Crate<'_> {
    /// What a path means in a module.
    pub(super) fn resolve(&self, module: &[String], path: &[String]) -> Result<Resolution> {
        self.resolve_on(module, path, &mut Pending::new())
    }

    fn resolve_on(
        &self,
        module: &[String],
        path: &[String],
        pending: &mut Pending,
    ) -> Result<Resolution> {
        let mut parts = path.iter().map(String::as_str).peekable();
        let mut found = Resolution::Module(module.to_vec());
        match parts.peek() {
            Some(&"crate") => {
                parts.next();
                found = Resolution::Module(Path::new());
            }
            Some(&"") => {
                let names: Vec<_> = parts.skip(1).collect();
                return Ok(Resolution::Outer(canonical(&names)));
            }
            Some(&"self" | &"super") => {
                let mut module = module.to_vec();
                while let Some(part) = parts.next_if(|part| matches!(*part, "self" | "super")) {
                    if part == "super" {
                        module.pop();
                    }
                }
                found = Resolution::Module(module);
            }
            Some(first) => {
                let first = *first;
                if let Some(local) = self.lookup(module, first, pending)? {
                    parts.next();
                    found = local;
                } else if path.len() > 1 || is_usual(first) {
                    let names: Vec<_> = parts.collect();
                    return Ok(Resolution::Outer(canonical(&names)));
                } else {
                    return Ok(Resolution::Unknown(self.missing(module, first)?));
                }
            }
            None => {}
        }
        for part in parts {
            found = match found {
                Resolution::Module(module) => match self.lookup(&module, part, pending)? {
                    Some(found) => found,
                    None => Resolution::Unknown(self.missing(&module, part)?),
                },
                Resolution::Outer(path) => Resolution::Outer(canonical(&[&path, part])),
                Resolution::Item(path) => {
                    Resolution::Unknown(format!("`{}::{part}` is not a type", shown(&path)))
                }
                Resolution::Unknown(why) => return Ok(Resolution::Unknown(why)),
            };
        }
        Ok(found)
    }

    /// What a name means in a module, if it means anything there.
    fn lookup(
        &self,
        module: &[String],
        name: &str,
        pending: &mut Pending,
    ) -> Result<Option<Resolution>> {
        let key = (module.to_vec(), name.to_owned());
        if pending.contains(&key) {
            return Ok(None);
        }
        pending.push(key);
        let found = self.lookup_once(module, name, pending);
        pending.pop();
        found
    }

    fn lookup_once(
        &self,
        path: &[String],
        name: &str,
        pending: &mut Pending,
    ) -> Result<Option<Resolution>> {
        let Some(module) = self.module(path)? else {
            return Ok(None);
        };
        let item = [path, &[name.to_owned()]].concat();
        let mut found: Vec<Resolution> = Vec::new();
        for meaning in module.names.get(name).into_iter().flatten() {
            let meaning = match &meaning.what {
                What::Module(_) => Resolution::Module(item.clone()),
                What::Import(to) => match self.resolve_on(path, to, pending)? {
                    // A name that imports itself is the crate of that name.
                    Resolution::Unknown(_) if to[..] == [name] => {
                        Resolution::Outer(name.to_owned())
                    }
                    found => found,
                },
                _ => Resolution::Item(item.clone()),
            };
            // The same name can mean a macro or a function besides.
            if !found.contains(&meaning) || matches!(meaning, Resolution::Item(_)) {
                found.push(meaning);
            }
        }
        if found.len() > 1 {
            found.retain(|resolution| !matches!(resolution, Resolution::Unknown(_)));
        }
        match found.len() {
            0 => {}
            1 => return Ok(found.pop()),
            _ => {
                let why = format!("`{name}` has several definitions in `{}`", module.file);
                return Ok(Some(Resolution::Unknown(why)));
            }
        }
        if let Some(module) = self.module(&item)? {
            return Ok(Some(Resolution::Module(module.path.clone())));
        }
        self.in_globs(&module, name, pending)
    }

    /// What a name means by what a module imports with `*`.
    fn in_globs(
        &self,
        module: &Module,
        name: &str,
        pending: &mut Pending,
    ) -> Result<Option<Resolution>> {
        let (mut found, mut outer) = (Vec::new(), Vec::new());
        for (glob, _) in &module.globs {
            match self.resolve_on(&module.path, glob, pending)? {
                Resolution::Module(path) => {
                    if !self.shows(&path, name, &module.path)? {
                        continue;
                    }
                    if let Some(resolution) = self.lookup(&path, name, pending)?
                        && !found.contains(&resolution)
                    {
                        found.push(resolution);
                    }
                }
                Resolution::Outer(path) => outer.push(path),
                Resolution::Item(_) | Resolution::Unknown(_) => {}
            }
        }
        if found.len() > 1 {
            let why = format!("`{name}` comes from several modules in `{}`", module.file);
            return Ok(Some(Resolution::Unknown(why)));
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
            [only] => Resolution::Outer(canonical(&[only, name])),
            _ => Resolution::Outer(format!("{{{}}}::{name}", candidates.join(", "))),
        }))
    }

    /// Whether a name of a module, if it has it, can be used in another one.
    fn shows(&self, path: &[String], name: &str, from: &[String]) -> Result<bool> {
        let Some(module) = self.module(path)? else {
            return Ok(false);
        };
        Ok(match module.names.get(name) {
            Some(meanings) => meanings
                .iter()
                .any(|meaning| meaning.visibility.reaches(from)),
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
