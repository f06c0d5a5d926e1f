//! From types as they are written to types as they are meant.

use std::collections::BTreeMap;

use syn::ext::IdentExt as _;
use syn::{Expr, GenericArgument, GenericParam, Generics, Lit, PathArguments, Type};

use crate::error::Result;

use super::krate::Crate;
use super::module::{Named, Path, What};
use super::scope::Resolution;
use super::ty::Ty;

/// How many aliases lead to each other at the most.
const ALIASES: usize = 32;

/// Where a type is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) module: Path,
    /// What the parameters stand for.
    pub(super) parameters: BTreeMap<String, Ty>,
    /// What `Self` is.
    pub(super) own: Option<Ty>,
    /// How many aliases are on the way here.
    pub(super) depth: usize,
}

impl Scope {
    /// The scope of what an item with parameters contains, for the arguments that it has.
    pub(super) fn of(
        krate: &Crate<'_>,
        module: &[String],
        generics: &Generics,
        arguments: &[Ty],
        depth: usize,
    ) -> Result<Self> {
        let mut scope = Self {
            module: module.to_vec(),
            depth,
            ..Self::default()
        };
        let mut given = arguments.iter();
        for parameter in &generics.params {
            let (name, usual) = match parameter {
                GenericParam::Lifetime(parameter) => (
                    parameter.lifetime.to_string(),
                    Some(Ty::Value("'static".to_owned())),
                ),
                GenericParam::Type(parameter) => {
                    let usual = parameter
                        .default
                        .as_ref()
                        .map(|(_, usual)| krate.meant(&scope, usual));
                    (parameter.ident.unraw().to_string(), usual.transpose()?)
                }
                GenericParam::Const(parameter) => {
                    let usual = parameter
                        .default
                        .as_ref()
                        .map(|(_, usual)| krate.length(&scope, usual))
                        .transpose()?
                        .map(|value| match value {
                            Ok(value) => Ty::Value(value),
                            Err(why) => Ty::Unknown("_".to_owned(), why),
                        });
                    (parameter.ident.unraw().to_string(), usual)
                }
            };
            let is_lifetime = matches!(parameter, GenericParam::Lifetime(_));
            let mut peeked = given.clone();
            let next = peeked.next();
            let is_value = |ty: &Ty| matches!(ty, Ty::Value(text) if text.starts_with('\''));
            let argument = match next {
                Some(next) if is_value(next) == is_lifetime => {
                    given = peeked;
                    Some(next.clone())
                }
                _ => usual,
            };
            let missing = || Ty::Unknown(name.clone(), format!("`{name}` is not set"));
            scope
                .parameters
                .insert(name.clone(), argument.unwrap_or_else(missing));
        }
        Ok(scope)
    }
}

