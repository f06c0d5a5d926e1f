//! Conversions that somebody wrote beside the types.

use std::collections::BTreeSet;

use syn::{GenericArgument, PathArguments, Type};

use crate::error::Result;

use super::krate::Crate;
use super::module::{Module, Path};
use super::ty::Ty;
use super::types::Scope;

/// The `From` of modules and those in them, each from what and for what.
pub(super) fn conversions(krate: &Crate<'_>, modules: &[Path]) -> Result<BTreeSet<(Ty, Ty)>> {
    let mut found = BTreeSet::new();
    for module in modules {
        for module in krate.below(module)? {
            of_module(krate, &module, &mut found)?;
        }
    }
    Ok(found)
}

fn of_module(krate: &Crate<'_>, module: &Module, found: &mut BTreeSet<(Ty, Ty)>) -> Result<()> {
    let scope = Scope {
        module: module.path.clone(),
        ..Scope::default()
    };
    for written in &module.impls {
        let last = written
            .trait_
            .as_ref()
            .and_then(|(path, _)| path.segments.last());
        if let Some(from) = last.filter(|last| last.ident == "From").and_then(argument) {
            krate.begin();
            let pair = (
                krate.meant(&scope, from)?,
                krate.meant(&scope, &written.self_ty)?,
            );
            found.insert(pair);
        }
    }
    Ok(())
}

/// What a trait is applied to.
fn argument(segment: &syn::PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else {
        return None;
    };
    match list.args.first()? {
        GenericArgument::Type(type_) => Some(type_),
        _ => None,
    }
}
