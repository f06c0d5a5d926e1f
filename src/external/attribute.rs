//! What a schema says beyond its type, as attributes.

use serde_json::{Map, Value};

use super::schema::{Plain, Shape, facts, is_said_by_type, shape, without_texts};
use super::source::{self, Source, json};
use crate::rustfmt::{ATTRIBUTE_WIDTH, WIDTH};

/// What a longer part of a schema would make of an attribute is easier to read in a function of its own.
const PART: usize = 160;

/// The attributes of a field, or that its whole schema is to be given by a function.
pub(super) enum Attributes {
    Lines(Vec<Source>),
    Function,
}

/// The attributes of a field. Those of enums and structs are at their declaration.
pub(super) fn of_field(schema: &Value, indent: usize) -> Attributes {
    let inner = match shape(schema) {
        Shape::Enum(_) | Shape::Struct if is_said_by_type(schema) => {
            return Attributes::Lines(Vec::new());
        }
        Shape::Enum(_) | Shape::Struct | Shape::Known(_) => return Attributes::Function,
        Shape::List(items) if !is_said_by_type(items) => Some(("items", items)),
        Shape::Map(values) if values.is_object() && !is_said_by_type(values) => {
            Some(("additionalProperties", values))
        }
        Shape::Plain(_) | Shape::List(_) | Shape::Map(_) | Shape::Any => None,
    };
    let mut facts = facts(schema);
    let mut lines = validation(schema, &mut facts, indent);
    if let Some((keyword, inner)) = inner {
        match of_items(keyword, inner, indent) {
            Some(line) => lines.push(line),
            None => drop(facts.insert(keyword.to_owned(), without_texts(inner))),
        }
    }
    let is_long = |value: &Value| !value.is_string() && json(value).width() > PART;
    let mut parts = facts
        .iter()
        .filter(|(name, _)| !["default", "enum", RULES].contains(&name.as_str()));
    if parts.any(|(_, value)| is_long(value)) {
        return Attributes::Function;
    }
    lines.extend(extend(&facts, indent));
    Attributes::Lines(lines)
}

const RULES: &str = "x-kubernetes-validations";

/// The attributes of an enum or a struct.
pub(super) fn of_type(schema: &Value) -> Option<Source> {
    extend(&facts(schema), 0)
}

/// What schemars has attributes for.
fn validation(schema: &Value, facts: &mut Map<String, Value>, indent: usize) -> Vec<Source> {
    let attributes = constraints(schema, facts, indent);
    let lines = attributes.into_iter();
    lines
        .map(|attribute| Source::of("$#[schemars($)]\n", &[&Source::spaces(indent), &attribute]))
        .collect()
}

fn constraints(schema: &Value, facts: &mut Map<String, Value>, indent: usize) -> Vec<Source> {
    let mut attributes = Vec::new();
    let mut limits = |texts: [&'static str; 3], [min, max]: [&str; 2]| {
        let limit = |keyword: &str| facts.get(keyword).filter(|value| value.is_number());
        let [attribute, word, other] = texts;
        let bounds = [(word, limit(min)), (other, limit(max))]
            .into_iter()
            .filter_map(|(word, value)| Some(Source::of(word, &[&json(value?)])));
        let both = Source::joined(bounds, ", ");
        if !both.is_empty() {
            attributes.push(Source::of(attribute, &[&both]));
            for keyword in [min, max] {
                if facts.get(keyword).is_some_and(Value::is_number) {
                    facts.remove(keyword);
                }
            }
        }
    };
    let length = ["length($)", "min = $", "max = $"];
    match shape(schema) {
        Shape::Plain(plain) if plain.is_number() => {
            limits(["range($)", "min = $", "max = $"], ["minimum", "maximum"]);
        }
        Shape::Plain(Plain::String) => {
            limits(length, ["minLength", "maxLength"]);
            let pattern = facts
                .get("pattern")
                .and_then(Value::as_str)
                .map(|pattern| Source::of("regex(pattern = $)", &[&source::string(pattern)]));
            if let Some(pattern) = pattern
                && pattern.width() <= ATTRIBUTE_WIDTH.min(WIDTH - indent - 14)
            {
                attributes.push(pattern);
                facts.remove("pattern");
            }
        }
        Shape::List(_) => limits(length, ["minItems", "maxItems"]),
        _ => {}
    }
    attributes
}

/// The attribute that says all of the items of a list, if one can.
fn of_items(keyword: &str, items: &Value, indent: usize) -> Option<Source> {
    let mut facts = facts(items);
    let attributes = Source::joined(constraints(items, &mut facts, indent + 7), ", ");
    let is_all = keyword == "items" && facts.is_empty() && matches!(shape(items), Shape::Plain(_));
    let width = attributes.width();
    let line = Source::of(
        "$#[schemars(inner($))]\n",
        &[&Source::spaces(indent), &attributes],
    );
    (is_all && width + 7 <= ATTRIBUTE_WIDTH && line.width() <= WIDTH + 1).then_some(line)
}

/// What schemars has no attributes for.
fn extend(facts: &Map<String, Value>, indent: usize) -> Option<Source> {
    if facts.is_empty() {
        return None;
    }
    let space = Source::spaces(indent);
    let facts: Vec<_> = facts
        .iter()
        .map(|(name, value)| (source::string(name), value))
        .collect();
    let argument = |name: &Source, value: Source| Source::of("$ = $", &[name, &value]);
    let arguments = facts
        .iter()
        .map(|(name, value)| argument(name, json(value)));
    let one_line = Source::joined(arguments, ", ");
    let line = Source::of("$#[schemars(extend($))]\n", &[&space, &one_line]);
    if line.width() <= WIDTH + 1 {
        return Some(line);
    }
    let arguments = facts.iter().map(|(name, value)| {
        let one_line = Source::of("$    $", &[&space, &argument(name, json(value))]);
        let several = match value {
            _ if one_line.width() < WIDTH => return one_line,
            Value::Array(items) => source::array(items, indent + 4),
            Value::Object(fields) => source::object(fields, indent + 4),
            _ => return one_line,
        };
        Source::of("$    $", &[&space, &argument(name, several)])
    });
    let lines = Source::joined(arguments, ",\n");
    Some(Source::of(
        "$#[schemars(extend(\n$\n$))]\n",
        &[&space, &lines, &space],
    ))
}
