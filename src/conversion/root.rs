//! What kube's derive makes of a specification.

use std::rc::Rc;

use syn::ext::IdentExt as _;
use syn::{ItemStruct, LitStr};

use super::attribute::skip_argument;

/// The type that kube's derive makes.
#[derive(Debug)]
pub(super) struct Root {
    /// What it is called in Rust.
    pub(super) name: String,
    /// What Kubernetes calls it.
    pub(super) kind: String,
    /// The name of the specification.
    pub(super) spec: String,
    /// The type of its status.
    pub(super) status: Option<String>,
    /// The specification.
    pub(super) item: Rc<ItemStruct>,
}

impl Root {
    /// What the derive makes of a struct, if it has one.
    pub(super) fn of(item: &Rc<ItemStruct>) -> Option<Self> {
        let (mut kind, mut name, mut status) = (None, None, None);
        for attribute in item
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("kube"))
        {
            // What it cannot read is not for it.
            let _ = attribute.parse_nested_meta(|meta| {
                let text = |value: syn::parse::ParseStream<'_>| value.parse::<LitStr>();
                match meta.path.get_ident().map(ToString::to_string).as_deref() {
                    Some("kind") => kind = Some(text(meta.value()?)?.value()),
                    Some("root" | "struct") => name = Some(text(meta.value()?)?.value()),
                    Some("status") => status = Some(text(meta.value()?)?.value()),
                    _ => skip_argument(&meta)?,
                }
                Ok(())
            });
        }
        let kind = kind?;
        Some(Self {
            name: name.unwrap_or_else(|| kind.clone()),
            kind,
            spec: item.ident.unraw().to_string(),
            status,
            item: item.clone(),
        })
    }
}
