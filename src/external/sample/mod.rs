//! A small object that a schema allows, as far as a schema tells.

mod choices;
mod number;
mod pattern;
mod text;
mod value;

use serde_json::{Map, Value};

use super::Definition;
use super::keywords::{is_required, properties};
use super::validate::{self, Violation};

/// What an object needs beside version, kind and metadata.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What is required, and a `spec`.
    pub fields: Map<String, Value>,
    /// What the schema does not allow about them.
    pub faults: Vec<Violation>,
    /// The CEL rules that they have to follow, which are not evaluated.
    pub rules: Vec<Violation>,
}

impl Definition {
    /// An object that the schema allows, or one that is close to it.
    pub fn sample(&self) -> Sample {
        let meta = ["apiVersion", "kind", "metadata"];
        let mut own = self.schema.clone();
        if let Some(properties) = own["properties"].as_object_mut() {
            properties.retain(|name, _| !meta.contains(&name.as_str()));
        }
        if let Some(required) = own["required"].as_array_mut() {
            required.retain(|name| !meta.iter().any(|meta| name == meta));
            let has_spec = properties(&self.schema).any(|(name, _)| name == "spec");
            if has_spec && !is_required(&self.schema, "spec") {
                required.push("spec".into());
            }
        } else if own["properties"].get("spec").is_some() {
            own["required"] = vec!["spec"].into();
        }
        let own_value = value::value(&own);
        let defaulted = validate::defaulted(&own, &own_value);
        let faults = validate::faults(&own, &defaulted);
        let rules = validate::rules(&own, &defaulted);
        let fields = match own_value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Sample {
            fields,
            faults,
            rules,
        }
    }

    /// The name of an object, if the kind does not allow the usual one.
    pub fn name(&self, usual: &str) -> Option<String> {
        let schema = self
            .schema
            .pointer("/properties/metadata/properties/name")?;
        if validate::faults(schema, &usual.into()).is_empty() {
            return None;
        }
        let name = value::value(schema);
        let is_allowed = validate::faults(schema, &name).is_empty();
        name.as_str().filter(|_| is_allowed).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests;
