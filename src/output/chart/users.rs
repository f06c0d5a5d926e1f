//! Values of the user's, which are not rop's: keys that were added to `values.yaml`, and the names of other charts that
//! this one depends on.

use serde_json::{Map, Value, json};

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::plan;
use crate::record;
use crate::yaml;

use super::VALUES;

/// The values of a chart as they will be, with the user's. `desired` is the text of rop's `values.yaml`.
///
/// # Errors
/// A file cannot be read.
pub(super) fn values(view: &View, folder: &str, desired: &str) -> Result<Value> {
    let path = format!("{folder}/{VALUES}");
    let mut values = match view.read_own(&path)? {
        Some(text) => {
            let base = record::given(view, &path)?.unwrap_or_default();
            let merged = if text == base {
                Some(desired.to_owned())
            } else {
                plan::with_changes(&text, &base, desired)?
            };
            yaml::from_str(&merged.unwrap_or(text))
                .map_err(|error| Error::new(Code::MalformedFile, error.in_file(&path)))?
        }
        None => Value::Null,
    };
    if !values.is_object() {
        values = Value::Object(Map::new());
    }
    let text = view.read_own(&format!("{folder}/Chart.yaml"))?;
    let metadata: Value = yaml::from_str(&text.unwrap_or_default()).unwrap_or_default();
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

/// What is to be said of values that the chart no longer has, and that stay because their user set them. `desired` is the
/// text of rop's `values.yaml`, and `values` are those that will be there.
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
    let Some(given) = record::given(view, &path)? else {
        return Ok(None);
    };
    let parse = |text: &str| yaml::from_str::<Value>(text).unwrap_or_default();
    let (given, desired) = (parse(&given), parse(desired));
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
