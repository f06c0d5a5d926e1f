//! The types that a schema needs, found once each.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keywords::properties;
use super::schema::{Shape, canonical, shape};
use super::words::{pascal, singular};

/// Something that has no Rust form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untyped {
    /// Where it is: `spec.template`.
    pub path: String,
    /// Why there is none.
    pub why: Why,
}

/// Why something has no Rust form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It may hold anything.
    Anything,
    /// It is an object of any kind.
    Embedded,
    /// It has no type, or a type with values that Rust has no enum for.
    NoType,
    /// It is a number of some that are listed, and any number in Rust.
    Numbers,
}

impl Why {
    /// What is said of so many fields.
    pub fn description(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Anything, 1) => "may hold anything, and is a `serde_json::Value`",
            (Self::Anything, _) => "may hold anything, and are of the type `serde_json::Value`",
            (Self::Embedded, 1) => "is an object of any kind, and a `serde_json::Value`",
            (Self::Embedded, _) => "are objects of any kind, and of the type `serde_json::Value`",
            (Self::NoType, 1) => "has no type that Rust has, and is a `serde_json::Value`",
            (Self::NoType, _) => {
                "have no type that Rust has, and are of the type `serde_json::Value`"
            }
            (Self::Numbers, 1) => "is one of some numbers, and any number in Rust",
            (Self::Numbers, _) => "are each one of some numbers, and any number in Rust",
        }
    }
}

/// The name that a type would have, and its schema: types that have both in common are one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) name: String,
    schema: String,
}

impl Key {
    pub(super) fn new(name: &str, schema: &Value) -> Self {
        Self {
            name: name.to_owned(),
            schema: canonical(schema),
        }
    }
}

/// A type that is declared.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    pub(super) key: Key,
    /// The names of the types around it, the outermost first.
    pub(super) around: Vec<String>,
    /// Where it is first.
    pub(super) path: String,
    pub(super) schema: &'a Value,
}

/// The types in the order in which they are first used.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) declared: Vec<Declared<'a>>,
    pub(super) untyped: Vec<Untyped>,
    known: BTreeSet<Key>,
}

impl<'a> Tree<'a> {
    /// Adds what a schema needs. `name` is what a type of it would be called.
    pub(super) fn add(&mut self, schema: &'a Value, name: &str, around: &[String], path: &str) {
        let mut untyped = |why| {
            self.untyped.push(Untyped {
                path: path.to_owned(),
                why,
            });
        };
        match shape(schema) {
            Shape::List(items) => self.add(items, &singular(name), around, &format!("{path}[]")),
            Shape::Map(Value::Bool(_)) => untyped(Why::Anything),
            Shape::Map(values) => self.add(values, &singular(name), around, &format!("{path}{{}}")),
            Shape::Any if schema["x-kubernetes-embedded-resource"] == true => {
                untyped(Why::Embedded);
            }
            Shape::Any if schema["x-kubernetes-preserve-unknown-fields"] == true => {
                untyped(Why::Anything);
            }
            Shape::Any => untyped(Why::NoType),
            Shape::Plain(plain) if plain.is_number() && schema.get("enum").is_some() => {
                untyped(Why::Numbers);
            }
            Shape::Plain(_) | Shape::Known(_) => {}
            Shape::Enum(_) => drop(self.declare(schema, name, around, path)),
            Shape::Struct => {
                if self.declare(schema, name, around, path) {
                    let mut around = around.to_vec();
                    around.push(type_name(name));
                    for (property, schema) in properties(schema) {
                        let path = format!("{path}.{property}");
                        self.add(schema, property, &around, path.trim_start_matches('.'));
                    }
                }
            }
        }
    }

    /// Adds a type, and says whether it is new.
    fn declare(&mut self, schema: &'a Value, name: &str, around: &[String], path: &str) -> bool {
        let key = Key::new(&type_name(name), schema);
        if !self.known.insert(key.clone()) {
            return false;
        }
        self.declared.push(Declared {
            key,
            around: around.to_vec(),
            path: path.to_owned(),
            schema,
        });
        true
    }
}

/// The type of a field of that name.
pub(super) fn type_name(field: &str) -> String {
    match pascal(field) {
        name if name.is_empty() => "Value".to_owned(),
        name => name,
    }
}
