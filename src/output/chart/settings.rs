//! The values of a chart: what `values.yaml` has, and what its schema allows.

use serde_json::{Map, Value, json};

use crate::error::Result;
use crate::yaml;

/// A value that users of the chart can set.
#[derive(Clone, Debug, PartialEq)]
struct Setting {
    /// Its fields: `image.tag`.
    path: String,
    about: String,
    default: Value,
    schema: Value,
}

/// The values of a chart, in the order of `values.yaml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings(Vec<Setting>);

impl Settings {
    /// Adds a value whose type is that of its default.
    pub(super) fn add(&mut self, path: &str, about: &str, default: Value) {
        let schema = match &default {
            Value::Bool(_) => json!({ "type": "boolean" }),
            Value::Number(_) => json!({ "type": "integer", "minimum": 0 }),
            Value::Array(_) => json!({ "type": "array", "items": { "type": "object" } }),
            Value::Object(_) => json!({ "type": "object" }),
            Value::String(_) | Value::Null => json!({ "type": "string" }),
        };
        self.add_with(path, about, default, schema);
    }

    /// Adds a value with a schema.
    pub(super) fn add_with(&mut self, path: &str, about: &str, default: Value, schema: Value) {
        if self.0.iter().all(|setting| setting.path != path) {
            self.0.push(Setting {
                path: path.to_owned(),
                about: about.to_owned(),
                default,
                schema,
            });
        }
    }

    /// Gives a value another schema.
    pub(super) fn retype(&mut self, path: &str, schema: Value) {
        let found = self.0.iter_mut().find(|setting| setting.path == path);
        if let Some(setting) = found {
            setting.schema = schema;
        }
    }

    /// Whether there is a value.
    pub(super) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|setting| setting.path == path)
    }

    /// The same with another default of a value.
    pub(super) fn with_default(&self, path: &str, default: Value) -> Self {
        let mut settings = self.clone();
        let found = settings.0.iter_mut().find(|setting| setting.path == path);
        if let Some(setting) = found {
            setting.default = default;
        }
        settings
    }

    /// Those that one of several templates uses.
    pub(super) fn used_in(&self, templates: &[&str]) -> Self {
        let is_used = |setting: &&Setting| {
            let value = format!(".Values.{}", setting.path);
            templates.iter().any(|text| text.contains(&value))
        };
        Self(self.0.iter().filter(is_used).cloned().collect())
    }

    /// The text of `values.yaml`.
    ///
    /// # Errors
    /// As the library says.
    pub(super) fn to_yaml(&self) -> Result<String> {
        let mut text =
            "# Values of the chart. `rop generate chart` adds new ones, and keeps your edits.\n"
                .to_owned();
        let mut group = "";
        for setting in &self.0 {
            let (first, field) = match setting.path.split_once('.') {
                Some((first, field)) => (first, Some(field)),
                None => (&*setting.path, None),
            };
            if first != group || field.is_none() {
                text.push('\n');
            }
            let indent = if field.is_some() { "  " } else { "" };
            if field.is_some() && first != group {
                text.extend([first, ":\n"]);
            }
            group = first;
            for line in setting.about.lines() {
                text.extend([indent, "# ", line, "\n"]);
            }
            let key = field.unwrap_or(first);
            let value = yaml::to_string(&json!({ key: setting.default }))?;
            for line in value.lines() {
                text.extend([indent, line, "\n"]);
            }
        }
        Ok(text)
    }

    /// The text of `values.schema.json`, without the line that opens it: that is the header.
    pub(super) fn to_schema(&self) -> String {
        let mut properties = Map::new();
        for setting in &self.0 {
            let mut schema = setting.schema.clone();
            schema["description"] = setting.about.replace('\n', " ").into();
            match setting.path.split_once('.') {
                None => drop(properties.insert(setting.path.clone(), schema)),
                Some((group, field)) => {
                    let group = properties.entry(group).or_insert_with(
                        || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
                    );
                    group["properties"][field] = schema;
                }
            }
        }
        for (name, schema, about) in [
            (
                "enabled",
                "boolean",
                "Set by charts that have this one as an optional dependency.",
            ),
            (
                "global",
                "object",
                "Set by charts that have this one as a dependency.",
            ),
        ] {
            properties.insert(
                name.to_owned(),
                json!({ "type": schema, "description": about }),
            );
        }
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "additionalProperties": false,
            "properties": properties,
        });
        let text = format!("{schema:#}\n");
        text.strip_prefix("{\n").unwrap_or(&text).to_owned()
    }
}
