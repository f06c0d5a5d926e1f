//! Generates objects of a schema in many shapes: with and without each field, at the bounds of ranges, with lists of
//! several lengths.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::pattern;
use super::side::Side;
use crate::testing::api_server::custom::unique_by;

/// Maximum number of attempts to generate a valid object.
const TRIES: u8 = 60;

/// The number of values of an object from which optional fields are omitted.
const LARGEST: usize = 150;

/// Generates the values of an object.
pub(super) struct Generator<'a> {
    pub(super) rng: &'a mut Rng,
    /// The probability of an optional field, in percent.
    density: u8,
    /// The number of values that it may still have.
    room: usize,
}

/// A valid object of a version, in the API server's form. `None` with the errors of the last attempt if none is valid.
pub(super) fn object(side: &Side, rng: &mut Rng) -> Result<Value, Vec<String>> {
    let mut problems = Vec::new();
    for tried in 0..TRIES {
        let densities = [90, 60, 30, 100, 10, 0];
        let most = densities.len() - usize::from(tried / 20);
        let density = densities[rng.usize(..most)];
        let density = if tried > 50 { 0 } else { density };
        let mut generator = Generator {
            rng: &mut *rng,
            density,
            room: LARGEST,
        };
        let Some(mut object) = generator.whole(side) else {
            problems = vec!["a required field has an unsupported pattern or format".to_owned()];
            continue;
        };
        side.custom.fill(&mut object);
        problems = side.custom.invalid(&object);
        if problems.is_empty() {
            return Ok(object);
        }
    }
    Err(problems)
}

