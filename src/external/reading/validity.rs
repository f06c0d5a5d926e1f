//! What an API server demands of a CRD: its names, its versions, and its schemas.

use std::collections::BTreeSet;

use serde_json::Value;

use super::form::{self, Fault, at, shown};
use super::structure;
use crate::dns;

/// The longest warning of a deprecated version.
const WARNING_MAX: usize = 256;

/// `TotalAnnotationSizeLimitB`: the bytes of all keys and values.
const ANNOTATIONS_MAX: usize = 256 << 10;

/// The types of print columns.
const COLUMNS: [&str; 5] = ["boolean", "date", "integer", "number", "string"];

/// Checks a CRD as an API server does that is to store it, and removes fields that are null.
pub(super) fn check(crd: &mut Value) -> Result<(), Fault> {
    form::check(crd)?;
    let spec = &crd["spec"];
    names(spec)?;
    let name = format!(
        "{}.{}",
        text(&spec["names"]["plural"]),
        text(&spec["group"])
    );
    if crd["metadata"]["name"] != name.as_str() {
        let found = shown(&crd["metadata"]["name"]);
        let rule = format!("must be `{name}`, plural and group, but is {found}");
        return Err(Fault::new("metadata.name", rule));
    }
    metadata(&crd["metadata"])?;
    one_of("spec.scope", &spec["scope"], &["Cluster", "Namespaced"])?;
    if spec["preserveUnknownFields"] == true {
        return Err(Fault::new("spec.preserveUnknownFields", "must be false"));
    }
    conversion(&spec["conversion"])?;
    versions(list(&spec["versions"]))
}

/// The labels, and the annotations: `ValidateLabels` and `ValidateAnnotations`.
fn metadata(metadata: &Value) -> Result<(), Fault> {
    for (key, value) in map(&metadata["labels"]) {
        has_key("metadata.labels", key, dns::qualified_name(key))?;
        if *value != "" {
            named(&at("metadata.labels", key), value, dns::label_value)?;
        }
    }
    let mut size = 0;
    for (key, value) in map(&metadata["annotations"]) {
        let rule = dns::qualified_name(&key.to_lowercase());
        has_key("metadata.annotations", key, rule)?;
        size += key.len() + text(value).len();
    }
    if size > ANNOTATIONS_MAX {
        let rule = format!("must have at most {ANNOTATIONS_MAX} bytes, but have {size}");
        return Err(Fault::new("metadata.annotations", rule));
    }
    Ok(())
}

fn has_key(path: &str, key: &str, rule: Result<(), String>) -> Result<(), Fault> {
    rule.map_err(|rule| {
        let key = shown(&key.into());
        Fault::new(path, format!("has the key {key}: {rule}"))
    })
}

/// The group, and the names of the kind.
fn names(spec: &Value) -> Result<(), Fault> {
    named("spec.group", &spec["group"], dns::subdomain_1123)?;
    if !text(&spec["group"]).contains('.') {
        let rule = format!("must have a dot, but is {}", shown(&spec["group"]));
        return Err(Fault::new("spec.group", rule));
    }
    let names = &spec["names"];
    let path = |name: &str| at("spec.names", name);
    let lower = |value: &str| {
        let rule = dns::label_1035(&value.to_ascii_lowercase());
        rule.map_err(|rule| rule.replace("lowercase letter", "letter"))
    };
    named(&path("plural"), &names["plural"], dns::label_1035)?;
    named(&path("kind"), &names["kind"], lower)?;
    if let Some(singular) = names.get("singular").filter(|name| *name != "") {
        named(&path("singular"), singular, dns::label_1035)?;
    }
    let kind = text(&names["kind"]);
    let list_kind = match names.get("listKind").map(text) {
        None | Some("") => format!("{kind}List"),
        Some(name) => name.to_owned(),
    };
    named(&path("listKind"), &list_kind.as_str().into(), lower)?;
    if list_kind == kind {
        return Err(Fault::new(path("listKind"), "must differ from the kind"));
    }
    for words in ["shortNames", "categories"] {
        for (index, word) in list(&names[words]).iter().enumerate() {
            named(&format!("{}[{index}]", path(words)), word, dns::label_1035)?;
        }
    }
    Ok(())
}

