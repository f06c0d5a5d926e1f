//! Whether two CRDs say the same, but for texts and order.

use serde_json::{Map, Value, json};

/// What is for people alone.
const TEXTS: [&str; 4] = ["description", "example", "externalDocs", "title"];

/// A version of a CRD in one form: without texts, with lists sorted whose order means nothing, and without what the
/// API server sets where it is missing.
pub(super) fn settled(crd: &Value, version: &str) -> Value {
    let mut spec = crd["spec"].clone();
    let versions = spec["versions"].as_array().cloned().unwrap_or_default();
    let found = versions.iter().find(|served| served["name"] == version);
    let mut found = found.cloned().expect("the version");
    found["schema"]["openAPIV3Schema"] = schema(&found["schema"]["openAPIV3Schema"]);
    for column in list(&mut found, "additionalPrinterColumns") {
        without(column, "description", |_| true);
        without(column, "priority", |priority| *priority == 0);
    }
    spec["versions"] = json!([found]);
    let names = spec["names"].as_object_mut().expect("names");
    let (kind, lower) = (
        names["kind"].clone(),
        names["kind"].as_str().unwrap_or_default().to_lowercase(),
    );
    let kind_list = format!("{}List", kind.as_str().unwrap_or_default());
    names.entry("listKind").or_insert(json!(kind_list));
    names.entry("singular").or_insert(json!(lower));
    let mut metadata = crd["metadata"].clone();
    if let Some(fields) = metadata.as_object_mut() {
        fields.retain(|field, _| ["annotations", "labels", "name"].contains(&&**field));
    }
    let mut settled = json!({ "metadata": metadata, "spec": spec });
    settled.sort_all_objects();
    settled
}

fn list<'a>(value: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    value[field].as_array_mut().into_iter().flatten()
}

fn without(value: &mut Value, field: &str, is_it: impl Fn(&Value) -> bool) {
    if let Some(fields) = value.as_object_mut()
        && fields.get(field).is_some_and(is_it)
    {
        fields.remove(field);
    }
}

fn schema(value: &Value) -> Value {
    let Value::Object(fields) = value else {
        return value.clone();
    };
    let mut settled = Map::new();
    for (keyword, value) in fields {
        let value = match keyword.as_str() {
            text if TEXTS.contains(&text) => continue,
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                Value::Object(
                    properties
                        .map(|(name, property)| (name.clone(), schema(property)))
                        .collect(),
                )
            }
            "items" | "not" | "additionalProperties" => schema(value),
            "allOf" | "anyOf" | "oneOf" => {
                value.as_array().into_iter().flatten().map(schema).collect()
            }
            "required" | "enum" => {
                let mut values = value.as_array().cloned().unwrap_or_default();
                values.sort_by_key(ToString::to_string);
                values.into()
            }
            // Go leaves them out.
            "nullable" if *value == false => continue,
            _ => number(value),
        };
        if value != json!({}) && value != json!([]) || keyword == "default" {
            settled.insert(keyword.clone(), value);
        }
    }
    Value::Object(settled)
}

/// The types of a schema have floats for all limits.
fn number(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) => json!(number),
        None => value.clone(),
    }
}
