//! A module of the API crate, and the names in it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use syn::ext::IdentExt as _;
use syn::{Attribute, Item, ItemConst, ItemEnum, ItemMod, ItemStruct, ItemType, UseTree};

use super::root::Root;

/// The path of a module or an item, from the root of the crate.
pub(super) type Path = Vec<String>;

#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) path: Path,
    /// The file that it is written in.
    pub(super) file: String,
    /// The text of that file.
    pub(super) text: Rc<str>,
    /// The folder with the files of its modules.
    pub(super) folder: String,
    /// Whether it is written in the file of another one.
    pub(super) is_inline: bool,
    /// What each name means. A name has several meanings if `#[cfg]` chooses one.
    pub(super) names: BTreeMap<String, Vec<Named>>,
    /// Its functions, which are no types.
    pub(super) values: BTreeSet<String>,
    /// What it imports by `*`.
    pub(super) globs: Vec<(Path, Visibility)>,
    /// What its implementations of traits are for: the last part of the trait's path, with what it is applied to.
    pub(super) impls: Vec<Rc<syn::ItemImpl>>,
    /// A macro whose items are not known.
    pub(super) macro_: Option<String>,
}

/// What a name stands for in a module.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) what: What,
    pub(super) visibility: Visibility,
    /// The conditions that it is compiled under.
    pub(super) cfg: Vec<String>,
    /// Where it is among the items of the module.
    pub(super) position: usize,
}

/// What is named.
#[derive(Clone, Debug)]
pub(super) enum What {
    Struct(Rc<ItemStruct>),
    Enum(Rc<ItemEnum>),
    /// What kube's derive makes of a struct.
    Root(Rc<Root>),
    Alias(Rc<ItemType>),
    Const(Rc<ItemConst>),
    Module(Rc<ItemMod>),
    /// Something else, by its path. The first part is empty if it is a crate.
    Import(Path),
    /// What is not a type that can be converted, such as a union.
    Other(&'static str),
}

/// Where something is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    Public,
    /// In a module and below it.
    In(Path),
}

impl Visibility {
    /// What is written before an item of a module.
    pub(super) fn of(written: &syn::Visibility, module: &[String]) -> Self {
        match written {
            syn::Visibility::Public(_) => Self::Public,
            syn::Visibility::Restricted(restricted) => {
                let mut path = Path::new();
                for (index, segment) in restricted.path.segments.iter().enumerate() {
                    match &*segment.ident.to_string() {
                        "crate" => path.clear(),
                        "self" => path = module.to_vec(),
                        "super" => {
                            if index == 0 {
                                path = module.to_vec();
                            }
                            path.pop();
                        }
                        name => path.push(name.to_owned()),
                    }
                }
                Self::In(path)
            }
            syn::Visibility::Inherited => Self::In(module.to_vec()),
        }
    }

    /// Whether it is visible in a module.
    pub(super) fn reaches(&self, module: &[String]) -> bool {
        match self {
            Self::Public => true,
            Self::In(path) => module.starts_with(path),
        }
    }
}

impl Module {
    /// Adds the items that are written in it.
    pub(super) fn add(&mut self, items: Vec<Item>) {
        for (position, item) in items.into_iter().enumerate() {
            self.add_item(item, position);
        }
    }