impl Crate<'_> {
    /// What a type means where it is written.
    pub(super) fn meant(&self, scope: &Scope, type_: &Type) -> Result<Ty> {
        if !self.steps() {
            return Ok(unknown("…", "it is too large"));
        }
        Ok(match type_ {
            Type::Path(path) if path.qself.is_none() => self.path(scope, &path.path)?,
            Type::Path(_) => unknown("<… as …>", "associated types are not followed"),
            Type::Group(group) => self.meant(scope, &group.elem)?,
            Type::Paren(inner) => self.meant(scope, &inner.elem)?,
            Type::Tuple(tuple) => {
                let items = tuple.elems.iter().map(|item| self.meant(scope, item));
                Ty::Tuple(items.collect::<Result<_>>()?)
            }
            Type::Array(array) => {
                let item = self.meant(scope, &array.elem)?;
                match self.length(scope, &array.len)? {
                    Ok(length) => Ty::Array(Box::new(item), length),
                    Err(why) => unknown(&format!("[{item}; _]"), &why),
                }
            }
            Type::Reference(reference) if reference.mutability.is_none() => {
                let lifetime = reference
                    .lifetime
                    .as_ref()
                    .map_or_else(String::new, |lifetime| format!("{lifetime} "));
                Ty::Reference(lifetime, Box::new(self.meant(scope, &reference.elem)?))
            }
            Type::Macro(macro_) => {
                let name = macro_
                    .mac
                    .path
                    .segments
                    .last()
                    .map_or_else(String::new, |segment| segment.ident.to_string());
                unknown(
                    &format!("{name}!(…)"),
                    &format!("the macro `{name}!` is not expanded"),
                )
            }
            Type::TraitObject(_) => unknown("dyn …", "trait objects are not followed"),
            Type::ImplTrait(_) => unknown("impl …", "`impl` is not a field type"),
            Type::FnPtr(_) => unknown("fn(…)", "functions cannot be converted"),
            Type::Slice(_) => unknown("[…]", "slices have no known size"),
            _ => unknown("…", "this kind of type is not understood"),
        })
    }

    fn path(&self, scope: &Scope, path: &syn::Path) -> Result<Ty> {
        let mut parts: Path = match path.leading_colon {
            Some(_) => vec![String::new()],
            None => Path::new(),
        };
        parts.extend(
            path.segments
                .iter()
                .map(|segment| segment.ident.unraw().to_string()),
        );
        let Some(last) = path.segments.last() else {
            return Ok(unknown("…", "it has no name"));
        };
        match &parts[..] {
            [name] if name == "Self" => {
                let own = scope.own.clone();
                return Ok(own.unwrap_or_else(|| unknown("Self", "it has no `Self`")));
            }
            [name] if scope.parameters.contains_key(name) => {
                return Ok(scope.parameters[name].clone());
            }
            [first, _, ..] if first == "Self" || scope.parameters.contains_key(first) => {
                return Ok(unknown(
                    &parts.join("::"),
                    "associated types are not followed",
                ));
            }
            _ => {}
        }
        let arguments = match &last.arguments {
            PathArguments::None => Vec::new(),
            PathArguments::AngleBracketed(list) => {
                let arguments = list
                    .args
                    .iter()
                    .map(|argument| self.argument(scope, argument));
                arguments.collect::<Result<_>>()?
            }
            PathArguments::Parenthesized(_) => {
                return Ok(unknown(&parts.join("::"), "functions cannot be converted"));
            }
        };
        match self.resolve(&scope.module, &parts)? {
            Resolution::Item(item) => self.item(scope, &item, arguments),
            Resolution::Outer(name) => Ok(Ty::Outer(name, arguments)),
            Resolution::Module(_) => Ok(unknown(&parts.join("::"), "it is a module")),
            Resolution::Unknown(why) => Ok(unknown(&parts.join("::"), &why)),
        }
    }

    /// An item, applied to arguments. Aliases are followed.
    fn item(&self, scope: &Scope, path: &[String], arguments: Vec<Ty>) -> Result<Ty> {
        let Some((name, module)) = path.split_last() else {
            return Ok(unknown("crate", "it is a module"));
        };
        let meanings = self.meanings(path)?;
        let types: Vec<_> = meanings
            .iter()
            .filter(|meaning| {
                !matches!(
                    meaning.what,
                    What::Module(_) | What::Import(_) | What::Const(_)
                )
            })
            .collect();
        let [meaning] = &types[..] else {
            let why = if types.is_empty() {
                format!("`{name}` is not a type")
            } else {
                format!("`{name}` has several definitions, under conditions")
            };
            return Ok(unknown(name, &why));
        };
        let generics = match &meaning.what {
            What::Alias(alias) => {
                if scope.depth >= ALIASES {
                    return Ok(unknown(name, "its alias refers to itself"));
                }
                let depth = scope.depth + 1;
                let inner = Scope::of(self, module, &alias.generics, &arguments, depth)?;
                return self.meant(&inner, &alias.ty);
            }
            What::Other(what) => {
                return Ok(unknown(name, &format!("`{name}` is {what}")));
            }
            What::Struct(item) => &item.generics,
            What::Enum(item) => &item.generics,
            _ => return Ok(Ty::Own(path.to_vec(), Vec::new())),
        };
        let inner = Scope::of(self, module, generics, &arguments, scope.depth)?;
        let all = generics.params.iter().map(|parameter| {
            let name = match parameter {
                GenericParam::Lifetime(param) => param.lifetime.to_string(),
                GenericParam::Type(param) => param.ident.unraw().to_string(),
                GenericParam::Const(param) => param.ident.unraw().to_string(),
            };
            inner.parameters[&name].clone()
        });
        Ok(Ty::Own(path.to_vec(), all.collect()))
    }

    /// What the name of an item means in its module.
    pub(super) fn meanings(&self, path: &[String]) -> Result<Vec<Named>> {
        let Some((name, module)) = path.split_last() else {
            return Ok(Vec::new());
        };
        let module = self.module(module)?;
        let meanings = module.and_then(|module| module.names.get(name).cloned());
        Ok(meanings.unwrap_or_default())
    }

    fn argument(&self, scope: &Scope, argument: &GenericArgument) -> Result<Ty> {
        Ok(match argument {
            GenericArgument::Lifetime(lifetime) => Ty::Value(lifetime.to_string()),
            GenericArgument::Type(type_) => {
                // A constant is written as a type is.
                if let Type::Path(path) = type_
                    && let Some(value) = self.constant(scope, &path.path)?
                {
                    return Ok(Ty::Value(value));
                }
                self.meant(scope, type_)?
            }
            GenericArgument::Const(value) => match self.length(scope, value)? {
                Ok(value) => Ty::Value(value),
                Err(why) => unknown("_", &why),
            },
            _ => unknown("_", "bounds of arguments are not followed"),
        })
    }

    /// The value of a constant that is written as a number or as another one's name, or why it is not known.
    fn length(&self, scope: &Scope, value: &Expr) -> Result<Result<String, String>> {
        Ok(match value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => Ok(number.base10_digits().to_owned()),
                Lit::Bool(value) => Ok(value.value.to_string()),
                Lit::Char(value) => Ok(format!("{:?}", value.value())),
                _ => Err("a constant is not a number".to_owned()),
            },
            Expr::Path(path) => {
                let value = self.constant(scope, &path.path)?;
                value.ok_or_else(|| "a constant is not known".to_owned())
            }
            Expr::Group(inner) => self.length(scope, &inner.expr)?,
            Expr::Paren(inner) => self.length(scope, &inner.expr)?,
            Expr::Block(block) => match &block.block.stmts[..] {
                [syn::Stmt::Expr(inner, None)] => self.length(scope, inner)?,
                _ => Err("a constant is computed".to_owned()),
            },
            _ => Err("a constant is computed".to_owned()),
        })
    }

    /// The value of a constant of a name.
    fn constant(&self, scope: &Scope, path: &syn::Path) -> Result<Option<String>> {
        let parts: Path = path
            .segments
            .iter()
            .map(|segment| segment.ident.unraw().to_string())
            .collect();
        if let [name] = &parts[..]
            && let Some(Ty::Value(value)) = scope.parameters.get(name)
        {
            return Ok(Some(value.clone()));
        }
        if scope.depth >= ALIASES {
            return Ok(None);
        }
        let Resolution::Item(item) = self.resolve(&scope.module, &parts)? else {
            return Ok(None);
        };
        let meanings = self.meanings(&item)?;
        let [meaning] = &meanings[..] else {
            return Ok(None);
        };
        let What::Const(constant) = &meaning.what else {
            return Ok(None);
        };
        let inner = Scope {
            module: item[..item.len() - 1].to_vec(),
            depth: scope.depth + 1,
            ..Scope::default()
        };
        Ok(self.length(&inner, &constant.expr)?.ok())
    }
}

fn unknown(text: &str, why: &str) -> Ty {
    Ty::Unknown(text.to_owned(), why.to_owned())
}
