//! Values of the user's, which are not rop's: keys that were added to `values.yaml`, and the names of other charts that
//! this one depends on.

use serde_json::{Map, Value, json};

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::plan;
use crate::record;
use crate::yaml;

use super::{SCHEMA, VALUES, is_chart};

/// The text that a merge of a file takes as rop's last one. Without a record, the schema has the last defaults; if it has
/// none either, all values are the user's. A merge adds those that are missing. `desired` is the text of rop's file.
///
/// # Errors
/// A file cannot be read.
pub(super) fn base(view: &View, path: &str, desired: &str) -> Result<Option<String>> {
    let given = record::given(view, path)?;
    let is_values = path.rsplit('/').next() == Some(VALUES);
    let text = if given.is_none() && is_values {
        view.read_own(path)?
    } else {
        None
    };
    let Some(text) = text else {
        return Ok(given);
    };
    let defaults = without_record(view, path)?;
    let (mut base, users) = (defaults.unwrap_or_else(|| parse(desired)), parse(&text));
    keep_common(&mut base, &users);
    for (name, group) in base.as_object_mut().into_iter().flatten() {
        keep_common(group, &users[name]);
    }
    yaml::to_string(&base).map(Some)
}

/// The values of rop that are in the file `path`, as rop gave them last: in a project without a record, the schema of the
/// chart has them.
fn last(view: &View, path: &str) -> Result<Option<Value>> {
    Ok(match record::given(view, path)? {
        Some(given) => Some(parse(&given)),
        None => without_record(view, path)?,
    })
}

/// The defaults that the schema beside the file `path` has. None if an older rop wrote it.
fn without_record(view: &View, path: &str) -> Result<Option<Value>> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    if !is_chart(folder, view) {
        return Ok(None);
    }
    let text = view.read_own(&format!("{folder}/{SCHEMA}"))?;
    let schema: Value = serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default();
    let defaults = defaults(&schema);
    Ok(Some(Value::Object(defaults)).filter(|values| *values != json!({})))
}

fn defaults(schema: &Value) -> Map<String, Value> {
    let mut values = Map::new();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let group = defaults(schema);
        if let Some(default) = schema.get("default") {
            values.insert(name.clone(), default.clone());
        } else if !group.is_empty() {
            values.insert(name.clone(), group.into());
        }
    }
    values
}

fn parse(text: &str) -> Value {
    yaml::from_str(text).unwrap_or_default()
}

/// Keeps the fields that another mapping has too. One without fields is a value, and no group.
fn keep_common(mapping: &mut Value, other: &Value) {
    if let (Value::Object(fields), Value::Object(others)) = (mapping, other)
        && !others.is_empty()
    {
        fields.retain(|name, _| others.contains_key(name));
    }
}

/// The values that the user's file has otherwise than rop's, by their paths.
fn differing(users: &Value, desired: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    for (name, value) in desired.as_object().into_iter().flatten() {
        match (value, &users[name]) {
            (Value::Object(fields), Value::Object(group)) if !group.is_empty() => {
                let differs = |field: &&String| group.get(*field) != fields.get(*field);
                let fields = fields.keys().filter(differs);
                paths.extend(fields.map(|field| format!("`{name}.{field}`")));
            }
            (value, found) if value != found => paths.push(format!("`{name}`")),
            _ => {}
        }
    }
    paths
}

/// A file of a chart as it will be, with the user's edits. `desired` is the text of rop's.
///
/// # Errors
/// A file cannot be read, or is no YAML.
pub(super) fn merged(view: &View, path: &str, desired: &str) -> Result<Value> {
    let merged = match view.read_own(path)? {
        // Somebody emptied it.
        Some(text) if yaml::from_str(&text).is_ok_and(|value: Value| value.is_null()) => text,
        Some(text) => {
            let base = base(view, path, desired)?.unwrap_or_default();
            let merged = if text == base {
                Some(desired.to_owned())
            } else {
                plan::with_changes(&text, &base, desired)?
            };
            merged.unwrap_or(text)
        }
        None => desired.to_owned(),
    };
    yaml::from_str(&merged).map_err(|error| Error::new(Code::MalformedFile, error.in_file(path)))
}

