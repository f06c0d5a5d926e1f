//! The fields that the book documents of each command's JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;

const PAGE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/book/src/reference/json.md"
));

/// The section of failures, and that of the one object that does not name its command.
const FAILURES: &str = "Failures";
const VERSION: &str = "Version";

/// A documented field.
#[derive(Clone, Debug)]
struct Field {
    types: Vec<&'static str>,
    is_optional: bool,
}

/// A section of the page.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) commands: Vec<&'static str>,
    fields: BTreeMap<&'static str, Field>,
}

static SECTIONS: LazyLock<Vec<Section>> =
    LazyLock::new(|| PAGE.split("\n## ").skip(1).map(section).collect());

/// All sections of the page.
pub(crate) fn sections() -> &'static [Section] {
    &SECTIONS
}

fn section(text: &'static str) -> Section {
    let mut lines = text.lines();
    let name = lines.next().expect("a heading");
    let printed = text
        .lines()
        .find_map(|line| line.strip_prefix("Printed by "));
    let (printed, _) = printed
        .and_then(|line| line.split_once('.'))
        .unwrap_or_default();
    let rows = lines.filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let fields = rows.map(|(field, rest)| {
        let (types, _) = rest.split_once(" |").expect("a type");
        let inner = field.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        let is_optional = inner.is_some();
        let types = types.split(' ').collect();
        (inner.unwrap_or(field), Field { types, is_optional })
    });
    Section {
        name,
        commands: printed.split('`').skip(1).step_by(2).collect(),
        fields: fields.collect(),
    }
}

/// Compares what a command printed with the page. Returns the section and the fields that it has.
#[track_caller]
pub(crate) fn check(stdout: &str) -> (&'static Section, BTreeSet<&'static str>) {
    let report: Value = serde_json::from_str(stdout).unwrap_or_else(|e| panic!("{e}:\n{stdout}"));
    let command = report["command"].as_str();
    let command = command.map(|command| command.strip_suffix(" --check").unwrap_or(command));
    let is_of = |section: &&Section| match command {
        Some(command) => section.commands.contains(&command),
        None if report.get("rop").is_some() => section.name == VERSION,
        None => section.name == FAILURES,
    };
    let section = sections().iter().find(is_of);
    let section = section.unwrap_or_else(|| panic!("no section documents {stdout}"));
    let mut found = BTreeSet::new();
    let mut look = Look {
        section,
        found: &mut found,
        wrong: Vec::new(),
    };
    look.value(&report, String::new());
    for (name, field) in &section.fields {
        // An array can be empty.
        if !field.is_optional && !name.contains("[]") && !look.found.contains(name) {
            look.wrong.push(format!("`{name}` is missing"));
        }
    }
    let wrong = look.wrong;
    assert!(
        wrong.is_empty(),
        "{}: {}\n{stdout}",
        section.name,
        wrong.join(", ")
    );
    (section, found)
}

impl Section {
    /// The fields that some commands never printed.
    pub(crate) fn unseen<'a>(&'a self, seen: &'a BTreeSet<&str>) -> Vec<&'a str> {
        let fields = self.fields.keys().copied();
        fields.filter(|field| !seen.contains(field)).collect()
    }
}

struct Look<'a> {
    section: &'static Section,
    found: &'a mut BTreeSet<&'static str>,
    wrong: Vec<String>,
}

impl Look<'_> {
    fn value(&mut self, value: &Value, path: String) {
        let (parent, _) = path.rsplit_once('.').unwrap_or_default();
        let any = format!("{parent}.*");
        let fields = &self.section.fields;
        let documented = fields
            .get_key_value(&*path)
            .or_else(|| fields.get_key_value(&*any));
        if let Some((name, field)) = documented {
            self.found.insert(name);
            let actual = name_of(value);
            if !field.types.contains(&actual) && field.types != ["any"] {
                self.wrong.push(format!("`{path}` is {actual}"));
            }
            return;
        }
        match value {
            Value::Array(items) => {
                for item in items {
                    self.value(item, format!("{path}[]"));
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let dot = if path.is_empty() { "" } else { "." };
                    self.value(value, format!("{path}{dot}{name}"));
                }
            }
            _ => self.wrong.push(format!("`{path}` is not documented")),
        }
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
