//! The fields of a struct, and the words of an enum.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::attribute::{self, Attributes};
use super::keywords::{admits_null, is_open, is_required, properties};
use super::schema::is_nullable;
use super::schema::{Plain, Shape, shape, without_texts};
use super::source::{Identifier, Source, Taken, described, string};
use super::tree::{Key, type_name};
use super::words::{camel, pascal, singular, snake};
use crate::rustfmt::{ATTRIBUTE_WIDTH, WIDTH};

/// The types of a schema by their names, with what is collected while they are written.
pub(super) struct Declarations {
    pub(super) names: BTreeMap<Key, Identifier>,
    /// Functions that give the schemas of fields, by these schemas.
    pub(super) functions: BTreeMap<String, (Identifier, Value)>,
    function_names: Taken,
}

pub(super) struct Field<'a> {
    pub(super) name: Identifier,
    pub(super) property: &'a str,
    pub(super) schema: &'a Value,
    pub(super) is_required: bool,
}

impl Declarations {
    pub(super) fn new(names: BTreeMap<Key, Identifier>) -> Self {
        Self {
            names,
            functions: BTreeMap::new(),
            function_names: Taken::default(),
        }
    }

    /// The type of a schema, in a field of that name.
    pub(super) fn type_of(&self, schema: &Value, field: &str) -> Source {
        let element = |schema: &Value| self.type_of(schema, &singular(field));
        let type_ = match shape(schema) {
            Shape::Plain(plain) => Source::of(plain.name(), &[]),
            Shape::Enum(_) | Shape::Struct => self.name(schema, field),
            Shape::List(items) => Source::of("Vec<$>", &[&element(items)]),
            Shape::Map(Value::Bool(_)) => Source::of("BTreeMap<String, Value>", &[]),
            Shape::Map(values) => Source::of("BTreeMap<String, $>", &[&element(values)]),
            Shape::Known(known) => Source::of(known.name, &[]),
            Shape::Any => Source::of("Value", &[]),
        };
        if is_nullable(schema) {
            Source::of("Option<$>", &[&type_])
        } else {
            type_
        }
    }

    /// The name of the type that a field of that name has.
    fn name(&self, schema: &Value, field: &str) -> Source {
        match self.names.get(&Key::new(&type_name(field), schema)) {
            Some(name) => Source::of("$", &[name]),
            None => Source::of("Value", &[]),
        }
    }

    pub(super) fn field(&mut self, field: &Field<'_>) -> Source {
        self.field_named(field, field.property)
    }

    /// A field as source, with a type that is called after something else.
    pub(super) fn field_named(&mut self, field: &Field<'_>, type_field: &str) -> Source {
        let mut text = described(field.schema, 4);
        let mut serde = Vec::new();
        if camel(field.name.as_str()).as_deref() != Some(field.property) {
            serde.push(Source::of("rename = $", &[&string(field.property)]));
        }
        if !field.is_required {
            serde.push(Source::of("default", &[]));
            if admits_null(field.schema) {
                let nullable = "deserialize_with = \"schema::nullable\"";
                serde.push(Source::of(nullable, &[]));
            }
            let skip = "skip_serializing_if = \"Option::is_none\"";
            serde.push(Source::of(skip, &[]));
        }
        text.push(serde_attribute(serde));
        if field.is_required && is_nullable(field.schema) {
            text.add("    #[schemars(required)]\n", &[]);
        }
        match attribute::of_field(field.schema, 4) {
            Attributes::Lines(lines) => text.extend(lines),
            Attributes::Function => {
                let function = self.function(field);
                text.add(
                    "    #[schemars(schema_with = $)]\n",
                    &[&string(function.as_str())],
                );
            }
        }
        let inner = self.type_of(field.schema, type_field);
        let type_ = if field.is_required {
            inner
        } else {
            Source::of("Option<$>", &[&inner])
        };
        let line = Source::of("    pub $: $,\n", &[&field.name, &type_]);
        if line.width() <= WIDTH + 1 {
            text.push(line);
        } else {
            text.add("    pub $:\n        $,\n", &[&field.name, &type_]);
        }
        text
    }

    /// The function that gives the schema of a field.
    fn function(&mut self, field: &Field<'_>) -> Identifier {
        let schema = without_texts(field.schema);
        let text = schema.to_string();
        if let Some((name, _)) = self.functions.get(&text) {
            return name.clone();
        }
        let plain = snake(field.property).with("_schema");
        let name = self.function_names.unique(plain, "_");
        self.functions.insert(text, (name.clone(), schema));
        name
    }
}

/// The fields of a struct.
pub(super) fn fields(schema: &Value) -> Vec<Field<'_>> {
    fields_and_names(schema).0
}

fn fields_and_names(schema: &Value) -> (Vec<Field<'_>>, Taken) {
    let mut taken = Taken::default();
    let fields = properties(schema).map(|(property, schema_of)| Field {
        name: taken.unique(snake(property), "_"),
        property,
        schema: schema_of,
        is_required: is_required(schema, property),
    });
    (fields.collect(), taken)
}

/// The name of the field that keeps what the schema does not name.
pub(super) fn rest(schema: &Value) -> Option<Identifier> {
    let mut taken = fields_and_names(schema).1;
    is_open(schema).then(|| taken.unique(Identifier::of("other", "other"), "_"))
}

/// A field that keeps what the schema does not name.
pub(super) fn rest_field(name: &Identifier) -> Source {
    let text = "    /// What is in no other field.\n    #[serde(flatten)]\n    #[schemars(skip)]\n    pub $: \
        BTreeMap<String, Value>,\n";
    Source::of(text, &[name])
}

/// The variants of an enum as source, one for each word.
pub(super) fn variants(words: &[Value]) -> Source {
    let mut taken = Taken::default();
    let mut known = BTreeSet::new();
    let words = words
        .iter()
        .filter_map(Value::as_str)
        .filter(|word| known.insert(*word))
        .enumerate();
    let variants = words.map(|(index, word)| {
        let preferred = match (pascal(word), word) {
            (_, "") => Identifier::of("Empty", "Empty"),
            (name, _) if name.is_empty() => Identifier::of(&format!("Value{}", index + 1), "Empty"),
            (name, _) => Identifier::of(&name, "Empty"),
        };
        let name = taken.unique(preferred, "");
        if name.as_str() == word {
            Source::of("    $,\n", &[&name])
        } else {
            Source::of(
                "    #[serde(rename = $)]\n    $,\n",
                &[&string(word), &name],
            )
        }
    });
    variants.collect()
}

fn serde_attribute(arguments: Vec<Source>) -> Source {
    if arguments.is_empty() {
        return Source::default();
    }
    let joined = Source::joined(arguments.iter().cloned(), ", ");
    if joined.width() <= ATTRIBUTE_WIDTH {
        return Source::of("    #[serde($)]\n", &[&joined]);
    }
    let lines = Source::joined(arguments, ",\n        ");
    Source::of("    #[serde(\n        $\n    )]\n", &[&lines])
}

/// Whether a type has a default: all of its fields are optional, or have one.
pub(super) fn has_default(schema: &Value) -> bool {
    match shape(schema) {
        _ if is_nullable(schema) => true,
        Shape::Enum(_) | Shape::Plain(Plain::DateTime | Plain::Number) => false,
        Shape::Struct => {
            let mut properties = properties(schema);
            properties.all(|(name, property)| !is_required(schema, name) || has_default(property))
        }
        _ => true,
    }
}
