//! Schemas of custom resources.

use std::sync::Arc;

use serde_json::Value;

use super::{ANY, Custom, Field, ListType, Presence, Schema, Type, builtin};

/// The schema of an object of a custom kind: that of its CRD, with the metadata of all objects.
pub(crate) fn object(source: &Value) -> Arc<Schema> {
    let mut schema = build(source);
    add_metadata(&mut schema);
    Arc::new(schema)
}

/// The schema of a part of an object.
pub(crate) fn plain(source: &Value) -> Schema {
    build(source)
}

fn add_metadata(schema: &mut Schema) {
    let text = Arc::new(Schema {
        type_: Type::String,
        ..Schema::default()
    });
    for (name, schema_of) in [
        ("apiVersion", Arc::clone(&text)),
        ("kind", text),
        ("metadata", builtin::named("ObjectMeta")),
    ] {
        let field = Field {
            schema: schema_of,
            presence: Presence::Given,
            default: None,
        };
        schema.fields.insert(name.to_owned(), field);
    }
    schema.type_ = Type::Object;
}

fn build(source: &Value) -> Schema {
    let keeps_unknown = source["x-kubernetes-preserve-unknown-fields"] == true;
    let is_embedded = source["x-kubernetes-embedded-resource"] == true;
    let properties = source["properties"].as_object().into_iter().flatten();
    let fields = properties.map(|(name, source)| {
        let field = Field {
            schema: Arc::new(build(source)),
            presence: Presence::Given,
            default: source.get("default").cloned(),
        };
        (name.clone(), field)
    });
    let mut schema = Schema {
        type_: type_of(source),
        fields: fields.collect(),
        values: values(source, keeps_unknown),
        items: source.get("items").map(|items| Arc::new(build(items))),
        list: list(source),
        is_atomic: source["x-kubernetes-map-type"] == "atomic",
        custom: Some(Box::new(Custom {
            source: source.clone(),
            keeps_unknown,
            is_nullable: source["nullable"] == true,
            is_embedded,
        })),
        ..Schema::default()
    };
    if is_embedded {
        add_metadata(&mut schema);
    }
    schema
}

fn type_of(source: &Value) -> Type {
    if source["x-kubernetes-int-or-string"] == true {
        return Type::IntOrString;
    }
    match source["type"].as_str() {
        Some("object") => Type::Object,
        Some("array") => Type::List,
        Some("string") => Type::String,
        Some("boolean") => Type::Bool,
        Some("integer") => Type::Int64,
        Some("number") => Type::Number,
        _ => Type::Any,
    }
}

fn values(source: &Value, keeps_unknown: bool) -> Option<Arc<Schema>> {
    match &source["additionalProperties"] {
        Value::Object(_) => Some(Arc::new(build(&source["additionalProperties"]))),
        Value::Bool(true) => Some(Arc::clone(&ANY)),
        _ if keeps_unknown => Some(Arc::clone(&ANY)),
        _ => None,
    }
}

fn list(source: &Value) -> ListType {
    match source["x-kubernetes-list-type"].as_str() {
        Some("set") => ListType::Set,
        Some("map") => {
            let keys = source["x-kubernetes-list-map-keys"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            ListType::Map(keys.map(str::to_owned).collect())
        }
        _ => ListType::Atomic,
    }
}
