//! Paths of replacements: `spec.template.spec.containers.[name=manager].image`.

use regex::Regex;
use serde_json::{Map, Value};

/// No path has more parts.
const MOST_PARTS: usize = 64;

/// A path to fields of an object.
pub(super) struct Path(Vec<Part>);

enum Part {
    Field(String),
    Index(usize),
    /// The items whose field has a value.
    Items {
        field: String,
        value: String,
    },
    /// All items.
    Every,
}

/// What takes the place of a field that is missing.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Create {
    Nothing,
    /// Null, which no path leads through otherwise.
    Scalar,
    Object,
    List,
}

impl Path {
    pub(super) fn parse(path: &str) -> Option<Self> {
        let parts: Vec<Part> = split(path)?.into_iter().map(part).collect::<Option<_>>()?;
        (parts.len() <= MOST_PARTS).then_some(Self(parts))
    }

    /// The one value at the path: an item is known by the whole value of its field.
    pub(super) fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |value, part| match part {
            Part::Field(name) => value.as_object()?.get(name),
            Part::Index(index) => value.as_array()?.get(*index),
            Part::Items { field, value: text } => {
                let mut items = value.as_array()?.iter();
                items.find(|item| item.get(field).and_then(text_of).as_ref() == Some(text))
            }
            Part::Every => None,
        })
    }

    /// Calls `change` with each value at the path: there must be at least one.
    pub(super) fn visit(
        &self,
        value: &mut Value,
        create: Create,
        change: &mut dyn FnMut(&mut Value) -> Option<()>,
    ) -> Option<()> {
        (visit(value, &self.0, create, change)? > 0).then_some(())
    }
}

/// The parts between dots that no backslash and no brackets keep.
fn split(path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    for piece in path.split('.') {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push('.');
                last.push_str(piece);
            }
            Some(last) if last.starts_with('[') && !last.ends_with(']') => {
                last.push('.');
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    let is_plain = |part: &String| !part.is_empty() && part.trim() == part && !part.contains('\\');
    parts.iter().all(is_plain).then_some(parts)
}

fn part(text: String) -> Option<Part> {
    if text == "*" {
        return Some(Part::Every);
    }
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?;
        return match inner.split_once('=') {
            Some((field, value)) if !field.is_empty() => Some(Part::Items {
                field: field.to_owned(),
                value: value.to_owned(),
            }),
            // Brackets without a dot in them are an error.
            None if inner.contains('.') => Some(Part::Field(inner.to_owned())),
            _ => None,
        };
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit()) {
        return text.parse().ok().map(Part::Index);
    }
    let is_special = text == "-" || text.starts_with(['-', '+']) || text.contains(['[', ']', '=']);
    (!is_special).then_some(Part::Field(text))
}

/// How many values were visited.
fn visit(
    value: &mut Value,
    path: &[Part],
    create: Create,
    change: &mut dyn FnMut(&mut Value) -> Option<()>,
) -> Option<usize> {
    let Some((part, rest)) = path.split_first() else {
        change(value)?;
        return Some(1);
    };
    let mut every = |items: Vec<&mut Value>| {
        let counts = items
            .into_iter()
            .map(|item| visit(item, rest, create, change));
        counts.sum::<Option<usize>>()
    };
    match (part, value) {
        (Part::Field(name), Value::Object(fields)) => {
            if !fields.contains_key(name) {
                let Some(new) = created(rest.first(), create) else {
                    return Some(0);
                };
                fields.insert(name.clone(), new);
            } else if fields[name].is_null() {
                return None;
            }
            every(fields.get_mut(name).into_iter().collect())
        }
        (Part::Index(index), Value::Array(items)) => every(vec![items.get_mut(*index)?]),
        (Part::Items { field, value }, Value::Array(items)) => {
            let pattern = pattern(value)?;
            let mut matching = Vec::new();
            for item in items {
                let Some(found) = item.as_object()?.get(field) else {
                    continue;
                };
                let text = text_of(found).filter(|text| is_simple(text))?;
                if pattern.is_match(&text) {
                    matching.push(item);
                }
            }
            // kustomize would add an item.
            if matching.is_empty() && create != Create::Nothing {
                return None;
            }
            every(matching)
        }
        (Part::Every, Value::Array(items)) => every(items.iter_mut().collect()),
        _ => None,
    }
}