    fn add_item(&mut self, item: Item, position: usize) {
        let (what, ident, visibility, attributes) = match item {
            Item::Struct(item) => {
                let item = Rc::new(item);
                let root = Root::of(&item);
                let name = item.ident.clone();
                if let Some(root) = root {
                    let root_name = root.name.clone();
                    let what = What::Root(Rc::new(root));
                    self.name(&root_name, what, &item.vis, &item.attrs, position);
                }
                let (vis, attrs) = (item.vis.clone(), item.attrs.clone());
                (What::Struct(item), name, vis, attrs)
            }
            Item::Enum(item) => {
                let (name, vis, attrs) = (item.ident.clone(), item.vis.clone(), item.attrs.clone());
                (What::Enum(Rc::new(item)), name, vis, attrs)
            }
            Item::Type(item) => {
                let (name, vis, attrs) = (item.ident.clone(), item.vis.clone(), item.attrs.clone());
                (What::Alias(Rc::new(item)), name, vis, attrs)
            }
            Item::Const(item) => {
                let (name, vis, attrs) = (item.ident.clone(), item.vis.clone(), item.attrs.clone());
                (What::Const(Rc::new(item)), name, vis, attrs)
            }
            Item::Mod(item) => {
                let (name, vis, attrs) = (item.ident.clone(), item.vis.clone(), item.attrs.clone());
                (What::Module(Rc::new(item)), name, vis, attrs)
            }
            Item::Union(item) => (What::Other("a union"), item.ident, item.vis, item.attrs),
            Item::Trait(item) => (What::Other("a trait"), item.ident, item.vis, item.attrs),
            Item::ExternCrate(item) => {
                let path = vec![String::new(), item.ident.unraw().to_string()];
                let name = item.rename.map_or(item.ident, |(_, name)| name);
                (What::Import(path), name, item.vis, item.attrs)
            }
            Item::Use(item) => {
                let mut path = Path::new();
                if item.leading_colon.is_some() {
                    path.push(String::new());
                }
                self.import(&item.tree, &path, &item, position);
                return;
            }
            Item::Fn(item) => {
                self.values.insert(item.sig.ident.unraw().to_string());
                return;
            }
            Item::Impl(item) => {
                if item.trait_.is_some() {
                    self.impls.push(Rc::new(item));
                }
                return;
            }
            Item::Macro(item) if item.ident.is_none() => {
                let last = item.mac.path.segments.last();
                self.macro_ = last.map(|segment| segment.ident.to_string());
                return;
            }
            _ => return,
        };
        self.name(
            &ident.unraw().to_string(),
            what,
            &visibility,
            &attributes,
            position,
        );
    }

    fn name(
        &mut self,
        name: &str,
        what: What,
        visibility: &syn::Visibility,
        attributes: &[Attribute],
        position: usize,
    ) {
        let cfg = conditions(attributes, &self.text);
        if cfg.iter().any(|condition| condition == "#[cfg(test)]") {
            return;
        }
        let named = Named {
            what,
            visibility: Visibility::of(visibility, &self.path),
            cfg,
            position,
        };
        self.names.entry(name.to_owned()).or_default().push(named);
    }

    fn import(&mut self, tree: &UseTree, path: &[String], item: &syn::ItemUse, position: usize) {
        let with = |ident: &syn::Ident| [path, &[ident.unraw().to_string()]].concat();
        match tree {
            UseTree::Path(tree) => self.import(&tree.tree, &with(&tree.ident), item, position),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path, item, position);
                }
            }
            UseTree::Glob(_) => {
                let visibility = Visibility::of(&item.vis, &self.path);
                self.globs.push((path.to_vec(), visibility));
            }
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = path.last() {
                    let what = What::Import(path.to_vec());
                    self.name(last, what, &item.vis, &item.attrs, position);
                }
            }
            UseTree::Name(name) => {
                let what = What::Import(with(&name.ident));
                let name = name.ident.unraw().to_string();
                self.name(&name, what, &item.vis, &item.attrs, position);
            }
            UseTree::Rename(rename) => {
                let path = if rename.ident == "self" {
                    path.to_vec()
                } else {
                    with(&rename.ident)
                };
                let name = rename.rename.unraw().to_string();
                self.name(&name, What::Import(path), &item.vis, &item.attrs, position);
            }
        }
    }
}

/// The `#[cfg(…)]` of an item or a field, as they are written.
pub(super) fn conditions(attributes: &[Attribute], text: &str) -> Vec<String> {
    let of_cfg = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    let written = of_cfg.filter_map(|attribute| {
        let start = attribute.pound_token.span.byte_range().start;
        let end = attribute.bracket_token.span.close().byte_range().end;
        let words: Vec<_> = text.get(start..end)?.split_whitespace().collect();
        Some(words.join(" "))
    });
    written.collect()
}
