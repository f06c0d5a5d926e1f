//! The values of a chart: what `values.yaml` has, and what its schema allows.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::error::{Code, Error, Result};
use crate::plan::json_body;
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

impl Setting {
    /// Whether templates need the value: without it, a switch would silently be off.
    fn is_required(&self) -> bool {
        self.default.is_boolean() || self.default.is_number() || self.path == "image.repository"
    }
}

/// The schema of a mapping of texts.
pub(super) fn texts() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" } })
}

/// The schema of a list of objects with these fields, which are texts, among others.
pub(super) fn objects(fields: &[&str]) -> Value {
    let field = |name: &&str| ((*name).to_owned(), json!({ "type": "string" }));
    let properties: Map<String, Value> = fields.iter().map(field).collect();
    json!({ "type": "array", "items": { "type": "object", "properties": properties } })
}

/// A name of most kinds of objects: a label of DNS.
pub(super) const NAME: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/// A name with dots: a subdomain of DNS.
pub(super) const SUBDOMAIN: &str = "[a-z0-9]([-.a-z0-9]*[a-z0-9])?";

/// Values that are Helm's, with their types.
const OF_HELM: [(&str, &str, &str); 2] = [
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
];

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

    /// Adds a text that matches a pattern, or is empty.
    pub(super) fn add_text(&mut self, path: &str, about: &str, default: Value, pattern: &str) {
        let schema = json!({ "type": "string", "pattern": format!("^({pattern})?$") });
        self.add_with(path, about, default, schema);
    }

    /// Adds a mapping of texts, such as labels.
    pub(super) fn add_texts(&mut self, path: &str, about: &str, default: Value) {
        self.add_with(path, about, default, texts());
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

    /// What all values are below, also those of Helm.
    pub(super) fn groups(&self) -> BTreeSet<String> {
        let paths = self.0.iter().map(|setting| &*setting.path);
        let groups = paths.map(|path| path.split('.').next().unwrap_or(path));
        let of_helm = OF_HELM.iter().map(|(name, ..)| *name).chain(["tags"]);
        groups.chain(of_helm).map(str::to_owned).collect()
    }

    /// Whether there is a value.
    pub(super) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|setting| setting.path == path)
    }

    /// Refuses values without which Helm refuses the chart: a switch that is missing would be off.
    ///
    /// # Errors
    /// `values`, which are in the file `path`, lack some.
    pub(super) fn check(&self, path: &str, values: &Value) -> Result<()> {
        let mut missing: Vec<String> = Vec::new();
        for setting in &self.0 {
            let (group, field) = match setting.path.split_once('.') {
                Some((group, field)) => (&values[group], Some(field)),
                None => (values, None),
            };
            let name = field.unwrap_or(&setting.path);
            let is_missing = group.get(name).is_none_or(Value::is_null);
            if setting.is_required() && is_missing {
                missing.push(format!("`{}: {}`", setting.path, setting.default));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "`{path}` lacks values that the templates need: {}",
            missing.join(", ")
        );
        Err(Error::new(Code::MalformedFile, message).hint(
            "write them with these or other values, or delete the file to get the default values; `enabled: false` \
             turns a part off",
        ))
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
        const START: &str = ".Values.";
        let texts = templates.iter();
        let uses: Vec<&str> = texts
            .flat_map(|text| {
                text.match_indices(START)
                    .map(|(at, _)| &text[at + START.len()..])
            })
            .collect();
        let is_used = |setting: &&Setting| uses.iter().any(|text| text.starts_with(&setting.path));
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

    /// The text of `values.schema.json`, without the line that opens it: that is the header. Keys of `users` that are not
    /// settings may be anything.
    pub(super) fn to_schema(&self, users: &Value) -> String {
        let mut properties = Map::new();
        let mut required: Vec<&str> = Vec::new();
        for setting in &self.0 {
            let mut schema = setting.schema.clone();
            schema["description"] = setting.about.replace('\n', " ").into();
            // Without the record in `.rop`, these tell the values that nobody edited.
            schema["default"] = setting.default.clone();
            match setting.path.split_once('.') {
                None => {
                    properties.insert(setting.path.clone(), schema);
                    if setting.is_required() {
                        required.push(&setting.path);
                    }
                }
                Some((name, field)) => {
                    let group = properties.entry(name).or_insert_with(|| {
                        required.push(name);
                        json!({
                            "type": "object", "additionalProperties": false, "required": [], "properties": {},
                        })
                    });
                    group["properties"][field] = schema;
                    if setting.is_required()
                        && let Some(required) = group["required"].as_array_mut()
                    {
                        required.push(field.into());
                    }
                }
            }
        }
        for (name, schema, about) in OF_HELM {
            properties.insert(
                name.to_owned(),
                json!({ "type": schema, "description": about }),
            );
        }
        for (name, value) in users.as_object().into_iter().flatten() {
            let property = properties.entry(name).or_insert_with(|| json!({}));
            let fields = property.get_mut("properties");
            if let Some(fields) = fields.and_then(Value::as_object_mut) {
                for (field, _) in value.as_object().into_iter().flatten() {
                    fields.entry(field).or_insert_with(|| json!({}));
                }
            }
        }
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        });
        json_body(&schema)
    }
}
