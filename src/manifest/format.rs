//! Formats of a schema. An API server ignores those that it does not know, and warns whoever applies the CRD: those of
//! Rust's integers, such as `uint16`, say nothing that their limits do not say.

use serde_json::Value;

/// Formats of strings that an API server knows.
const OF_STRINGS: [&str; 27] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "date-time",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8s-long-name",
    "k8s-short-name",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Leaves out the formats in the schemas of a CRD that an API server does not know.
pub(super) fn drop_unknown(crd: &mut Value) {
    let versions = crd["spec"]["versions"].as_array_mut();
    for version in versions.into_iter().flatten() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            walk(schema);
        }
    }
}

fn walk(schema: &mut Value) {
    let Value::Object(keys) = schema else {
        return;
    };
    let kind = keys.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_known = match keys.get("format").and_then(Value::as_str) {
        Some(format) => is_known(kind, format),
        None => true,
    };
    if !is_known {
        keys.shift_remove("format");
    }
    for (key, value) in keys {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(walk),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(walk);
            }
            ("items" | "additionalProperties" | "not", schema) => walk(schema),
            _ => {}
        }
    }
}

fn is_known(kind: &str, format: &str) -> bool {
    match kind {
        "integer" => ["int32", "int64"].contains(&format),
        "number" => ["float", "double"].contains(&format),
        "" | "string" => OF_STRINGS.contains(&format),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn formats_that_kubernetes_does_not_know_are_left_out() {
        let schema = |format: [&str; 4]| {
            let with = |kind: &str, format: &str| match format {
                "" => json!({"type": kind, "minimum": 0}),
                format => json!({"type": kind, "format": format, "minimum": 0}),
            };
            json!({"type": "object", "properties": {
                "format": with("integer", format[0]),
                "list": {"type": "array", "items": with("integer", format[1])},
                "map": {"type": "object", "additionalProperties": with("number", format[2])},
                "text": with("string", format[3]),
                "value": {"type": "object", "default": {"type": "integer", "format": "uint8"}},
            }})
        };
        let crd = |format| json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": schema(format)}}]}});
        let mut changed = crd(["uint16", "int64", "uint64", "ip"]);
        drop_unknown(&mut changed);
        assert_eq!(changed, crd(["", "int64", "", ""]));
        let kept = crd(["int32", "int64", "double", "date-time"]);
        let mut same = kept.clone();
        drop_unknown(&mut same);
        assert_eq!(same, kept);
    }
}