impl Generator<'_> {
    fn whole(&mut self, side: &Side) -> Option<Value> {
        let schema = side.custom.schema();
        let mut object = json!({ "apiVersion": side.api_version, "kind": side.kind });
        let Value::Object(fields) = self.fields(schema, &["apiVersion", "kind", "metadata"])?
        else {
            return None;
        };
        object["metadata"] = self.metadata(side);
        for (name, value) in fields {
            object[name] = value;
        }
        Some(object)
    }

    fn metadata(&mut self, side: &Side) -> Value {
        let mut metadata = json!({
            "name": self.word(1),
            "uid": "6f1c0de2-6a0c-4b1a-9d2b-0f3a5f6e7d80",
            "resourceVersion": self.rng.u16(1..).to_string(),
            "generation": self.rng.u8(1..),
            "creationTimestamp": "2030-01-02T03:04:05Z",
            "managedFields": [{
                "manager": self.word(1),
                "operation": "Update",
                "apiVersion": side.api_version,
                "time": "2030-01-02T03:04:05Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": { "f:spec": { "f:a": {} } },
            }],
        });
        if side.custom.is_namespaced() {
            metadata["namespace"] = json!("shop");
        }
        for name in ["labels", "annotations"] {
            for _ in 0..self.rng.u8(..3) {
                metadata[name][self.word(1)] = json!(self.word(0));
            }
        }
        if self.rng.bool() {
            metadata["finalizers"] = json!(["example.com/cleanup"]);
        }
        metadata
    }

    /// A value that matches a schema, if it is easy to generate.
    fn value(&mut self, schema: &Value) -> Option<Value> {
        self.room = self.room.saturating_sub(1);
        if schema["nullable"] == true && self.rng.u8(..16) == 0 {
            return Some(Value::Null);
        }
        if let Some(allowed) = schema["enum"].as_array() {
            return self.rng.choice(allowed.iter()).cloned();
        }
        if schema["x-kubernetes-int-or-string"] == true {
            return if schema["pattern"].is_string() || self.rng.bool() {
                self.text(schema).map(Value::String)
            } else {
                Some(json!(self.rng.u16(..)))
            };
        }
        match schema["type"].as_str() {
            Some("boolean") => Some(json!(self.rng.bool())),
            Some("integer") => self.integer(schema),
            Some("number") => self.number(schema),
            Some("string") => self.text(schema).map(Value::String),
            Some("array") => self.list(schema),
            Some("object") => self.fields(schema, &[]),
            // Any object.
            _ => Some(json!({ self.word(1): self.rng.u8(..) })),
        }
    }

    fn fields(&mut self, schema: &Value, without: &[&str]) -> Option<Value> {
        let mut fields = Map::new();
        if schema["x-kubernetes-embedded-resource"] == true {
            fields.insert("apiVersion".to_owned(), json!("v1"));
            fields.insert("kind".to_owned(), json!("ConfigMap"));
        }
        let mut required = names(&schema["required"]);
        // An enum of structs: exactly one of the fields that its variants require.
        let variants = schema["oneOf"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let chosen = (!variants.is_empty()).then(|| self.rng.usize(..variants.len()));
        let mut others = Vec::new();
        for (at, variant) in variants.iter().enumerate() {
            if Some(at) == chosen {
                required.extend(names(&variant["required"]));
            } else {
                others.extend(names(&variant["required"]));
            }
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if without.contains(&&**name) {
                continue;
            }
            let is_required = required.contains(&&**name);
            let is_other = others.contains(&&**name);
            let is_likely = self.room > 0 && self.rng.u8(..100) < self.density;
            if is_required || (is_likely && !is_other) {
                match self.value(schema) {
                    Some(value) => drop(fields.insert(name.clone(), value)),
                    None if is_required => return None,
                    None => {}
                }
            }
        }
        if schema["additionalProperties"].is_object() {
            for _ in 0..self.length(schema, "minProperties", "maxProperties") {
                let value = self.value(&schema["additionalProperties"])?;
                fields.insert(self.word(1), value);
            }
        } else if schema["x-kubernetes-preserve-unknown-fields"] == true && self.rng.bool() {
            fields.insert(self.word(1), json!([self.rng.u8(..), self.word(0)]));
        }
        Some(Value::Object(fields))
    }

    fn list(&mut self, schema: &Value) -> Option<Value> {
        let unique = unique_by(schema);
        let count = self.length(schema, "minItems", "maxItems");
        let mut items: Vec<Value> = Vec::new();
        let mut tried = 0;
        while items.len() < count && tried < count + 20 {
            tried += 1;
            let item = self.value(&schema["items"])?;
            let is_same = |other: &Value| match unique.as_deref() {
                None => false,
                Some([]) => *other == item,
                Some(keys) => keys.iter().all(|key| other[key] == item[key]),
            };
            if !items.iter().any(is_same) {
                items.push(item);
            }
        }
        Some(Value::Array(items))
    }

    /// A number of items or entries: small, but at least the minimum.
    fn length(&mut self, schema: &Value, least: &str, most: &str) -> usize {
        let bound = |name: &str| {
            schema[name]
                .as_u64()
                .and_then(|bound| bound.try_into().ok())
        };
        let least: usize = bound(least).unwrap_or(0);
        let room = if self.room == 0 { 0 } else { 3 };
        let most = bound(most).unwrap_or(usize::MAX).min(least + room);
        self.rng.usize(least..=most.max(least))
    }

    fn integer(&mut self, schema: &Value) -> Option<Value> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a bound of a schema is whole"
        )]
        let bound = |name: &str| schema[name].as_f64().map(|bound| bound as i64);
        let format = schema["format"].as_str().unwrap_or_default();
        let (lowest, highest) = match format {
            "int64" => (i64::from(i32::MIN) * 1000, i64::from(i32::MAX) * 1000),
            "uint64" => (0, i64::from(i32::MAX) * 1000),
            "uint32" => (0, i64::from(u32::MAX)),
            "uint16" => (0, i64::from(u16::MAX)),
            "uint8" => (0, i64::from(u8::MAX)),
            "int8" => (i64::from(i8::MIN), i64::from(i8::MAX)),
            "int16" => (i64::from(i16::MIN), i64::from(i16::MAX)),
            _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
        };
        let least = bound("minimum").unwrap_or(lowest).max(lowest);
        let most = bound("maximum").unwrap_or(highest).min(highest);
        let least = least + i64::from(schema["exclusiveMinimum"] == true);
        let most = most - i64::from(schema["exclusiveMaximum"] == true);
        if least > most {
            return None;
        }
        let low = least.max(0).min(most);
        let number = match self.rng.u8(..8) {
            0 => least,
            1 => most,
            2 => self.rng.i64(least..=most),
            _ => self.rng.i64(low..=most.min(low.saturating_add(100))),
        };
        let factor = bound("multipleOf")
            .filter(|factor| *factor > 1)
            .unwrap_or(1);
        let number = number - number.rem_euclid(factor);
        let number = if number < least {
            number + factor
        } else {
            number
        };
        (number <= most).then(|| json!(number))
    }

    fn number(&mut self, schema: &Value) -> Option<Value> {
        let least = schema["minimum"].as_f64().unwrap_or(0.0);
        let most = schema["maximum"].as_f64().unwrap_or(least + 100.0);
        // Quarters have an exact representation.
        let quarters = ((most - least) * 4.0).clamp(0.0, 1000.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is within these bounds"
        )]
        let quarters = self.rng.u16(..=quarters as u16);
        let number = least + f64::from(quarters) / 4.0;
        if number.fract() == 0.0 {
            serde_json::from_str(&format!("{number}")).ok()
        } else {
            Some(json!(number))
        }
    }

    fn text(&mut self, schema: &Value) -> Option<String> {
        if let Some(pattern) = schema["pattern"].as_str() {
            return pattern::text(pattern, self.rng);
        }
        let number = self.rng.u8(..);
        let known = match schema["format"].as_str() {
            Some("date-time" | "datetime") => format!("2030-01-02T03:04:{:02}Z", number % 60),
            Some("date") => format!("2030-01-{:02}", number % 28 + 1),
            Some("duration") => format!("{}m{}s", number % 60, 30),
            Some("ipv4") => format!("10.0.0.{number}"),
            Some("ipv6") => format!("fd00::{number:x}"),
            Some("cidr") => format!("10.{number}.0.0/16"),
            Some("uuid" | "uuid3" | "uuid4" | "uuid5") => {
                format!("6f1c0de2-6a0c-4b1a-9d2b-0f3a5f6e7d{number:02x}")
            }
            Some("byte") => ["", "YQ==", "YWI=", "YWJj"][usize::from(number % 4)].to_owned(),
            Some("email") => format!("{}@example.com", self.word(1)),
            Some("hostname") => format!("{}.example.com", self.word(1)),
            Some("uri") => format!("https://example.com/{}", self.word(1)),
            Some("ip") => format!("10.0.1.{number}"),
            _ => {
                let bound = |name: &str| schema[name].as_u64().and_then(|n| n.try_into().ok());
                let least: usize = bound("minLength").unwrap_or(0);
                let most = bound("maxLength").unwrap_or(usize::MAX);
                let mut word = self.word(least);
                word.truncate(most.max(least));
                return Some(word);
            }
        };
        Some(known)
    }

    /// A word with at least this many letters.
    fn word(&mut self, least: usize) -> String {
        let letters = self.rng.usize(least..=least.max(1) + 7);
        (0..letters).map(|_| self.rng.lowercase()).collect()
    }
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}