/// What takes the place of a field that is missing, depending on the part behind it.
fn created(next: Option<&Part>, create: Create) -> Option<Value> {
    match (create, next) {
        (Create::Nothing, _) => None,
        (_, Some(Part::Field(_))) | (Create::Object, None) => Some(Value::Object(Map::new())),
        (_, Some(_)) | (Create::List, None) => Some(Value::Array(Vec::new())),
        (Create::Scalar, None) => Some(Value::Null),
    }
}

/// Items are known by a part of the value, as a regular expression.
fn pattern(value: &str) -> Option<Regex> {
    if is_simple(value) {
        Regex::new(value).ok()
    } else {
        None
    }
}

/// Whether a text has neither quotes in YAML nor a special meaning in an expression, except for its dots.
fn is_simple(text: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    !text.is_empty() && text.chars().all(is_usual)
}

/// A scalar as YAML writes it.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is_true) => Some(is_true.to_string()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(path: &str, create: Create, value: &mut Value) -> Option<()> {
        let path = Path::parse(path)?;
        path.visit(value, create, &mut |found| {
            *found = json!("new");
            Some(())
        })
    }

    #[test]
    fn paths_lead_to_fields_items_and_keys_with_dots() {
        for (path, expected) in [
            (
                "a.b",
                json!({"a": {"b": "new", "c.d/e": 1, "l": [{"n": "x"}, {"n": "xy"}]}}),
            ),
            (
                "a.[c.d/e]",
                json!({"a": {"b": 0, "c.d/e": "new", "l": [{"n": "x"}, {"n": "xy"}]}}),
            ),
            (
                r"a.c\.d/e",
                json!({"a": {"b": 0, "c.d/e": "new", "l": [{"n": "x"}, {"n": "xy"}]}}),
            ),
            (
                "a.l.1.n",
                json!({"a": {"b": 0, "c.d/e": 1, "l": [{"n": "x"}, {"n": "new"}]}}),
            ),
            (
                "a.l.[n=x].n",
                json!({"a": {"b": 0, "c.d/e": 1, "l": [{"n": "new"}, {"n": "new"}]}}),
            ),
            (
                "a.l.*.n",
                json!({"a": {"b": 0, "c.d/e": 1, "l": [{"n": "new"}, {"n": "new"}]}}),
            ),
        ] {
            let mut value = json!({"a": {"b": 0, "c.d/e": 1, "l": [{"n": "x"}, {"n": "xy"}]}});
            set(path, Create::Nothing, &mut value).expect(path);
            assert_eq!(value, expected, "{path}");
        }
        let found = json!({"l": [{"n": "xy"}, {"n": "x", "v": 1}]});
        let path = Path::parse("l.[n=x].v").expect("a path");
        assert_eq!(path.find(&found), Some(&json!(1)));
        let mut value = json!({});
        set("a.b", Create::Scalar, &mut value).expect("a path");
        assert_eq!(value, json!({"a": {"b": "new"}}));
    }

    #[test]
    fn what_is_missing_or_ambiguous_is_left() {
        for path in [
            "",
            "a..b",
            "a.",
            ".a",
            "a.[n]",
            "a.[=x]",
            "a.-",
            "a.b.c",
            "a.l.2.n",
            "a.l.[n=^x$].n",
            "a.l.[n=(].n",
            "a.null",
            "a.l.99999999999999999999",
            "a.*",
            "x",
        ] {
            let mut value = json!({"a": {"b": "text", "null": null, "l": [{"n": "x"}]}});
            assert_eq!(set(path, Create::Nothing, &mut value), None, "{path}");
        }
        let long = "a.".repeat(MOST_PARTS) + "a";
        assert!(Path::parse(&long).is_none());
    }
}
