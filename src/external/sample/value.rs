//! Values that a schema allows.

use std::cell::Cell;

use serde_json::{Map, Value, json};

use super::choices::choices;
use super::number::number;
use super::text::text;
use crate::external::keywords::{is_open, is_required, properties};
use crate::external::validate::{faults, holds};

/// How many values of branches are tried in all: schemas can have branches in branches.
const TRIES: u32 = 2000;

/// How many values are made in all: lists can be in lists.
const VALUES: u32 = 20_000;

/// The longest list that is made.
const LONGEST: u64 = 100;

/// A value that a schema allows, or one that is close to it.
pub(super) fn value(schema: &Value) -> Value {
    let maker = Maker {
        tries: Cell::new(TRIES),
        values: Cell::new(VALUES),
    };
    maker.value(schema, &[])
}

struct Maker {
    tries: Cell<u32>,
    values: Cell<u32>,
}

impl Maker {
    /// A value other than those that are taken.
    fn value(&self, schema: &Value, taken: &[Value]) -> Value {
        let Some(left) = self.values.get().checked_sub(1) else {
            return Value::Null;
        };
        self.values.set(left);
        let plain = self.plain(schema, taken);
        if holds(schema, &plain) {
            return plain;
        }
        for choice in choices(schema) {
            let Some(tries) = self.tries.get().checked_sub(1) else {
                break;
            };
            self.tries.set(tries);
            let value = self.value(&choice, taken);
            if holds(schema, &value) {
                return value;
            }
        }
        plain
    }

    /// A value that fits what is not in branches.
    fn plain(&self, schema: &Value, taken: &[Value]) -> Value {
        let is_free = |value: &&Value| !taken.contains(value) && holds(schema, value);
        if let Some(default) = schema.get("default").filter(is_free) {
            return default.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            let mut words = values.iter().filter(|value| !value.is_null());
            let value = words.find(is_free).or(values.first());
            return value.cloned().unwrap_or_default();
        }
        if schema["x-kubernetes-int-or-string"] == true {
            let integer = number(schema, taken);
            return if holds(schema, &integer) {
                integer
            } else {
                text(schema, taken)
            };
        }
        match schema["type"].as_str() {
            Some("boolean") => json!(taken.contains(&json!(false))),
            Some("integer" | "number") => number(schema, taken),
            Some("string") => text(schema, taken),
            Some("array") => self.list(schema),
            _ => self.object(schema, taken),
        }
    }

    fn list(&self, schema: &Value) -> Value {
        let count = schema["minItems"].as_u64().unwrap_or_default().min(LONGEST);
        let must_differ = ["set", "map"]
            .iter()
            .any(|kind| schema["x-kubernetes-list-type"] == *kind)
            || schema["uniqueItems"] == true;
        let mut items = Vec::new();
        for _ in 0..count {
            let taken: &[Value] = if must_differ { &items } else { &[] };
            let mut item = self.value(&schema["items"], taken);
            for key in schema["x-kubernetes-list-map-keys"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let Some(key) = key.as_str() else { continue };
                let taken: Vec<Value> = taken.iter().map(|item| item[key].clone()).collect();
                if taken.contains(&item[key]) {
                    item[key] = self.value(&schema["items"]["properties"][key], &taken);
                }
            }
            items.push(item);
        }
        items.into()
    }

    fn object(&self, schema: &Value, taken: &[Value]) -> Value {
        let mut object = Map::new();
        if schema["x-kubernetes-embedded-resource"] == true {
            object.insert("apiVersion".to_owned(), json!("v1"));
            object.insert("kind".to_owned(), json!("ConfigMap"));
            object.insert("metadata".to_owned(), json!({ "name": "example" }));
        }
        for (name, property) in properties(schema) {
            if is_required(schema, name) && !object.contains_key(name) {
                object.insert(name.clone(), self.value(property, &[]));
            }
        }
        let values = &schema["additionalProperties"];
        let may_have_more = is_open(schema) || values.is_object() || *values == true;
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            if may_have_more && !object.contains_key(name) {
                object.insert(name.to_owned(), self.value(values, &[]));
            }
        }
        self.fill(schema, &mut object, taken);
        Value::Object(object)
    }

    /// Adds fields until there are as many as there have to be, and the object is none that is taken.
    fn fill(&self, schema: &Value, object: &mut Map<String, Value>, taken: &[Value]) {
        let least = schema["minProperties"].as_u64().unwrap_or_default();
        let least = usize::try_from(least.min(LONGEST)).unwrap_or_default();
        for (name, property) in properties(schema) {
            let is_taken = taken.iter().any(|item| item.as_object() == Some(object));
            if object.len() >= least && !is_taken {
                return;
            }
            if !object.contains_key(name) {
                let value = self.value(property, &[]);
                if faults(property, &value).is_empty() {
                    object.insert(name.clone(), value);
                }
            }
        }
        let values = &schema["additionalProperties"];
        if values.is_object() || *values == true || is_open(schema) {
            for number in 1..=least {
                if object.len() < least {
                    object.insert(format!("example{number}"), self.value(values, &[]));
                }
            }
        }
    }
}
