//! Which types have a default.

use syn::Type;

use crate::error::Result;

use super::definition::{Definitions, Field, Shape, Style};
use super::module::Module;
use super::scope::Resolution;
use super::ty::Ty;

/// Types of the language and its library that have a default, whatever they are applied to.
const ALWAYS: [&str; 29] = [
    "Option",
    "String",
    "Vec",
    "bool",
    "char",
    "f32",
    "f64",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "serde_json::Map",
    "serde_json::Value",
    "std::borrow::Cow",
    "std::collections::BTreeMap",
    "std::collections::BTreeSet",
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::collections::LinkedList",
    "std::collections::VecDeque",
    "std::time::Duration",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
];

/// Types of Kubernetes without one.
const NEVER: [&str; 4] = ["Condition", "MicroTime", "Patch", "Time"];

impl Definitions<'_> {
    /// Whether a type has a default, as far as that is known.
    pub(super) fn has_default(&self, ty: &Ty) -> Result<bool> {
        Ok(match ty {
            Ty::Outer(name, arguments) => match name.as_str() {
                "Box" => self.have_defaults(arguments)?,
                name if ALWAYS.contains(&name) => true,
                name => {
                    let (krate, last) = (name.split("::").next(), name.rsplit("::").next());
                    matches!(krate, Some("k8s_openapi" | "kube"))
                        && !last.is_some_and(|last| NEVER.contains(&last))
                }
            },
            Ty::Own(path, arguments) => match self.get(ty)? {
                Some(definition) if definition.has_default => self.have_defaults(arguments)?,
                Some(_) => self.is_given_default(path)?,
                None => false,
            },
            Ty::Tuple(items) => items.len() <= 12 && self.have_defaults(items)?,
            Ty::Array(item, length) => {
                length.parse().is_ok_and(|length: usize| length <= 32) && self.has_default(item)?
            }
            Ty::Reference(_, to) => matches!(to.outer(), Some(("str", _))),
            Ty::Value(_) => true,
            Ty::Unknown(..) => false,
        })
    }

    fn have_defaults(&self, types: &[Ty]) -> Result<bool> {
        for ty in types {
            if !self.has_default(ty)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether `Default` is written for a type, near it.
    fn is_given_default(&self, path: &[String]) -> Result<bool> {
        let module = &path[..path.len() - 1];
        let around = &module[..module.len().saturating_sub(1)];
        let mut near = self.krate.below(module)?;
        near.extend(self.krate.module(around)?);
        for module in near {
            if self.gives_default(&module, path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn gives_default(&self, module: &Module, item: &[String]) -> Result<bool> {
        for written in &module.impls {
            let of_trait = written
                .trait_
                .as_ref()
                .and_then(|(path, _)| path.segments.last());
            let Type::Path(type_) = &*written.self_ty else {
                continue;
            };
            if of_trait.is_none_or(|last| last.ident != "Default") {
                continue;
            }
            let path: Vec<_> = type_
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            if self.krate.resolve(&module.path, &path)? == Resolution::Item(item.to_vec()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The only part of a type with one numbered field.
    pub(super) fn newtype(&self, ty: &Ty) -> Result<Option<Field>> {
        let definition = self.get(ty)?;
        Ok(
            match definition.as_ref().map(|definition| &definition.shape) {
                Some(Shape::Struct(fields)) if fields.style == Style::Numbered => {
                    match &fields.list[..] {
                        [field] => Some(field.clone()),
                        _ => None,
                    }
                }
                _ => None,
            },
        )
    }
}
