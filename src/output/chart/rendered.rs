//! The objects of a chart: those that kustomize gives with all components, each part with the components that it needs.

use serde_json::Value;

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::objects::{ObjectId, Objects, is_crd, is_policy};
use crate::project::layout::DEFAULT;

use super::combine::Combiner;
use super::components::{Component, Components, NAMESPACE_WORD, PREFIX_WORD};
use super::node::{NAMESPACE, Node, PREFIX};
use super::when::When;

/// The component without which nothing converts objects.
const WEBHOOK: &str = "config/webhook";

/// An object of a chart.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The object with all components.
    pub(super) value: Value,
    pub(super) when: When,
    pub(super) node: Node,
}

impl Object {
    pub(super) fn kind(&self) -> &str {
        self.value["kind"].as_str().unwrap_or_default()
    }

    /// The name, without the prefix.
    pub(super) fn name(&self) -> &str {
        without_prefix(&self.value["metadata"]["name"])
    }
}

/// A name, without the prefix.
pub(super) fn without_prefix(name: &Value) -> &str {
    let name = name.as_str().unwrap_or_default();
    match name.strip_prefix(PREFIX) {
        Some(rest) => rest.strip_prefix('-').unwrap_or(rest),
        None => name,
    }
}

/// Renders `config/default` with all components, and without each.
///
/// # Errors
/// The manifests cannot be rendered in memory.
pub(super) fn objects(view: &View, components: &Components) -> Result<Vec<Object>> {
    let all = &components.all;
    let mut variants = vec![render(view, components, |_| true)?];
    for left_out in all {
        let is_on = |component: &Component| component != left_out && !component.requires(left_out);
        let mut variant = render(view, components, is_on)?;
        if left_out.folder == WEBHOOK {
            variant.change(remove_conversion);
        }
        variants.push(variant);
    }
    let mut ids: Vec<ObjectId> = Vec::new();
    for object in variants.iter().flat_map(Objects::iter) {
        let id = ObjectId::of(object);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let switches: Vec<_> = all.iter().map(Component::switch).collect();
    let combiner = Combiner {
        switches: &switches,
    };
    let around: Vec<usize> = (0..variants.len()).collect();
    let mut objects = Vec::new();
    for id in ids {
        let values: Vec<(usize, &Value)> = variants
            .iter()
            .enumerate()
            .filter_map(|(number, variant)| {
                let object = variant.iter().find(|object| ObjectId::of(object) == id);
                object.map(|object| (number, object))
            })
            .collect();
        let Some((_, value)) = values.first() else {
            continue;
        };
        let members = combiner.member(&around, &values).into_iter();
        objects.extend(members.map(|(when, node)| Object {
            value: (*value).clone(),
            when,
            node,
        }));
    }
    Ok(objects)
}

fn render(
    view: &View,
    components: &Components,
    is_on: impl Fn(&Component) -> bool,
) -> Result<Objects> {
    let view = components.view(view, is_on)?;
    let mut objects = Objects::in_memory(&view, DEFAULT).map_err(|place| {
        let message = format!("no chart can be generated: rop does not render {place}");
        Error::new(Code::KustomizeFailed, message).hint(
            "write that part of `config/` in another way, move it to an overlay around `config/default`, which the \
             chart leaves out, or delete the folder of the chart",
        )
    })?;
    objects.change(remove_namespace);
    objects.change(mark);
    Ok(objects)
}

/// kustomize takes policies, which it does not know, for objects in the namespace.
fn remove_namespace(object: &mut Value) {
    if is_policy(object)
        && let Some(metadata) = object["metadata"].as_object_mut()
    {
        metadata.shift_remove("namespace");
    }
}

/// Puts marks in place of the words that stand for them.
fn mark(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(PREFIX_WORD) || text.contains(NAMESPACE_WORD) => {
            let marked = text.replace(PREFIX_WORD, &PREFIX.to_string());
            *text = marked.replace(NAMESPACE_WORD, &NAMESPACE.to_string());
        }
        Value::Array(items) => items.iter_mut().for_each(mark),
        Value::Object(fields) => fields.values_mut().for_each(mark),
        _ => {}
    }
}

/// Nothing converts objects without webhooks.
fn remove_conversion(object: &mut Value) {
    if is_crd(object)
        && object["spec"]["conversion"]["strategy"] == "Webhook"
        && let Some(spec) = object["spec"].as_object_mut()
    {
        spec.shift_remove("conversion");
    }
}