fn conversion(conversion: &Value) -> Result<(), Fault> {
    if conversion.is_null() {
        return Ok(());
    }
    let path = "spec.conversion.strategy";
    one_of(path, &conversion["strategy"], &["None", "Webhook"])?;
    let webhook = &conversion["webhook"];
    let fault = |name: &str, rule: &str| Err(Fault::new(at("spec.conversion", name), rule));
    if text(&conversion["strategy"]) == "None" {
        return if webhook.is_null() {
            Ok(())
        } else {
            fault("webhook", "must be absent if the strategy is `None`")
        };
    }
    if webhook.is_null() {
        return fault("webhook", "is missing");
    }
    let reviews = list(&webhook["conversionReviewVersions"]);
    if !reviews
        .iter()
        .any(|version| version == "v1" || version == "v1beta1")
    {
        return fault("webhook.conversionReviewVersions", "must have `v1`");
    }
    let client = &webhook["clientConfig"];
    if client["url"].is_null() == client["service"].is_null() {
        fault(
            "webhook.clientConfig",
            "must have either `url` or `service`",
        )
    } else {
        Ok(())
    }
}

fn versions(versions: &[Value]) -> Result<(), Fault> {
    let mut taken = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = format!("spec.versions[{index}]");
        named(&at(&path, "name"), &version["name"], dns::label_1035)?;
        if !taken.insert(text(&version["name"])) {
            let rule = format!(
                "is {}, which is also the name of another version",
                shown(&version["name"])
            );
            return Err(Fault::new(at(&path, "name"), rule));
        }
        if let Some(warning) = version.get("deprecationWarning") {
            let path = at(&path, "deprecationWarning");
            deprecation(version, text(warning)).map_err(|rule| Fault::new(path, rule))?;
        }
        scale(&version["subresources"]["scale"], &path)?;
        let columns = list(&version["additionalPrinterColumns"])
            .iter()
            .enumerate();
        for (index, column) in columns {
            let path = format!("{path}.additionalPrinterColumns[{index}]");
            one_of(&at(&path, "type"), &column["type"], &COLUMNS)?;
            starts_with(&at(&path, "jsonPath"), &column["jsonPath"], ".")?;
            if column["name"] == "" {
                return Err(Fault::new(at(&path, "name"), "must not be empty"));
            }
        }
        let path = at(&path, "schema.openAPIV3Schema");
        let Some(schema) = version["schema"].get("openAPIV3Schema") else {
            let rule = "is required";
            return Err(Fault::new(path, rule));
        };
        structure::check(schema, &path)?;
    }
    let stored: Vec<&str> = versions
        .iter()
        .filter(|version| version["storage"] == true)
        .map(|version| text(&version["name"]))
        .collect();
    let rule = match stored[..] {
        [_] => return Ok(()),
        [] => "must have one version with `storage: true`, but none has it".to_owned(),
        _ => {
            let stored = stored.join("`, `");
            format!("must have one version with `storage: true`, but `{stored}` have it")
        }
    };
    Err(Fault::new("spec.versions", rule))
}

/// Checks the warning of a version.
fn deprecation(version: &Value, warning: &str) -> Result<(), String> {
    if version["deprecated"] != true {
        return Err("needs `deprecated: true`".to_owned());
    }
    let is_long = !(1..=WARNING_MAX).contains(&warning.len());
    if is_long || warning.contains(char::is_control) {
        return Err(format!("must be one line of 1 to {WARNING_MAX} bytes"));
    }
    Ok(())
}

fn scale(scale: &Value, path: &str) -> Result<(), Fault> {
    if scale.is_null() {
        return Ok(());
    }
    for (field, start) in [
        ("specReplicasPath", ".spec."),
        ("statusReplicasPath", ".status."),
    ] {
        let path = format!("{path}.subresources.scale.{field}");
        starts_with(&path, &scale[field], start)?;
    }
    Ok(())
}

fn starts_with(path: &str, value: &Value, start: &str) -> Result<(), Fault> {
    if text(value).starts_with(start) {
        return Ok(());
    }
    let rule = format!("must start with `{start}`, but is {}", shown(value));
    Err(Fault::new(path, rule))
}

/// Checks a name by a rule.
fn named(
    path: &str,
    value: &Value,
    rule: impl Fn(&str) -> Result<(), String>,
) -> Result<(), Fault> {
    if *value == "" {
        return Err(Fault::new(path, "must not be empty"));
    }
    let broken = |rule| Fault::new(path, format!("is {}: {rule}", shown(value)));
    rule(text(value)).map_err(broken)
}

fn one_of(path: &str, value: &Value, words: &[&str]) -> Result<(), Fault> {
    if words.contains(&text(value)) {
        return Ok(());
    }
    let words = words.join("` or `");
    let rule = format!("must be `{words}`, but is {}", shown(value));
    Err(Fault::new(path, rule))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn map(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
