//! The types of the API crate, with the types of what they contain.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use syn::ext::IdentExt as _;
use syn::{Attribute, Generics};

use crate::error::Result;

use super::krate::Crate;
use super::module::{Module, Path, Visibility, What, conditions};
use super::parse::parse_type;
use super::serde_name::Serde;
use super::ty::Ty;
use super::types::Scope;

/// A type of the API crate, applied to its arguments.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) path: Path,
    pub(super) file: String,
    /// The conditions that it is compiled under.
    pub(super) cfg: Vec<String>,
    /// Where it is among the items of its module.
    pub(super) position: usize,
    pub(super) shape: Shape,
    /// Whether `Default` is derived.
    pub(super) has_default: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Struct(Fields),
    Enum(Vec<Variant>),
    /// What kube's derive makes: its specification, and its status.
    Root(Box<Ty>, Option<Ty>),
}

/// The fields of a struct or a variant.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) style: Style,
    pub(super) list: Vec<Field>,
}

/// How fields are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Named,
    Numbered,
    Unit,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its name in Rust, or its number.
    pub(super) name: String,
    /// Its name in objects.
    pub(super) json: String,
    /// Whether its own fields are among those around it.
    pub(super) is_flat: bool,
    /// The function named by `#[serde(default = "…")]`, which returns the value of a missing field.
    pub(super) default: Option<String>,
    pub(super) ty: Ty,
    pub(super) visibility: Visibility,
    pub(super) cfg: Vec<String>,
    /// The line of its name. 0 if it has none.
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Variant {
    /// Its name in Rust.
    pub(super) name: String,
    /// Its name in objects.
    pub(super) json: String,
    pub(super) fields: Fields,
    pub(super) cfg: Vec<String>,
    /// Whether it is the default of the enum.
    pub(super) is_default: bool,
}

/// The types of the API crate.
pub(super) struct Definitions<'a> {
    pub(super) krate: &'a Crate<'a>,
    known: RefCell<BTreeMap<Ty, Option<Rc<Definition>>>>,
}

impl<'a> Definitions<'a> {
    /// Those of a crate.
    pub(super) fn new(krate: &'a Crate<'a>) -> Self {
        let known = RefCell::default();
        Self { krate, known }
    }

    /// A type of the crate, applied to its arguments.
    pub(super) fn get(&self, ty: &Ty) -> Result<Option<Rc<Definition>>> {
        if let Some(known) = self.known.borrow().get(ty) {
            return Ok(known.clone());
        }
        let definition = self.read(ty)?.map(Rc::new);
        self.known
            .borrow_mut()
            .insert(ty.clone(), definition.clone());
        Ok(definition)
    }

    fn read(&self, ty: &Ty) -> Result<Option<Definition>> {
        let Ty::Own(path, arguments) = ty else {
            return Ok(None);
        };
        let Some((_, module_path)) = path.split_last() else {
            return Ok(None);
        };
        let Some(module) = self.krate.module(module_path)? else {
            return Ok(None);
        };
        let meanings = self.krate.meanings(path)?;
        let meaning = meanings
            .into_iter()
            .find(|item| matches!(item.what, What::Struct(_) | What::Enum(_) | What::Root(_)));
        let Some(meaning) = meaning else {
            return Ok(None);
        };
        let reader = Reader {
            krate: self.krate,
            module: &module,
            ty,
        };
        let (shape, attributes) = match &meaning.what {
            What::Struct(item) => {
                let scope = reader.scope(&item.generics, arguments)?;
                let serde = Serde::of(&item.attrs);
                let fields = reader.fields(&scope, &item.fields, &serde, None)?;
                (Shape::Struct(fields), &item.attrs)
            }
            What::Enum(item) => {
                let scope = reader.scope(&item.generics, arguments)?;
                (Shape::Enum(reader.variants(&scope, item)?), &item.attrs)
            }
            What::Root(root) => {
                let spec = [module_path, std::slice::from_ref(&root.spec)].concat();
                let scope = reader.scope(&root.item.generics, &[])?;
                let status = root.status.as_ref().map(|status| match parse_type(status) {
                    Some(status) => self.krate.meant(&scope, &status),
                    None => Ok(Ty::Unknown(status.clone(), "it is not a type".to_owned())),
                });
                let shape = Shape::Root(Box::new(Ty::Own(spec, Vec::new())), status.transpose()?);
                (shape, &root.item.attrs)
            }
            _ => return Ok(None),
        };
        Ok(Some(Definition {
            path: path.clone(),
            file: module.file.clone(),
            cfg: meaning.cfg.clone(),
            position: meaning.position,
            shape,
            has_default: derives(attributes, "Default"),
        }))
    }
}

/// Reads an item.
struct Reader<'a> {
    krate: &'a Crate<'a>,
    module: &'a Module,
    ty: &'a Ty,
}

impl Reader<'_> {
    fn scope(&self, generics: &Generics, arguments: &[Ty]) -> Result<Scope> {
        let mut scope = Scope::of(self.krate, &self.module.path, generics, arguments, 0)?;
        scope.own = Some(self.ty.clone());
        Ok(scope)
    }

    /// Fields, of which serde is told something. Those of a variant are visible where `everywhere` says so.
    fn fields(
        &self,
        scope: &Scope,
        fields: &syn::Fields,
        serde: &Serde,
        everywhere: Option<&Visibility>,
    ) -> Result<Fields> {
        let style = match fields {
            syn::Fields::Named(_) => Style::Named,
            syn::Fields::Unnamed(_) => Style::Numbered,
            syn::Fields::Unit => Style::Unit,
        };
        let list = fields
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let own = Serde::of(&field.attrs);
                let ident = field.ident.as_ref().map(|ident| ident.unraw().to_string());
                let name = ident.unwrap_or_else(|| index.to_string());
                self.krate.begin();
                let visibility = everywhere.cloned();
                let written = || Visibility::of(&field.vis, &self.module.path);
                Ok(Field {
                    json: serde.field(&own, &name),
                    name,
                    is_flat: own.is_flat,
                    default: own.default,
                    ty: self.krate.meant(scope, &field.ty)?,
                    visibility: visibility.unwrap_or_else(written),
                    cfg: conditions(&field.attrs, &self.module.text),
                    line: field
                        .ident
                        .as_ref()
                        .map_or(0, |ident| ident.span().start().line),
                })
            })
            .collect::<Result<_>>()?;
        Ok(Fields { style, list })
    }

    fn variants(&self, scope: &Scope, item: &syn::ItemEnum) -> Result<Vec<Variant>> {
        let serde = Serde::of(&item.attrs);
        let variants = item.variants.iter().map(|variant| {
            let own = Serde::of(&variant.attrs);
            let name = variant.ident.unraw().to_string();
            let of_fields = serde.in_variant(&own);
            let visibility = Some(&Visibility::Public);
            Ok(Variant {
                json: serde.variant(&own, &name),
                name,
                fields: self.fields(scope, &variant.fields, &of_fields, visibility)?,
                cfg: conditions(&variant.attrs, &self.module.text),
                is_default: variant
                    .attrs
                    .iter()
                    .any(|attribute| attribute.path().is_ident("default")),
            })
        });
        variants.collect()
    }
}

/// Whether a trait is derived.
fn derives(attributes: &[Attribute], name: &str) -> bool {
    let mut of_derive = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"));
    of_derive.any(|attribute| {
        let mut is_derived = false;
        // What it cannot read is not for it.
        let _ = attribute.parse_nested_meta(|meta| {
            let last = meta.path.segments.last();
            is_derived |= last.is_some_and(|segment| segment.ident == name);
            Ok(())
        });
        is_derived
    })
}
