//! A bundle that is in the catalog already stays as it was published.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::{Code, Error, Result};

use super::super::blob::{self, Blob};
use super::super::render::Rendered;

/// Compares a bundle with the one of its name in the catalog.
///
/// # Errors
/// They differ: the message says in what.
pub(super) fn check(known: &Blob, bundle: &Rendered) -> Result<()> {
    let mut differing = Vec::new();
    let (old, new) = (known.value(), &bundle.blob);
    let images = [old, new].map(|blob| match blob::text(blob, "image") {
        "" => "not set".to_owned(),
        image => format!("`{image}`"),
    });
    let [there, here] = &images;
    if there != here {
        differing.push(format!("`image` is {there} there and {here} here"));
    }
    for (field, key) in [("properties", "type"), ("relatedImages", "image")] {
        let (old, new) = (items(old, field), items(new, field));
        let names: BTreeSet<_> = old
            .symmetric_difference(&new)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            differing.push(format!("`{field}` differ in the {key} {names}"));
        }
    }
    if differing.is_empty() {
        return Ok(());
    }
    let line = known.place("/name").line;
    Err(Error::new(
        Code::AlreadyExists,
        format!(
            "the bundle `{}` is in the catalog already ({}:{line}), and differs:\n{}",
            bundle.name,
            known.file,
            differing.join("\n")
        ),
    )
    .hint(
        "a published version does not change: raise the version; if nobody has it yet, remove its \
        `olm.bundle` first",
    ))
}

/// The items of a list by what names them, as text.
fn items(blob: &Value, field: &str) -> BTreeSet<(String, String)> {
    let key = match field {
        "properties" => "type",
        _ => "image",
    };
    let items = blob[field].as_array().into_iter().flatten().map(|item| {
        let mut sorted = item.clone();
        sorted.sort_all_objects();
        (blob::text(item, key).to_owned(), sorted.to_string())
    });
    items.collect()
}
