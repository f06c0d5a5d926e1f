//! The schemas of built-in kinds, read from the tables in `builtin/`.
//!
//! A line `type` begins a type. Each line below it is a field: its name, its type and, after `=`, its default. A list
//! is written `[item]`, with `:set` or `:map(keys)` unless it is atomic; a map is `{value}`. A suffix of the type
//! defines when the field is written: without one, unless it is zero; `?`, if it was set; `!`, always.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::{Field, ListType, Presence, Schema, Type};

const TABLES: [&str; 13] = [
    include_str!("../builtin/meta.types"),
    include_str!("../builtin/container.types"),
    include_str!("../builtin/volume.types"),
    include_str!("../builtin/pod.types"),
    include_str!("../builtin/core.types"),
    include_str!("../builtin/node.types"),
    include_str!("../builtin/apps.types"),
    include_str!("../builtin/batch.types"),
    include_str!("../builtin/networking.types"),
    include_str!("../builtin/autoscaling.types"),
    include_str!("../builtin/rbac.types"),
    include_str!("../builtin/cluster.types"),
    // Kinds of which only the metadata is known: their other fields are stored unchanged.
    include_str!("../builtin/others.types"),
];

static TYPES: LazyLock<BTreeMap<&'static str, Arc<Schema>>> = LazyLock::new(read);

/// The schema of a built-in type.
///
/// # Panics
/// If there is no such type.
pub(crate) fn named(name: &str) -> Arc<Schema> {
    let found = TYPES.get(name);
    Arc::clone(found.unwrap_or_else(|| panic!("there is no built-in type {name}")))
}

/// The schema of a built-in kind: its type, with `apiVersion`, `kind` and `metadata`.
pub(crate) fn kind(name: &str) -> Arc<Schema> {
    let mut schema = (*named(name)).clone();
    for name in ["apiVersion", "kind"] {
        let field = Field {
            schema: Arc::new(Schema {
                type_: Type::String,
                ..Schema::default()
            }),
            presence: Presence::NotZero,
            default: None,
        };
        schema.fields.insert(name.to_owned(), field);
    }
    Arc::new(schema)
}

/// The header of a type, and the lines of its fields.
type Lines = BTreeMap<&'static str, (bool, Vec<&'static str>)>;

fn read() -> BTreeMap<&'static str, Arc<Schema>> {
    let mut lines = Lines::new();
    let mut last = "";
    for line in TABLES.iter().flat_map(|table| table.lines()) {
        if let Some(header) = line.strip_prefix("type ") {
            let (name, rest) = header.split_once(' ').unwrap_or((header, ""));
            lines.insert(name, (rest == "atomic", Vec::new()));
            last = name;
        } else if let Some((_, fields)) = lines.get_mut(last) {
            fields.push(line.trim_start());
        }
    }
    let mut types = BTreeMap::new();
    for name in lines.keys() {
        build(name, &lines, &mut types);
    }
    types
}

fn build(
    name: &'static str,
    lines: &Lines,
    types: &mut BTreeMap<&'static str, Arc<Schema>>,
) -> Arc<Schema> {
    if let Some(known) = types.get(name) {
        return Arc::clone(known);
    }
    let (is_atomic, fields) = lines.get(name).unwrap_or_else(|| panic!("no type {name}"));
    let fields = fields.iter().map(|line| field(line, lines, types));
    let schema = Arc::new(Schema {
        name: name.to_owned(),
        type_: Type::Object,
        fields: fields.collect(),
        is_atomic: *is_atomic,
        ..Schema::default()
    });
    types.insert(name, Arc::clone(&schema));
    schema
}

fn field(
    line: &'static str,
    lines: &Lines,
    types: &mut BTreeMap<&'static str, Arc<Schema>>,
) -> (String, Field) {
    let (line, default) = match line.split_once(" = ") {
        Some((line, default)) => (line, Some(default)),
        None => (line, None),
    };
    let (name, type_) = line.split_once(' ').expect("a field has a type");
    let (type_, presence) = if let Some(type_) = type_.strip_suffix("!?") {
        (type_, Presence::Null)
    } else if let Some(type_) = type_.strip_suffix('!') {
        (type_, Presence::Always)
    } else if let Some(type_) = type_.strip_suffix('?') {
        (type_, Presence::Given)
    } else {
        (type_, Presence::NotZero)
    };
    let default = default.map(|text| serde_json::from_str(text).expect("a default is JSON"));
    let schema = of(type_, lines, types);
    let field = Field {
        schema,
        presence,
        default,
    };
    (name.to_owned(), field)
}

/// The schema of a field's type.
fn of(
    text: &'static str,
    lines: &Lines,
    types: &mut BTreeMap<&'static str, Arc<Schema>>,
) -> Arc<Schema> {
    if let Some(inner) = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        let (item, list) = match inner.split_once(':') {
            None => (inner, ListType::Atomic),
            Some((item, "set")) => (item, ListType::Set),
            Some((item, map)) => {
                let keys = map.trim_start_matches("map(").trim_end_matches(')');
                (
                    item,
                    ListType::Map(keys.split(',').map(str::to_owned).collect()),
                )
            }
        };
        return Arc::new(Schema {
            type_: Type::List,
            items: Some(of(item, lines, types)),
            list,
            ..Schema::default()
        });
    }
    if let Some(inner) = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    {
        let (value, is_atomic) = match inner.split_once(':') {
            None => (inner, false),
            Some((value, _)) => (value, true),
        };
        return Arc::new(Schema {
            type_: Type::Object,
            values: Some(of(value, lines, types)),
            is_atomic,
            ..Schema::default()
        });
    }
    let type_ = match text {
        "any" => Type::Any,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "time" => Type::Time,
        "microtime" => Type::MicroTime,
        "quantity" => Type::Quantity,
        "intorstring" => Type::IntOrString,
        "bool" => Type::Bool,
        "int32" => Type::Int32,
        "int64" => Type::Int64,
        "number" => Type::Number,
        _ => {
            let Some(name) = text.strip_suffix(":atomic") else {
                return build(text, lines, types);
            };
            let mut schema = (*build(name, lines, types)).clone();
            schema.is_atomic = true;
            return Arc::new(schema);
        }
    };
    Arc::new(Schema {
        type_,
        is_atomic: type_ == Type::Any,
        ..Schema::default()
    })
}
