//! What a schema says beyond its type, as attributes.

use serde_json::{Map, Value};

use super::literal;
use super::schema::{Plain, Shape, facts, is_said_by_type, shape, without_texts};

/// The widest line.
const WIDTH: usize = 100;

/// The widest arguments that rustfmt leaves on the line of an attribute.
const ARGUMENTS: usize = 70;

/// What a longer part of a schema would make of an attribute is easier to read in a function of its own.
const PART: usize = 160;

/// The attributes of a field, or that its whole schema is to be given by a function.
pub(super) enum Attributes {
    Lines(Vec<String>),
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
    let is_long = |value: &Value| !value.is_string() && literal::json(value).len() > PART;
    let parts = facts.iter();
    let mut parts = parts.filter(|(name, _)| !["default", "enum", RULES].contains(&name.as_str()));
    if parts.any(|(_, value)| is_long(value)) {
        return Attributes::Function;
    }
    lines.extend(extend(&facts, indent));
    Attributes::Lines(lines)
}

const RULES: &str = "x-kubernetes-validations";

/// The attributes of an enum or a struct.
pub(super) fn of_type(schema: &Value) -> Vec<String> {
    extend(&facts(schema), 0).into_iter().collect()
}

/// What schemars has attributes for.
fn validation(schema: &Value, facts: &mut Map<String, Value>, indent: usize) -> Vec<String> {
    let attributes = constraints(schema, facts, indent);
    let lines = attributes.into_iter();
    lines
        .map(|one| format!("{}#[schemars({one})]\n", " ".repeat(indent)))
        .collect()
}

fn constraints(schema: &Value, facts: &mut Map<String, Value>, indent: usize) -> Vec<String> {
    let mut attributes = Vec::new();
    let mut limits = |name: &str, [min, max]: [&str; 2]| {
        let limit = |word: &str, keyword: &str| {
            facts
                .get(keyword)
                .map(|value| format!("{word} = {}", literal::json(value)))
        };
        let both = [limit("min", min), limit("max", max)];
        let both: Vec<String> = both.into_iter().flatten().collect();
        if !both.is_empty() {
            attributes.push(format!("{name}({})", both.join(", ")));
            facts.remove(min);
            facts.remove(max);
        }
    };
    match shape(schema) {
        Shape::Plain(plain) if plain.is_number() => limits("range", ["minimum", "maximum"]),
        Shape::Plain(Plain::String) => {
            limits("length", ["minLength", "maxLength"]);
            let pattern = facts.get("pattern").and_then(Value::as_str);
            let pattern =
                pattern.map(|pattern| format!("regex(pattern = {})", literal::string(pattern)));
            if let Some(pattern) = pattern
                && pattern.len() <= ARGUMENTS.min(WIDTH - indent - 14)
            {
                attributes.push(pattern);
                facts.remove("pattern");
            }
        }
        Shape::List(_) => limits("length", ["minItems", "maxItems"]),
        _ => {}
    }
    attributes
}

/// The attribute that says all of the items of a list, if one can.
fn of_items(keyword: &str, items: &Value, indent: usize) -> Option<String> {
    let mut facts = facts(items);
    let attributes = constraints(items, &mut facts, indent + 7).join(", ");
    let is_all = keyword == "items" && facts.is_empty() && matches!(shape(items), Shape::Plain(_));
    let line = format!("{}#[schemars(inner({attributes}))]\n", " ".repeat(indent));
    (is_all && attributes.len() + 7 <= ARGUMENTS && line.len() <= WIDTH + 1).then_some(line)
}

/// What schemars has no attributes for.
fn extend(facts: &Map<String, Value>, indent: usize) -> Option<String> {
    if facts.is_empty() {
        return None;
    }
    let space = " ".repeat(indent);
    let facts = facts.iter();
    let facts: Vec<(String, &Value)> = facts
        .map(|(name, value)| (literal::string(name), value))
        .collect();
    let one_line = facts
        .iter()
        .map(|(name, value)| format!("{name} = {}", literal::json(value)));
    let one_line = one_line.collect::<Vec<_>>().join(", ");
    let line = format!("{space}#[schemars(extend({one_line}))]\n");
    if line.len() <= WIDTH + 1 {
        return Some(line);
    }
    let lines = facts.iter().map(|(name, value)| {
        let one_line = format!("{space}    {name} = {}", literal::json(value));
        match value {
            _ if one_line.len() < WIDTH => one_line,
            Value::Array(items) => {
                format!("{space}    {name} = {}", literal::array(items, indent + 4))
            }
            Value::Object(fields) => format!(
                "{space}    {name} = {}",
                literal::object(fields, indent + 4)
            ),
            _ => one_line,
        }
    });
    let lines = lines.collect::<Vec<_>>().join(",\n");
    Some(format!("{space}#[schemars(extend(\n{lines}\n{space}))]\n"))
}
