//! The values of a bundle's properties.

use serde_json::Value;

use super::super::blob::Blob;
use super::super::finding::Finding;
use super::Rule;
use super::shape::{Type, mismatches};
use crate::olm::base64;
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
            ("apiServiceDefinitions/owned", Type::List),
            ("apiServiceDefinitions/owned/*", Type::Object),
            ("apiServiceDefinitions/required", Type::List),
            ("apiServiceDefinitions/required/*", Type::Object),
            ("crdDescriptions", Type::Object),
            ("crdDescriptions/owned", Type::List),
            ("crdDescriptions/owned/*", Type::Object),
            ("crdDescriptions/owned/*/kind", Type::Text),
            ("crdDescriptions/owned/*/name", Type::Text),
            ("crdDescriptions/owned/*/version", Type::Text),
            ("crdDescriptions/required", Type::List),
            ("crdDescriptions/required/*", Type::Object),
            ("crdDescriptions/required/*/kind", Type::Text),
            ("crdDescriptions/required/*/name", Type::Text),
            ("crdDescriptions/required/*/version", Type::Text),
            ("description", Type::Text),
            ("displayName", Type::Text),
            ("installModes", Type::List),
            ("installModes/*", Type::Object),
            ("installModes/*/supported", Type::Flag),
            ("installModes/*/type", Type::Text),
            ("keywords", Type::List),
            ("keywords/*", Type::Text),
            ("labels", Type::Object),
            ("labels/*", Type::Text),
            ("links", Type::List),
            ("links/*", Type::Object),
            ("links/*/name", Type::Text),
            ("links/*/url", Type::Text),
            ("maintainers", Type::List),
            ("maintainers/*", Type::Object),
            ("maintainers/*/email", Type::Text),
            ("maintainers/*/name", Type::Text),
            ("maturity", Type::Text),
            ("minKubeVersion", Type::Text),
            ("nativeAPIs", Type::List),
            ("nativeAPIs/*", Type::Object),
            ("nativeAPIs/*/group", Type::Text),
            ("nativeAPIs/*/kind", Type::Text),
            ("nativeAPIs/*/version", Type::Text),
            ("provider", Type::Object),
            ("provider/name", Type::Text),
            ("provider/url", Type::Text),
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
    let text = base64::decode(value["data"].as_str().unwrap_or_default());
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| yaml::documents(&text).iter().all(Result::is_ok))
}
