//! The fields of a struct, and the words of an enum.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::attribute::{self, Attributes};
use super::document::document;
use super::literal;
use super::schema::{
    Plain, Shape, admits_null, is_nullable, is_open, is_required, properties, shape, without_texts,
};
use super::tree::{Key, type_name};
use super::words::{camel, identifier, pascal, singular, snake};

/// The widest line.
const WIDTH: usize = 100;

/// The types of a schema by their names, with what is collected while they are written.
pub(super) struct Declarations {
    pub(super) names: BTreeMap<Key, String>,
    /// Functions that give the schemas of fields, by these schemas.
    pub(super) functions: BTreeMap<String, (String, Value)>,
    function_names: BTreeSet<String>,
}

/// A field of a struct.
pub(super) struct Field<'a> {
    pub(super) name: String,
    pub(super) property: &'a str,
    pub(super) schema: &'a Value,
    pub(super) is_required: bool,
}

impl Declarations {
    pub(super) fn new(names: BTreeMap<Key, String>) -> Self {
        Self {
            names,
            functions: BTreeMap::new(),
            function_names: BTreeSet::new(),
        }
    }

    /// The type of a schema, in a field of that name.
    pub(super) fn type_of(&self, schema: &Value, field: &str) -> String {
        let type_ = match shape(schema) {
            Shape::Plain(plain) => plain.name().to_owned(),
            Shape::Enum(_) | Shape::Struct => self.name(schema, field),
            Shape::List(items) => format!("Vec<{}>", self.type_of(items, &singular(field))),
            Shape::Map(Value::Bool(_)) => "BTreeMap<String, Value>".to_owned(),
            Shape::Map(values) => {
                format!(
                    "BTreeMap<String, {}>",
                    self.type_of(values, &singular(field))
                )
            }
            Shape::Known(known) => known.name.to_owned(),
            Shape::Any => "Value".to_owned(),
        };
        if is_nullable(schema) {
            format!("Option<{type_}>")
        } else {
            type_
        }
    }

    /// The name of the type that a field of that name has.
    pub(super) fn name(&self, schema: &Value, field: &str) -> String {
        let key = Key::new(&type_name(field), schema);
        self.names
            .get(&key)
            .cloned()
            .unwrap_or_else(|| "Value".to_owned())
    }

    /// A field as source.
    pub(super) fn field(&mut self, field: &Field<'_>) -> String {
        self.field_named(field, field.property)
    }

    /// A field as source, with a type that is called after something else.
    pub(super) fn field_named(&mut self, field: &Field<'_>, type_field: &str) -> String {
        let mut text = described(field.schema, "    ");
        let mut serde = Vec::new();
        if camel(&field.name) != field.property {
            serde.push(format!("rename = {}", literal::string(field.property)));
        }
        if !field.is_required {
            serde.push("default".to_owned());
            if admits_null(field.schema) {
                serde.push("deserialize_with = \"schema::nullable\"".to_owned());
            }
            serde.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
        text += &serde_attribute(&serde);
        if field.is_required && is_nullable(field.schema) {
            text += "    #[schemars(required)]\n";
        }
        match attribute::of_field(field.schema, 4) {
            Attributes::Lines(lines) => text.extend(lines),
            Attributes::Function => {
                let function = self.function(field);
                let _ = writeln!(text, "    #[schemars(schema_with = \"{function}\")]");
            }
        }
        let type_ = self.type_of(field.schema, type_field);
        let type_ = match field.is_required {
            true => type_,
            false => format!("Option<{type_}>"),
        };
        let line = format!("    pub {}: {type_},\n", field.name);
        match line.len() <= WIDTH + 1 {
            true => text += &line,
            false => {
                let _ = writeln!(
                    text,
                    "    pub {}:
        {type_},",
                    field.name
                );
            }
        }
        text
    }

    /// The function that gives the schema of a field.
    fn function(&mut self, field: &Field<'_>) -> String {
        let schema = without_texts(field.schema);
        let text = schema.to_string();
        if let Some((name, _)) = self.functions.get(&text) {
            return name.clone();
        }
        let plain = format!("{}_schema", snake(field.property));
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names
            .find(|name| !self.function_names.contains(name))
            .unwrap_or(plain);
        self.function_names.insert(name.clone());
        self.functions.insert(text, (name.clone(), schema));
        name
    }
}

/// The fields of a struct.
pub(super) fn fields(schema: &Value) -> Vec<Field<'_>> {
    let mut taken = BTreeSet::new();
    let fields = properties(schema).map(|(property, schema_of)| Field {
        name: unique(snake(property), "_", &mut taken),
        property,
        schema: schema_of,
        is_required: is_required(schema, property),
    });
    fields.collect()
}

/// The name of the field that keeps what the schema does not name.
pub(super) fn rest(schema: &Value) -> Option<String> {
    let mut taken: BTreeSet<String> = fields(schema).into_iter().map(|field| field.name).collect();
    is_open(schema).then(|| unique("other".to_owned(), "_", &mut taken))
}

/// A field that keeps what the schema does not name.
pub(super) fn rest_field(name: &str) -> String {
    format!(
        "    /// What is in no other field.\n    #[serde(flatten)]\n    #[schemars(skip)]\n    pub {name}: BTreeMap<String, Value>,\n"
    )
}

/// A variant of an enum as source.
pub(super) fn variants(words: &[Value]) -> String {
    let mut taken = BTreeSet::new();
    let words = words.iter().filter(|word| word.is_string());
    let variants = words.enumerate().map(|(index, word)| {
        let word = word.as_str().unwrap_or_default();
        let name = match (pascal(word), word) {
            (_, "") => "Empty".to_owned(),
            (name, _) if name.is_empty() => format!("Value{}", index + 1),
            (name, _) => identifier(name, "Empty"),
        };
        let name = unique(name, "", &mut taken);
        match name == word {
            true => format!("    {name},\n"),
            false => format!(
                "    #[serde(rename = {})]\n    {name},\n",
                literal::string(word)
            ),
        }
    });
    variants.collect()
}

/// The description of a schema as comment.
pub(super) fn described(schema: &Value, indent: &str) -> String {
    let description = schema["description"].as_str();
    description
        .map(|text| document(text, indent))
        .unwrap_or_default()
}

fn serde_attribute(arguments: &[String]) -> String {
    let joined = arguments.join(", ");
    match joined.len() {
        0 => String::new(),
        1..=70 => format!("    #[serde({joined})]\n"),
        _ => {
            let lines: String = arguments
                .iter()
                .map(|one| format!("        {one},\n"))
                .collect();
            let lines = lines.trim_end_matches([',', '\n']);
            format!("    #[serde(\n{lines}\n    )]\n")
        }
    }
}

/// A name that is not taken yet.
fn unique(name: String, between: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}{between}{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let free = names.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
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
