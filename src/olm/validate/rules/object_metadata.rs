//! The metadata of objects.

use crate::dns;
use crate::olm::read::{Document, Node};
use crate::olm::validate::input::{CRD, CSV, Input};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Content;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Content,
        "object-name",
        "Each object has a name",
        "set `metadata.name`",
        |input, found| {
            for object in others(input) {
                let metadata = object.get("metadata");
                let is_named = |key: &str| !metadata.get(key).text().trim().is_empty();
                if !is_named("name") && !is_named("generateName") {
                    let message = if metadata.get("name").is_empty() {
                        "the object has no name"
                    } else {
                        "the name is not a string"
                    };
                    found.at(&metadata.get("name"), message);
                }
            }
        },
    ),
    Rule::error(
        Content,
        "object-namespace",
        "No object has a namespace: OLM sets the one of the operator",
        "remove `metadata.namespace`",
        |input, found| {
            for object in others(input) {
                let namespace = object.at("metadata.namespace");
                if !namespace.is_empty() {
                    let message = format!("the object has the namespace `{}`", namespace.text());
                    found.at(&namespace, message);
                }
            }
        },
    ),
    Rule::error(
        Content,
        "object-labels",
        "The labels and annotations of objects have valid keys and values",
        "change the key or value",
        |input, found| {
            for object in others(input) {
                labels(&object, found);
            }
        },
    ),
];

/// Objects that are neither the CSV nor CRDs.
fn others<'a>(input: &Input<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let objects = input.bundle.objects();
    let others = objects.filter(|object| ![CSV, CRD].contains(&object.kind()));
    others.map(Document::root)
}

fn labels(object: &Node<'_>, found: &mut Findings<'_>) {
    for (what, list) in [("label", "labels"), ("annotation", "annotations")] {
        for (key, value) in object.get("metadata").get(list).fields() {
            if let Err(rule) = dns::qualified_name(key) {
                found.at(&value, format!("the {what} `{key}` {rule}"));
            } else if !value.value.is_string() && !value.is_missing() {
                found.at(&value, format!("the {what} `{key}` is not a string"));
            } else if what == "label"
                && !value.text().is_empty()
                && let Err(rule) = dns::label_value(value.text())
            {
                let message = format!("the value `{}` of a label: {rule}", value.text());
                found.at(&value, message);
            }
        }
    }
}
