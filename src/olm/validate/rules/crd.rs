//! CRDs: what an API server rejects in them.

use serde_json::{Value, json};

use crate::manifest::{self, Problem};
use crate::olm::fields;
use crate::olm::read::Node;
use crate::olm::validate::input::{Input, name};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Crd;

use super::csv_fields::mistyped;

const V1: &str = "apiextensions.k8s.io/v1";
const V1BETA1: &str = "apiextensions.k8s.io/v1beta1";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Crd,
        "crd-name",
        "A CRD is named `plural.group`",
        "name it after `spec.names.plural` and `spec.group`",
        names,
    ),
    Rule::error(
        Crd,
        "crd-field-type",
        "The fields of a CRD have the types that an API server reads",
        "write a value of that type; numbers such as `1.0` are strings only in quotes",
        |input, found| {
            for crd in input.crds() {
                mistyped(fields::of_crd(&crd), found);
            }
        },
    ),
    Rule::error(
        Crd,
        "crd-invalid",
        "An API server accepts the names, scope, versions and conversion of a CRD",
        "change the field as the message says; `kubectl apply --dry-run=server` shows the same",
        |input, found| problems(input, found, |problem| problem.version.is_empty()),
    ),
    Rule::error(
        Crd,
        "crd-schema",
        "An API server accepts the versions of a CRD and their schemas",
        "change the schema as the message says; `kubectl apply --dry-run=server` shows the same",
        |input, found| problems(input, found, |problem| !problem.version.is_empty()),
    ),
];

fn names(input: &Input<'_>, found: &mut Findings<'_>) {
    for crd in input.crds() {
        let spec = crd.get("spec");
        let (plural, group) = (spec.at("names.plural").text(), spec.get("group").text());
        let expected = format!("{plural}.{group}");
        if name(&crd) != expected {
            let message = format!("`{}` must be `{expected}`", name(&crd));
            found.at(&crd.at("metadata.name"), message);
        }
    }
}

fn problems(input: &Input<'_>, found: &mut Findings<'_>, has: fn(&Problem) -> bool) {
    for crd in input.crds() {
        let is_beta = match crd.get("apiVersion").text() {
            V1 => false,
            V1BETA1 => true,
            _ => continue,
        };
        let complete = if is_beta {
            converted(crd.value)
        } else {
            crd.value.clone()
        };
        for problem in manifest::crd_problems(&defaulted(complete)) {
            // The rule above, and schemas that need not be structural.
            let is_other =
                problem.field == "metadata.name" || is_beta && !problem.version.is_empty();
            if !has(&problem) || is_other {
                continue;
            }
            let node = place(&crd, &problem);
            let message = if problem.version.is_empty() {
                problem.rule
            } else {
                format!("{}: {}", problem.version, problem.rule)
            };
            found.at(&node, message);
        }
    }
}

/// A CRD with what an API server sets where it is missing.
fn defaulted(mut crd: Value) -> Value {
    if let Some(spec) = crd.get_mut("spec").and_then(Value::as_object_mut)
        && spec
            .get("conversion")
            .is_some_and(|it| it.get("strategy").is_none())
        && let Some(conversion) = spec.get_mut("conversion").and_then(Value::as_object_mut)
    {
        conversion.insert("strategy".to_owned(), "None".into());
    }
    crd
}

/// A CRD of v1beta1 as one of v1, but for its schemas.
fn converted(crd: &Value) -> Value {
    let mut crd = crd.clone();
    let Some(spec) = crd.get_mut("spec").and_then(Value::as_object_mut) else {
        return crd;
    };
    if spec.get("versions").is_none_or(Value::is_null) {
        let version = json!({ "name": spec.get("version"), "served": true, "storage": true });
        spec.insert("versions".to_owned(), json!([version]));
    }
    spec.entry("scope").or_insert_with(|| "Namespaced".into());
    // Where it is not set, v1beta1 keeps all fields, and no API server takes that any more.
    spec.entry("preserveUnknownFields").or_insert(true.into());
    if let Some(conversion) = spec.get_mut("conversion").and_then(Value::as_object_mut) {
        let client = conversion.remove("webhookClientConfig");
        let versions = conversion.remove("conversionReviewVersions");
        if client.is_some() || versions.is_some() {
            let webhook = json!({ "clientConfig": client, "conversionReviewVersions": versions });
            conversion.insert("webhook".to_owned(), webhook);
        }
    }
    crd
}

/// Where a problem is, as near as it can be told.
fn place<'a>(crd: &Node<'a>, problem: &Problem) -> Node<'a> {
    let field = problem.field.split(' ').next().unwrap_or_default();
    if problem.version.is_empty() {
        return field.split('.').fold(crd.clone(), |node, part| {
            let name = part.split('[').next().unwrap_or_default();
            node.get(name)
        });
    }
    let versions = crd.at("spec.versions").items();
    let named = |version: &Node<'_>| version.get("name").text() == problem.version;
    let Some(version) = versions.into_iter().find(named) else {
        return crd.at("spec.versions");
    };
    let schema = version.at("schema.openAPIV3Schema");
    if !field.starts_with('.') {
        let node = version.at(field.split('[').next().unwrap_or_default());
        return match field {
            "schema.openAPIV3Schema" => schema,
            _ if node.is_missing() => version,
            _ => node,
        };
    }
    let mut node = schema;
    for part in field.split('.').filter(|part| !part.is_empty()) {
        let (name, items) = part.split_once('[').map_or((part, 0), |(name, rest)| {
            (name, 1 + rest.matches('[').count())
        });
        let property = node.get("properties").get(name);
        if property.is_missing() {
            break;
        }
        node = property;
        for _ in 0..items {
            let of_list = node.get("items");
            let inner = if of_list.is_missing() {
                node.get("additionalProperties")
            } else {
                of_list
            };
            if inner.value.is_object() {
                node = inner;
            }
        }
    }
    node
}
