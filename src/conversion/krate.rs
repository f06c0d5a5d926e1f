//! The API crate, read module by module as paths lead there.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::{Code, Error, Result};

use super::module::{Module, Path, What};
use super::parse::parse;

/// The root of the API crate.
const ROOT: &str = "api/src/lib.rs";

/// How many modules are read at the most, and how deep they are nested: links can make endless ones.
const MODULES: usize = 2000;
const DEPTH: usize = 32;

/// How many types one type is made of at the most.
const STEPS: usize = 10_000;

/// Reads a file of the project, if it exists.
pub(crate) type Read<'a> = &'a dyn Fn(&str) -> Result<Option<String>>;

/// The modules of the API crate.
pub(crate) struct Crate<'a> {
    read: Read<'a>,
    /// Modules that exist although their parents may not list them yet.
    expected: Vec<Path>,
    modules: RefCell<BTreeMap<Path, Option<Rc<Module>>>>,
    /// How many types can still be followed for the one that is read.
    steps: Cell<usize>,
}

impl<'a> Crate<'a> {
    /// The crate whose files `read` knows. The modules of its wiring are those of `expected`, even if a file does not
    /// list one yet.
    pub(crate) fn new(read: Read<'a>, expected: Vec<Path>) -> Self {
        Self {
            read,
            expected,
            modules: RefCell::default(),
            steps: Cell::new(STEPS),
        }
    }

    /// Begins with another type: aliases of aliases can be without end.
    pub(super) fn begin(&self) {
        self.steps.set(STEPS);
    }

    /// Whether one more type can be followed.
    pub(super) fn steps(&self) -> bool {
        let left = self.steps.get().checked_sub(1);
        self.steps.set(left.unwrap_or_default());
        left.is_some()
    }

    /// The module at a path, if it exists.
    ///
    /// # Errors
    /// Its file cannot be read, or is not Rust.
    pub(super) fn module(&self, path: &[String]) -> Result<Option<Rc<Module>>> {
        if let Some(module) = self.modules.borrow().get(path) {
            return Ok(module.clone());
        }
        let module = self.load(path)?.map(Rc::new);
        let mut modules = self.modules.borrow_mut();
        if modules.len() >= MODULES || path.len() > DEPTH {
            let file = module.as_ref().map_or(ROOT, |module| &module.file);
            let message = format!("the API crate has too many modules, at `{file}`");
            return Err(Error::new(Code::ConversionNotGenerated, message)
                .hint("check for a module that contains itself"));
        }
        modules.insert(path.to_vec(), module.clone());
        Ok(module)
    }

    /// A module and all those in it that its own files list.
    pub(super) fn below(&self, path: &[String]) -> Result<Vec<Rc<Module>>> {
        let mut found = Vec::new();
        let mut waiting = vec![path.to_vec()];
        while let Some(path) = waiting.pop() {
            let Some(module) = self.module(&path)? else {
                continue;
            };
            for (name, meanings) in &module.names {
                if meanings
                    .iter()
                    .any(|named| matches!(named.what, What::Module(_)))
                {
                    waiting.push([&path[..], std::slice::from_ref(name)].concat());
                }
            }
            found.push(module);
        }
        Ok(found)
    }

    fn load(&self, path: &[String]) -> Result<Option<Module>> {
        let Some((name, parent)) = path.split_last() else {
            let text = (self.read)(ROOT)?.unwrap_or_default();
            let mut root = Module {
                file: ROOT.to_owned(),
                folder: folder_of(ROOT).to_owned(),
                ..Module::default()
            };
            fill(&mut root, text)?;
            return Ok(Some(root));
        };
        let Some(parent) = self.module(parent)? else {
            return Ok(None);
        };
        let meanings = parent.names.get(name).into_iter().flatten();
        let mut declared = meanings.filter_map(|meaning| match &meaning.what {
            What::Module(item) => Some(item.clone()),
            _ => None,
        });
        let item = declared.next();
        let is_expected = self.expected.iter().any(|expected| expected == path);
        if item.is_none() && !is_expected {
            return Ok(None);
        }
        let mut module = Module {
            path: path.to_vec(),
            folder: join(&parent.folder, name),
            ..Module::default()
        };
        let given = item.as_ref().and_then(|item| path_attribute(&item.attrs));
        let base = if parent.is_inline {
            &parent.folder
        } else {
            folder_of(&parent.file)
        };
        if let Some((_, items)) = item.and_then(|item| item.content.clone()) {
            module.is_inline = true;
            module.file.clone_from(&parent.file);
            if let Some(given) = given {
                module.folder = join(base, &given);
            }
            module.text = parent.text.clone();
            module.add(items);
            return Ok(Some(module));
        }
        let candidates = match given {
            Some(given) => vec![join(base, &given)],
            None => vec![
                format!("{}.rs", module.folder),
                format!("{}/mod.rs", module.folder),
            ],
        };
        let has_path = candidates.len() == 1;
        for file in candidates {
            if let Some(text) = (self.read)(&file)? {
                if has_path {
                    folder_of(&file).clone_into(&mut module.folder);
                }
                module.file = file;
                fill(&mut module, text)?;
                return Ok(Some(module));
            }
        }
        Ok(is_expected.then_some(module))
    }
}

/// Adds the items of a file.
fn fill(module: &mut Module, mut text: String) -> Result<()> {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    let file = parse(&module.file, &text)?;
    module.text = text.into();
    module.add(file.items);
    Ok(())
}

/// The file of a module that has `#[path = "…"]`.
fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    let mut of_path = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("path"));
    match &of_path.next()?.meta {
        syn::Meta::NameValue(pair) => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path in a folder, without `.` and `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A name as Rust writes it: a keyword needs `r#`.
pub(super) fn written(name: &str) -> String {
    let is_keyword = syn::parse_str::<syn::Ident>(name).is_err();
    let starts_so = name.starts_with(|c: char| c.is_alphabetic());
    if is_keyword && starts_so && !matches!(name, "self" | "Self" | "super" | "crate") {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}
