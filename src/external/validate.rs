//! Whether a schema allows a value, as the API server sees it.

use std::fmt;

use crate::expression::expression;
use serde_json::Value;

use super::format;
use super::keywords::{admits_null, properties};

/// Something about a value that its schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where it is: `spec.size`.
    pub path: String,
    /// The rule that it breaks.
    pub rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(formatter, "the object {}", self.rule),
            path => write!(formatter, "`{path}` {}", self.rule),
        }
    }
}

/// What a schema does not allow about a value.
pub(super) fn faults(schema: &Value, value: &Value) -> Vec<Violation> {
    let mut faults = Faults::default();
    faults.deep(schema, value, "");
    faults.found
}

/// The CEL rules that an API server evaluates for a new value, each once.
pub(super) fn rules(schema: &Value, value: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    collect_rules(schema, value, "", &mut found);
    found
}

fn collect_rules(schema: &Value, value: &Value, path: &str, found: &mut Vec<Violation>) {
    for rule in schema["x-kubernetes-validations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let text = rule["rule"].as_str().unwrap_or_default();
        // A rule about the value before is for updates.
        if !text.contains("oldSelf") || rule["optionalOldSelf"] == true {
            let message = rule["message"]
                .as_str()
                .map_or_else(|| format!("`{}`", text.trim()), str::to_owned);
            let fault = Violation {
                path: path.trim_start_matches('.').to_owned(),
                rule: format!("({})", message.trim()),
            };
            if !found.contains(&fault) {
                found.push(fault);
            }
        }
    }
    match value {
        Value::Object(fields) => {
            let (named, others) = (&schema["properties"], &schema["additionalProperties"]);
            for (name, value) in fields {
                let schema = named.get(name).unwrap_or(others);
                collect_rules(schema, value, &format!("{path}.{name}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_rules(&schema["items"], item, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// Whether a schema allows a value but for its fields and items.
pub(super) fn holds(schema: &Value, value: &Value) -> bool {
    let mut faults = Faults::default();
    faults.shallow(schema, value, "");
    faults.found.is_empty()
}

/// A value with the defaults of its schema, which the API server adds before it validates.
pub(super) fn defaulted(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut all = fields.clone();
            for (name, property) in properties(schema) {
                if let Some(default) = property.get("default").filter(|default| !default.is_null())
                {
                    all.entry(name.clone()).or_insert_with(|| default.clone());
                }
                if let Some(value) = all.get_mut(name) {
                    *value = defaulted(property, value);
                }
            }
            if let values @ Value::Object(_) = &schema["additionalProperties"] {
                for value in all.values_mut() {
                    *value = defaulted(values, value);
                }
            }
            Value::Object(all)
        }
        Value::Array(items) => {
            let items = items.iter();
            items
                .map(|item| defaulted(&schema["items"], item))
                .collect()
        }
        value => value.clone(),
    }
}

#[derive(Default)]
struct Faults {
    found: Vec<Violation>,
}

impl Faults {
    fn want(&mut self, is_so: bool, path: &str, rule: impl FnOnce() -> String) {
        if !is_so {
            self.found.push(Violation {
                path: path.trim_start_matches('.').to_owned(),
                rule: rule(),
            });
        }
    }

    fn deep(&mut self, schema: &Value, value: &Value, path: &str) {
        self.shallow(schema, value, path);
        match value {
            Value::Object(fields) => {
                let named = &schema["properties"];
                let others = &schema["additionalProperties"];
                for (name, value) in fields {
                    let schema = named.get(name).unwrap_or(others);
                    self.deep(schema, value, &format!("{path}.{name}"));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.deep(&schema["items"], item, &format!("{path}[{index}]"));
                }
            }
            _ => {}
        }
    }

    fn shallow(&mut self, schema: &Value, value: &Value, path: &str) {
        if value.is_null() && admits_null(schema) {
            return;
        }
        self.want(is_of_type(schema, value), path, || {
            format!(
                "must be of type {}",
                schema["type"].as_str().unwrap_or("integer or string")
            )
        });
        if let Some(values) = schema["enum"].as_array() {
            self.want(values.contains(value), path, || {
                "must be one of its `enum`".to_owned()
            });
        }
        match value {
            Value::String(text) => self.text(schema, text, path),
            Value::Array(items) => self.list(schema, items, path),
            Value::Object(_) => self.object(schema, value, path),
            Value::Number(_) => self.number(schema, value, path),
            Value::Null | Value::Bool(_) => {}
        }
        self.branches(schema, value, path);
    }

    fn text(&mut self, schema: &Value, text: &str, path: &str) {
        let length = text.chars().count() as u64;
        self.limits(schema, ["minLength", "maxLength"], length, path, "long");
        if let Some(pattern) = schema["pattern"].as_str() {
            let is_so = expression(pattern).is_some_and(|pattern| pattern.is_match(text));
            self.want(is_so, path, || format!("must match `{pattern}`"));
        }
        if let Some(name) = schema["format"].as_str() {
            self.want(format::holds(name, text), path, || {
                format!("must be a {name}")
            });
        }
    }

    fn number(&mut self, schema: &Value, value: &Value, path: &str) {
        let number = value.as_f64().unwrap_or_default();
        let excludes = |keyword: &str| schema[keyword] == true;
        if let Some(least) = schema["minimum"].as_f64() {
            let is_so = number > least || number >= least && !excludes("exclusiveMinimum");
            self.want(is_so, path, || format!("must be {least} or more"));
        }
        if let Some(most) = schema["maximum"].as_f64() {
            let is_so = number < most || number <= most && !excludes("exclusiveMaximum");
            self.want(is_so, path, || format!("must be {most} or less"));
        }
        if let Some(step) = schema["multipleOf"].as_f64() {
            let rest = (number / step).fract().abs();
            let is_so = !(1e-9..=1.0 - 1e-9).contains(&rest);
            self.want(is_so, path, || format!("must be a multiple of {step}"));
        }
        if schema["format"] == "int32" {
            let is_so = value
                .as_i64()
                .is_some_and(|value| i32::try_from(value).is_ok());
            self.want(is_so, path, || "must have 32 bits".to_owned());
            // Then an API server refuses every value.
            for limit in ["minimum", "maximum"] {
                let fits = schema[limit].as_f64().is_none_or(|limit| {
                    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&limit)
                });
                self.want(fits, path, || {
                    format!("cannot be set: `{limit}` does not fit `format: int32`")
                });
            }
        }
    }

    fn list(&mut self, schema: &Value, items: &[Value], path: &str) {
        let count = items.len() as u64;
        self.limits(schema, ["minItems", "maxItems"], count, path, "items");
        let keys = schema["x-kubernetes-list-map-keys"].as_array();
        let is_set = schema["x-kubernetes-list-type"] == "set" || schema["uniqueItems"] == true;
        let is_map = schema["x-kubernetes-list-type"] == "map";
        let same = |left: &Value, right: &Value| match keys.filter(|_| is_map) {
            Some(keys) => keys.iter().all(|key| {
                let key = key.as_str().unwrap_or_default();
                left[key] == right[key]
            }),
            None => is_set && left == right,
        };
        let mut before = items.iter().enumerate();
        let differ =
            before.all(|(index, left)| !items[..index].iter().any(|right| same(left, right)));
        self.want(differ, path, || "must have unique items".to_owned());
    }

    fn object(&mut self, schema: &Value, value: &Value, path: &str) {
        let fields = value.as_object();
        let count = fields.map_or(0, |fields| fields.len() as u64);
        self.limits(
            schema,
            ["minProperties", "maxProperties"],
            count,
            path,
            "fields",
        );
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            self.want(value.get(name).is_some(), &format!("{path}.{name}"), || {
                "is required".to_owned()
            });
        }
        if schema["x-kubernetes-embedded-resource"] == true {
            for name in ["apiVersion", "kind"] {
                let is_so = value[name].as_str().is_some_and(|text| !text.is_empty());
                self.want(is_so, &format!("{path}.{name}"), || {
                    "is required".to_owned()
                });
            }
        }
    }

    fn limits(
        &mut self,
        schema: &Value,
        [min, max]: [&str; 2],
        count: u64,
        path: &str,
        what: &str,
    ) {
        let verb = if what == "long" { "be" } else { "have" };
        if let Some(least) = schema[min].as_u64() {
            self.want(count >= least, path, || {
                format!("must {verb} at least {least} {what}")
            });
        }
        if let Some(most) = schema[max].as_u64() {
            self.want(count <= most, path, || {
                format!("must {verb} at most {most} {what}")
            });
        }
    }

    /// What a schema says by other schemas. Those of structural schemas have no type and no defaults.
    fn branches(&mut self, schema: &Value, value: &Value, path: &str) {
        let count = |keyword: &str| {
            let branches = schema[keyword].as_array()?;
            let allow = |branch: &&Value| faults(branch, value).is_empty();
            Some((branches.iter().filter(allow).count(), branches.len()))
        };
        if let Some((allowing, all)) = count("allOf") {
            self.want(allowing == all, path, || {
                "must match all of `allOf`".to_owned()
            });
        }
        if let Some((allowing, all)) = count("anyOf") {
            self.want(allowing > 0 || all == 0, path, || {
                "must match one of `anyOf`".to_owned()
            });
        }
        if let Some((allowing, all)) = count("oneOf") {
            self.want(allowing == 1 || all == 0, path, || {
                "must match exactly one of `oneOf`".to_owned()
            });
        }
        if let not @ Value::Object(_) = &schema["not"] {
            self.want(!faults(not, value).is_empty(), path, || {
                "must not match `not`".to_owned()
            });
        }
    }
}

fn is_of_type(schema: &Value, value: &Value) -> bool {
    let is_integer = || value.is_i64();
    if schema["x-kubernetes-int-or-string"] == true {
        return is_integer() || value.is_string();
    }
    match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => is_integer(),
        Some("number") => value.is_number(),
        _ => true,
    }
}
