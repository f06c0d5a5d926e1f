//! The values of a bundle's properties.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::super::blob::Blob;
use super::super::finding::Finding;
use super::Rule;
use super::shape::{Type, mismatches};
use crate::yaml;

pub(super) const PACKAGE: &str = "olm.package";
pub(super) const OBJECT: &str = "olm.bundle.object";

/// The fields of the values that opm reads.
const FIELDS: [(&str, &[(&str, Type)]); 6] = [
    (
        PACKAGE,
        &[
            ("packageName", Type::Text),
            ("version", Type::Text),
            ("release", Type::Text),
        ],
    ),
    (
        "olm.package.required",
        &[("packageName", Type::Text), ("versionRange", Type::Text)],
    ),
    ("olm.gvk", GVK),
    ("olm.gvk.required", GVK),
    (OBJECT, &[("data", Type::Base64)]),
    (
        "olm.csv.metadata",
        &[
            ("annotations", Type::Object),
            ("annotations/*", Type::Text),
            ("apiServiceDefinitions", Type::Object),
            ("crdDescriptions", Type::Object),
            ("description", Type::Text),
            ("displayName", Type::Text),
            ("installModes", Type::List),
            ("installModes/*", Type::Object),
            ("keywords", Type::List),
            ("keywords/*", Type::Text),
            ("labels", Type::Object),
            ("labels/*", Type::Text),
            ("links", Type::List),
            ("links/*", Type::Object),
            ("maintainers", Type::List),
            ("maintainers/*", Type::Object),
            ("maturity", Type::Text),
            ("minKubeVersion", Type::Text),
            ("nativeAPIs", Type::List),
            ("nativeAPIs/*", Type::Object),
            ("provider", Type::Object),
        ],
    ),
];

const GVK: &[(&str, Type)] = &[
    ("group", Type::Text),
    ("version", Type::Text),
    ("kind", Type::Text),
];

/// Reports values that are missing or that opm cannot read.
pub(super) fn check(blob: &Blob, findings: &mut Vec<Finding>) {
    let name = blob.name();
    for (index, property) in blob.items("/properties").iter().enumerate() {
        let pointer = format!("/properties/{index}");
        let kind = property["type"].as_str().unwrap_or_default();
        let mut report = |pointer: &str, reason: &str| {
            let message = format!("a property `{kind}` of the bundle `{name}` {reason}");
            let rule = Rule::PropertyInvalid;
            findings.push(Finding::in_blob(rule, blob, pointer, message));
        };
        let Some(value) = property.get("value") else {
            report(&pointer, "has no value");
            continue;
        };
        let pointer = format!("{pointer}/value");
        let Some((_, fields)) = FIELDS.iter().find(|(known, _)| *known == kind) else {
            continue;
        };
        if !(value.is_object() || value.is_null()) {
            report(&pointer, "is not an object");
            continue;
        }
        let mut is_wrong = false;
        for (path, wanted) in *fields {
            for (inner, wanted) in mismatches(value, path, *wanted) {
                is_wrong = true;
                report(&format!("{pointer}{inner}"), &format!("is not {wanted}"));
            }
        }
        if kind == OBJECT && !is_wrong && !is_manifest(value) {
            report(&format!("{pointer}/data"), "is no manifest in YAML or JSON");
        }
    }
}

/// Whether an embedded object can be read.
fn is_manifest(value: &Value) -> bool {
    let data = value["data"].as_str().unwrap_or_default();
    let text = STANDARD.decode(data).ok();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| yaml::documents(&text).iter().all(Result::is_ok))
}
