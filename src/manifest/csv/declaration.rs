//! What a marker says.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::KindMarkers;
use crate::manifest::marker::{Diagnostic, Nested, NestedArgument, unknown_key};
use crate::project::name::Version;

/// A kind of objects that a console shows beside an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) version: String,
}

/// How a field is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub(crate) path: String,
    pub(crate) display_name: Option<String>,
    pub(crate) x_descriptors: Vec<String>,
    pub(crate) order: Option<u32>,
}

/// A marker above a type.
#[derive(Clone, Debug, Default)]
pub(super) struct OnType {
    display_name: Option<String>,
    resources: Vec<Resource>,
    order: Option<u32>,
}

/// A marker above a field.
#[derive(Clone, Debug, Default)]
pub(super) struct OnField {
    pub(super) is_status: bool,
    display_name: Option<String>,
    x_descriptors: Vec<String>,
    order: Option<u32>,
}

impl OnType {
    pub(super) fn read(arguments: Vec<NestedArgument<'_>>) -> Result<Self, Vec<Diagnostic>> {
        let mut this = Self::default();
        read(arguments, |key, value| {
            match key {
                "displayName" => this.display_name = Some(text(key, value)?),
                "order" => this.order = Some(order(value)?),
                "resources" => this.resources = resources(value)?,
                "type" | "xDescriptors" => {
                    let message = format!("`{key}` is for fields, and this marker is above a type");
                    return Err(Diagnostic::new(message).hint("move the marker above a field"));
                }
                _ => {
                    return Err(unknown_key(
                        key,
                        None,
                        &["displayName", "resources", "order"],
                    ));
                }
            }
            Ok(())
        })?;
        Ok(this)
    }

    /// Adds it to those before it.
    pub(super) fn add_to(self, markers: &mut KindMarkers) -> Result<(), Vec<Diagnostic>> {
        let set_twice = |key: &str| {
            let message = format!("`{key}` is set by another marker above this type");
            Err(vec![Diagnostic::new(message).hint("remove one of them")])
        };
        if self.display_name.is_some() && markers.display_name.is_some() {
            return set_twice("displayName");
        }
        if self.order.is_some() && markers.order.is_some() {
            return set_twice("order");
        }
        markers.display_name = self.display_name.or(markers.display_name.take());
        markers.order = self.order.or(markers.order);
        markers.resources.extend(self.resources);
        markers.resources.sort_by_cached_key(|it| {
            let version = it.version.parse::<Version>().ok();
            (it.name.clone(), it.kind.clone(), Reverse(version))
        });
        markers.resources.dedup();
        Ok(())
    }
}

impl OnField {
    pub(super) fn read(arguments: Vec<NestedArgument<'_>>) -> Result<Self, Vec<Diagnostic>> {
        let mut this = Self::default();
        let mut has_type = false;
        read(arguments, |key, value| {
            match key {
                "type" => {
                    has_type = true;
                    this.is_status = match text(key, value)?.as_str() {
                        "spec" => false,
                        "status" => true,
                        other => {
                            let message = format!("unknown type `{other}`");
                            let hint = "write `type=spec` or `type=status`";
                            return Err(Diagnostic::new(message).hint(hint));
                        }
                    };
                }
                "displayName" => this.display_name = Some(text(key, value)?),
                "xDescriptors" => this.x_descriptors = texts(key, value)?,
                "order" => this.order = Some(order(value)?),
                "resources" => {
                    let message = "`resources` is for types, and this marker is above none";
                    let hint = "move the marker above the struct with `#[kube(…)]`";
                    return Err(Diagnostic::new(message).hint(hint));
                }
                _ => {
                    let keys = ["type", "displayName", "xDescriptors", "order"];
                    return Err(unknown_key(key, None, &keys));
                }
            }
            Ok(())
        })?;
        if has_type {
            return Ok(this);
        }
        Err(vec![
            Diagnostic::new("the marker has no `type`").hint("write `type=spec` or `type=status`"),
        ])
    }

    pub(super) fn descriptor(&self, path: &str) -> Descriptor {
        Descriptor {
            path: path.to_owned(),
            display_name: self.display_name.clone(),
            x_descriptors: self.x_descriptors.clone(),
            order: self.order,
        }
    }
}

/// Gives each argument to `set`, and returns all that is wrong.
fn read<'a>(
    arguments: Vec<NestedArgument<'a>>,
    mut set: impl FnMut(&str, Nested<'a>) -> Result<(), Diagnostic>,
) -> Result<(), Vec<Diagnostic>> {
    let mut seen = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for (key, value) in arguments {
        if !seen.insert(key) {
            let diagnostic = Diagnostic::new(format!("duplicate key `{key}`"));
            diagnostics.push(diagnostic.hint("remove one of them"));
        } else if is_empty(&value) {
            let diagnostic = Diagnostic::new(format!("`{key}` is empty"));
            diagnostics.push(diagnostic.hint("give it a value, or remove it"));
        } else if let Err(diagnostic) = set(key, value) {
            diagnostics.push(diagnostic);
        }
    }
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics)
    }
}

fn is_empty(value: &Nested<'_>) -> bool {
    match value {
        Nested::Word(word) => word.trim().is_empty(),
        Nested::List(items) => items.is_empty(),
    }
}

fn text(key: &str, value: Nested<'_>) -> Result<String, Diagnostic> {
    match value {
        Nested::Word(word) if !word.trim().is_empty() => Ok(word.to_owned()),
        _ => {
            Err(Diagnostic::new(format!("`{key}` takes one text"))
                .hint(format!("write `{key}=\"…\"`")))
        }
    }
}

fn texts(key: &str, value: Nested<'_>) -> Result<Vec<String>, Diagnostic> {
    let items = match value {
        Nested::List(items) => items,
        word @ Nested::Word(_) => vec![word],
    };
    let texts = items.into_iter().map(|item| text(key, item));
    texts.collect::<Result<_, _>>().map_err(|diagnostic| {
        diagnostic.hint(format!("write `{key}=\"…\"` or `{key}={{\"…\",\"…\"}}`"))
    })
}

fn order(value: Nested<'_>) -> Result<u32, Diagnostic> {
    text("order", value)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| {
            Diagnostic::new("`order` is not a whole number").hint("write for example `order=1`")
        })
}

fn resources(value: Nested<'_>) -> Result<Vec<Resource>, Diagnostic> {
    let wrong = || {
        Diagnostic::new("`resources` is not a list of kinds")
            .hint("write `resources={{Deployment,v1,\"\"},{Service,v1,\"\"}}`")
    };
    let Nested::List(items) = value else {
        return Err(wrong());
    };
    let resource = |item: Nested<'_>| {
        let Nested::List(words) = item else {
            return None;
        };
        let words: Vec<_> = words
            .into_iter()
            .map(|word| match word {
                Nested::Word(word) => Some(word.to_owned()),
                Nested::List(_) => None,
            })
            .collect::<Option<_>>()?;
        let [kind, version, name @ ..] = &words[..] else {
            return None;
        };
        let is_complete = !kind.is_empty() && !version.is_empty() && name.len() < 2;
        is_complete.then(|| Resource {
            name: name.concat(),
            kind: kind.clone(),
            version: version.clone(),
        })
    };
    let resources: Option<Vec<_>> = items.into_iter().map(resource).collect();
    resources.ok_or_else(wrong)
}
