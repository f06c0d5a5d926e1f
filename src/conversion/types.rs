//! The types of a version, as they are written.

use syn::{Attribute, Fields, Item, Type};

use crate::error::{Error, Result};

/// The types of a file.
#[derive(Debug)]
pub(super) struct Types {
    /// The type that kube's derive makes of the specification.
    pub(super) root: Declared,
    /// Those that are written there, in their order.
    declared: Vec<Declared>,
}

/// A type.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) enum Shape {
    Struct(Fields),
    Enum(Vec<(String, Fields)>),
    /// What kube's derive makes: whether it has a status.
    Root(bool),
}

/// What kube's derive is told.
#[derive(Default)]
struct Derive {
    kind: Option<String>,
    root: Option<String>,
    has_status: bool,
}

impl Types {
    /// Reads the types of a file. Those with parameters are left out.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let file = syn::parse_file(text).map_err(|error| {
            let place = error.span().start();
            let message = format!("line {}, column {}: {error}", place.line, place.column + 1);
            Error::new(message)
        })?;
        let (mut root, mut declared) = (None, Vec::new());
        for item in file.items {
            let (name, shape) = match item {
                Item::Struct(item) if item.generics.params.is_empty() => {
                    let derive = Derive::read(&item.attrs);
                    if let Some(name) = derive.root.or(derive.kind) {
                        let shape = Shape::Root(derive.has_status);
                        root = Some(Declared { name, shape });
                    }
                    (item.ident, Shape::Struct(item.fields))
                }
                Item::Enum(item) if item.generics.params.is_empty() => {
                    let variants = item.variants.into_iter();
                    let variants = variants.map(|one| (one.ident.to_string(), one.fields));
                    (item.ident, Shape::Enum(variants.collect()))
                }
                _ => continue,
            };
            let name = name.to_string();
            declared.push(Declared { name, shape });
        }
        let root = root.ok_or_else(|| {
            Error::new("no type has kube's derive, `#[kube(…, kind = …)]`")
                .hint("write the conversions by hand, as `From` both ways")
        })?;
        Ok(Self { root, declared })
    }

    /// The type of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Declared> {
        let mut all = std::iter::once(&self.root).chain(&self.declared);
        all.find(|one| one.name == name)
    }

    /// The names of all, the root's first.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let all = std::iter::once(&self.root).chain(&self.declared);
        all.map(|one| &*one.name)
    }
}

impl Derive {
    fn read(attributes: &[Attribute]) -> Self {
        let mut derive = Self::default();
        let of_kube = attributes.iter().filter(|one| one.path().is_ident("kube"));
        for attribute in of_kube {
            // What it cannot read is not for it.
            let _ = attribute.parse_nested_meta(|meta| {
                let text = |value: syn::parse::ParseStream<'_>| value.parse::<syn::LitStr>();
                match meta.path.get_ident().map(ToString::to_string).as_deref() {
                    Some("kind") => derive.kind = Some(text(meta.value()?)?.value()),
                    Some("root" | "struct") => derive.root = Some(text(meta.value()?)?.value()),
                    Some("status") => {
                        text(meta.value()?)?;
                        derive.has_status = true;
                    }
                    _ if meta.input.peek(syn::Token![=]) => {
                        meta.value()?.parse::<syn::Expr>()?;
                    }
                    _ if meta.input.peek(syn::token::Paren) => {
                        let inner;
                        syn::parenthesized!(inner in meta.input);
                        inner.parse::<proc_macro2::TokenStream>()?;
                    }
                    _ => {}
                }
                Ok(())
            });
        }
        derive
    }
}

/// The name of a type that is written without a path, and what it is applied to.
pub(super) fn applied(type_: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(path) = type_ else {
        return None;
    };
    let last = path.path.segments.last().filter(|_| path.qself.is_none())?;
    let arguments = match &last.arguments {
        syn::PathArguments::None => Vec::new(),
        syn::PathArguments::AngleBracketed(list) => {
            let types = list.args.iter().map(|argument| match argument {
                syn::GenericArgument::Type(type_) => Some(type_),
                _ => None,
            });
            types.collect::<Option<_>>()?
        }
        syn::PathArguments::Parenthesized(_) => return None,
    };
    Some((last.ident.to_string(), arguments))
}