/// The values of a chart as they will be, with the user's and those of the charts that `metadata` depends on. `desired` is
/// the text of rop's `values.yaml`.
///
/// # Errors
/// A file cannot be read.
pub(super) fn values(view: &View, folder: &str, desired: &str, metadata: &Value) -> Result<Value> {
    let mut values = merged(view, &format!("{folder}/{VALUES}"), desired)?;
    if !values.is_object() {
        values = Value::Object(Map::new());
    }
    let dependencies = metadata["dependencies"].as_array();
    for dependency in dependencies.into_iter().flatten() {
        let name = dependency["alias"].as_str().or(dependency["name"].as_str());
        for key in name.into_iter().chain(["tags"]) {
            let value = &mut values[key];
            if value.is_null() {
                *value = json!({});
            }
        }
    }
    Ok(values)
}

/// The default of `crd.keep` in the chart that has the CRDs, which is in `folder`: that of last time, or the value that
/// the user set in the chart in `other`, from which the CRDs move.
///
/// # Errors
/// A file cannot be read.
pub(super) fn crd_keep(view: &View, folder: &str, other: &str) -> Result<Option<Value>> {
    let path = |folder: &str| format!("{folder}/{VALUES}");
    let keep = |values: Value| Some(values["crd"]["keep"].clone()).filter(Value::is_boolean);
    Ok(match last(view, &path(folder))?.and_then(keep) {
        Some(given) => Some(given),
        None => keep(parse(&view.read_own(&path(other))?.unwrap_or_default())),
    })
}

/// What is to be said of values that stay because their user set them, although the chart no longer has them. Without a
/// record, of all that differ. `desired` is the text of rop's `values.yaml`, and `values` are those that will be there.
///
/// # Errors
/// A file cannot be read.
pub(super) fn note(
    view: &View,
    folder: &str,
    desired: &str,
    values: &Value,
) -> Result<Option<String>> {
    let path = format!("{folder}/{VALUES}");
    let desired = parse(desired);
    let Some(given) = last(view, &path)? else {
        let kept = differing(values, &desired);
        return Ok((!kept.is_empty() && view.is_file(&path)).then(|| {
            format!(
                "`{path}` keeps its {}, unlike `config/`: without the record in `.rop`, rop cannot tell your edits from \
                 its own values",
                kept.join(", ")
            )
        }));
    };
    let given = given.as_object().into_iter().flatten();
    let left = given.map(|(name, _)| name).filter(|name| {
        let is_in = |values: &Value| values.get(name.as_str()).is_some();
        is_in(values) && !is_in(&desired)
    });
    let left: Vec<_> = left.map(|name| format!("`{name}`")).collect();
    Ok((!left.is_empty()).then(|| {
        format!(
            "`{path}` still has {}, which the chart no longer uses: delete it",
            left.join(", ")
        )
    }))
}

/// What is to be said if the chart deploys another version than `config/`, because the user edited `Chart.yaml`.
pub(super) fn version_note(
    folder: &str,
    app_version: &str,
    metadata: &Value,
    values: &Value,
) -> Option<String> {
    let is_set = |field: &str| {
        values["image"][field]
            .as_str()
            .is_some_and(|it| !it.is_empty())
    };
    let found = &metadata["appVersion"];
    if found == app_version || is_set("tag") || is_set("digest") {
        return None;
    }
    let deployed = match found {
        Value::Null => "no appVersion, so the chart needs the value `image.tag`".to_owned(),
        Value::String(found) => format!("your appVersion `{found}`, which the chart deploys"),
        found => format!("your appVersion `{found}`, which must be a text"),
    };
    Some(format!(
        "`{folder}/Chart.yaml` has {deployed}: the image in `config/` has the tag `{app_version}`"
    ))
}
