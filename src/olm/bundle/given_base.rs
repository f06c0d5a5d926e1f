//! Where the base of a bundle comes from: its file, the kustomization that lists it, or a template.

use serde_json::{Map, Value};

use crate::disk::View;
use crate::error::Result;
use crate::olm::read::Document;
use crate::olm::validate::unknown_fields;
use crate::plan::Tree;

use super::{Made, RENDERED, Request, base, renamed};

/// Reads the base. A file that exists is not generated from its template.
///
/// # Errors
/// It is not YAML, or a field of it is of another type than OLM reads.
pub(super) fn read(
    view: &View,
    request: &Request<'_>,
    templated: &mut Tree,
    made: &mut Made,
) -> Result<Map<String, Value>> {
    let path = base(request.package());
    let rendered = request.parts.base.as_ref();
    let written = match view.read_own(&path)? {
        Some(text) => Some(text),
        // Then the kustomization lists a file of another name.
        None if rendered.is_some() => None,
        None => renamed::base(view, request.package(), made)?,
    };
    let template = templated.get(&path).map(|file| file.text().to_owned());
    if written.is_some() || rendered.is_some() {
        templated.retain(|file| file.path() != path);
    }
    let given = match written.or(template.filter(|_| rendered.is_none())) {
        Some(text) => {
            let document = Document::read(&path, &text, &mut Vec::new());
            made.unknown_fields = document.map_or_else(Vec::new, |it| unknown_fields(&it.root()));
            base::parse(&text, &path)?
        }
        None => Map::new(),
    };
    match rendered.and_then(Value::as_object) {
        // kustomize sorts the fields: without a patch, they stay in the order of the file.
        Some(rendered) if *rendered != given => base::check(rendered.clone().into(), RENDERED),
        _ => Ok(given),
    }
}
