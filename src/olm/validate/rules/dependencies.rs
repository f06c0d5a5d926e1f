//! What a bundle depends on.

use crate::manifest;
use crate::olm::range;
use crate::olm::read::{Document, Node};
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Format;

const PACKAGE: &str = "olm.package";
const GVK: &str = "olm.gvk";
const LABEL: &str = "olm.label";
const CONSTRAINT: &str = "olm.constraint";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Format,
        "dependency-type",
        "`dependencies` is a list of known types",
        "use `olm.package`, `olm.gvk`, `olm.label` or `olm.constraint`",
        types,
    ),
    Rule::error(
        Format,
        "dependency-value",
        "The value of a dependency is an object",
        "write the value as an object, not as JSON in a string",
        values,
    ),
    Rule::error(
        Format,
        "dependency-package",
        "A package that is required has a name and a range of versions",
        "write `packageName` and a `version` such as `>=1.0.0 <2.0.0`",
        packages,
    ),
    Rule::error(
        Format,
        "dependency-gvk",
        "A kind that is required has a group, a version and a kind",
        "write `group`, `version` and `kind`",
        kinds,
    ),
    Rule::error(
        Format,
        "dependency-label",
        "A label that is required is not empty",
        "write `label`",
        labels,
    ),
    Rule::error(
        Format,
        "dependency-constraint",
        "A constraint has a rule in CEL without errors that can be seen before it runs",
        "write `cel: {rule: …}`, with no other field than `failureMessage`",
        constraints,
    ),
];

fn dependencies<'a>(input: &Input<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let document = input.bundle.dependencies.as_ref().map(Document::root);
    let list = document.map(|root| root.get("dependencies"));
    list.into_iter().flat_map(|list| list.items())
}

/// The values of the dependencies of a type, if they are objects.
fn of_type<'a>(input: &Input<'a>, kind: &'static str) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let of_type = dependencies(input).filter(move |it| it.get("type").text() == kind);
    let values = of_type.map(|dependency| dependency.get("value"));
    values.filter(|value| value.value.is_object())
}

/// Whether a value is no string, or an empty one.
fn is_blank(value: &Node<'_>) -> bool {
    value.text().trim().is_empty()
}

fn types(input: &Input<'_>, found: &mut Findings<'_>) {
    let document = input.bundle.dependencies.as_ref().map(Document::root);
    if let Some(root) = document
        && !root.get("dependencies").value.is_array()
    {
        found.at(&root.get("dependencies"), "`dependencies` is not a list");
    }
    for dependency in dependencies(input) {
        let kind = dependency.get("type");
        if ![PACKAGE, GVK, LABEL, CONSTRAINT].contains(&kind.text()) {
            found.at(&kind, format!("unknown type `{}`", kind.text()));
        }
    }
}

fn values(input: &Input<'_>, found: &mut Findings<'_>) {
    for dependency in dependencies(input) {
        let value = dependency.get("value");
        if !value.value.is_object() {
            found.at(&value, "the value is not an object");
        }
    }
}

fn packages(input: &Input<'_>, found: &mut Findings<'_>) {
    for value in of_type(input, PACKAGE) {
        let (name, version) = (value.get("packageName"), value.get("version"));
        if is_blank(&name) {
            found.at(&name, "`packageName` is not a string, or empty");
        }
        if range::check(version.text()).is_err() {
            let message = format!("`{}` is not a range of versions", version.text());
            found.at(&version, message);
        }
    }
}

fn kinds(input: &Input<'_>, found: &mut Findings<'_>) {
    for value in of_type(input, GVK) {
        for name in ["group", "version", "kind"] {
            if is_blank(&value.get(name)) {
                found.at(
                    &value.get(name),
                    format!("`{name}` is not a string, or empty"),
                );
            }
        }
    }
}

fn labels(input: &Input<'_>, found: &mut Findings<'_>) {
    for value in of_type(input, LABEL) {
        if is_blank(&value.get("label")) {
            found.at(&value.get("label"), "`label` is not a string, or empty");
        }
    }
}

fn constraints(input: &Input<'_>, found: &mut Findings<'_>) {
    for value in of_type(input, CONSTRAINT) {
        let message = value.get("failureMessage");
        if !message.is_missing() && !message.value.is_string() {
            found.at(
                &message,
                "`failureMessage` is not a string: put it in quotes",
            );
        }
        let others = value
            .fields()
            .filter(|(name, _)| !["failureMessage", "cel"].contains(name));
        for (name, other) in others {
            let unsupported = format!("`{name}` is not supported in a constraint of a bundle");
            found.at(&other, unsupported);
        }
        let rule = value.at("cel.rule");
        if is_blank(&rule) {
            found.at(&rule, "`cel.rule` is not a string, or empty");
        } else if let Some(fault) = manifest::constraint_fault(rule.text()) {
            found.at(&rule, format!("the rule does not compile: {fault}"));
        }
    }
}
