//! What types are called where they are converted.

use crate::error::Result;

use super::krate::{Crate, written};
use super::module::{Named, Path, What};
use super::scope::Resolution;
use super::ty::Ty;

/// The module of the standard library whose types are imported where they are converted.
pub(super) const COLLECTIONS: &str = "std::collections::";

/// The module that conversions are written in, and how it calls those of the two versions.
pub(super) struct Place<'a> {
    pub(super) krate: &'a Crate<'a>,
    pub(super) module: Path,
    /// What the modules of the versions are called there.
    pub(super) aliases: [(&'a str, Path); 2],
}

impl Place<'_> {
    /// How a type is written there, or which one has no name there.
    pub(super) fn written(&self, ty: &Ty) -> Result<Result<String, String>> {
        let list = |types: &[Ty]| -> Result<Result<String, String>> {
            let types: Vec<_> = types
                .iter()
                .map(|ty| self.written(ty))
                .collect::<Result<_>>()?;
            Ok(types
                .into_iter()
                .collect::<Result<Vec<_>, _>>()
                .map(|types| types.join(", ")))
        };
        let applied = |name: String, arguments: &[Ty]| -> Result<Result<String, String>> {
            if arguments.is_empty() {
                return Ok(Ok(name));
            }
            Ok(list(arguments)?.map(|arguments| format!("{name}<{arguments}>")))
        };
        Ok(match ty {
            Ty::Own(path, arguments) => match self.name(path)? {
                Some(name) => applied(name, arguments)?,
                None => Err(self.private(path)?),
            },
            Ty::Outer(path, _) if path.starts_with('{') => {
                Err(format!("it is not clear where `{ty}` is imported from"))
            }
            Ty::Outer(path, arguments) => {
                // Maps and sets are imported.
                let name = path.strip_prefix(COLLECTIONS).unwrap_or(path);
                applied(name.to_owned(), arguments)?
            }
            Ty::Array(item, length) => {
                let item = self.written(item)?;
                item.map(|item| format!("[{item}; {length}]"))
            }
            Ty::Tuple(items) => match &items[..] {
                [item] => self.written(item)?.map(|item| format!("({item},)")),
                items => list(items)?.map(|items| format!("({items})")),
            },
            Ty::Reference(lifetime, item) => {
                let item = self.written(item)?;
                item.map(|item| format!("&{lifetime}{item}"))
            }
            Ty::Value(text) => Ok(text.clone()),
            Ty::Unknown(_, why) => Err(why.clone()),
        })
    }

    /// What an item of the crate is called there, if it can be.
    pub(super) fn name(&self, path: &[String]) -> Result<Option<String>> {
        let Some(last) = path.last() else {
            return Ok(None);
        };
        for (alias, module) in &self.aliases {
            if self.leads(module, last, path)? {
                return Ok(Some(format!("{alias}::{}", written(last))));
            }
            if let Some(name) = self.renamed(module, path)? {
                return Ok(Some(format!("{alias}::{}", written(&name))));
            }
        }
        if self.is_open(path)? {
            let of_version = self
                .aliases
                .iter()
                .find(|(_, module)| path.starts_with(module));
            let (start, rest) = match of_version {
                Some((alias, module)) => (*alias, &path[module.len()..]),
                None => ("crate", path),
            };
            let rest = rest.iter().map(|part| format!("::{}", written(part)));
            return Ok(Some(format!("{start}{}", rest.collect::<String>())));
        }
        // It may be shown by a module around it.
        for length in (0..path.len() - 1).rev() {
            let around = [&path[..length], std::slice::from_ref(last)].concat();
            if self.is_open(&path[..length])? && self.leads(&path[..length], last, path)? {
                return Ok(Some(super::scope::shown(&around)));
            }
        }
        Ok(None)
    }

    /// Whether a name of a module is an item, and can be used.
    fn leads(&self, module: &[String], name: &str, item: &[String]) -> Result<bool> {
        let Some(read) = self.krate.module(module)? else {
            return Ok(false);
        };
        let is_shown = match read.names.get(name) {
            Some(meanings) => self.reached(meanings),
            None => self.is_in_open_glob(&read.path, name)?,
        };
        if !is_shown {
            return Ok(false);
        }
        let path = [name.to_owned()];
        Ok(self.krate.resolve(module, &path)? == Resolution::Item(item.to_vec()))
    }

    /// Whether a name of a module comes from an import by `*` that is seen here.
    fn is_in_open_glob(&self, module: &[String], name: &str) -> Result<bool> {
        let Some(read) = self.krate.module(module)? else {
            return Ok(false);
        };
        for (glob, visibility) in &read.globs {
            if !visibility.reaches(&self.module) {
                continue;
            }
            if let Resolution::Module(of) = self.krate.resolve(module, glob)?
                && let Some(of) = self.krate.module(&of)?
                && of
                    .names
                    .get(name)
                    .is_none_or(|meanings| self.reached(meanings))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What an item is called in a module that shows it by another name.
    fn renamed(&self, module: &[String], item: &[String]) -> Result<Option<String>> {
        let Some(read) = self.krate.module(module)? else {
            return Ok(None);
        };
        for (name, meanings) in &read.names {
            let is_import = |named: &Named| matches!(&named.what, What::Import(path) if path.last() == item.last());
            if meanings.iter().any(is_import) && self.leads(module, name, item)? {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    /// Whether the modules on the way to an item, and itself, are visible.
    fn is_open(&self, path: &[String]) -> Result<bool> {
        for end in 1..=path.len() {
            let (part, module) = (&path[end - 1], &path[..end - 1]);
            let Some(module) = self.krate.module(module)? else {
                return Ok(false);
            };
            if let Some(meanings) = module.names.get(part)
                && !self.reached(meanings)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn reached(&self, meanings: &[Named]) -> bool {
        let mut meanings = meanings.iter();
        meanings.any(|meaning| meaning.visibility.reaches(&self.module))
    }

    /// What to do about an item that has no name here.
    fn private(&self, path: &[String]) -> Result<String> {
        let name = path.last().map_or("", String::as_str);
        let module = self.krate.module(&path[..path.len().saturating_sub(1)])?;
        let file = module.map_or_else(String::new, |module| module.file.clone());
        Ok(format!(
            "`{name}` is private to `{file}`: make it and its module `pub`, or export it with `pub use`"
        ))
    }
}
