//! A record as text: each line is true by itself.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Record;
use crate::error::{Code, Context, Result};
use crate::plan::{Ownership, is_inside};
use crate::project::Project;

const COMMENT: &str =
    "# What rop made of this project last. Commit it as it is: commands read and write it.\n";

/// The field of PROJECT whose entries stand on lines of their own.
const RESOURCES: &str = "resources";

/// The text of a record.
pub(super) fn text(record: &Record) -> Result<String> {
    let project = serde_json::to_value(&record.project);
    let mut project =
        project.context(Code::GenerationFailed, || "failed to write PROJECT as JSON")?;
    let resources = project.as_object_mut().and_then(|it| it.remove(RESOURCES));
    let resources = resources.as_ref().and_then(Value::as_array);
    let resources = resources.into_iter().flatten();
    let resources = resources.map(|resource| format!("resource {resource}\n"));
    let files = record.files.iter();
    let files = files.map(|(path, ownership)| format!("{} {path}\n", ownership.name()));
    let lines: String = resources.chain(files).collect();
    Ok(format!("{COMMENT}project {project}\n{lines}"))
}

/// The record that a text says, if it says one.
pub(super) fn read(text: &str) -> Option<Record> {
    let (mut projects, mut resources) = (Vec::new(), Vec::new());
    let mut files = BTreeMap::new();
    for line in text.lines() {
        let Some((word, rest)) = line.split_once(' ') else {
            continue;
        };
        match word {
            "project" => push_new(&mut projects, serde_json::from_str(rest).ok()?),
            "resource" => push_new(&mut resources, serde_json::from_str(rest).ok()?),
            _ => {
                let ownership = Ownership::from_name(word).filter(|_| is_inside(rest));
                files.extend(ownership.map(|ownership| (rest.to_owned(), ownership)));
            }
        }
    }
    let [project] = &mut *projects else {
        return None;
    };
    if !resources.is_empty() {
        let fields = project.as_object_mut()?;
        fields.insert(RESOURCES.to_owned(), Value::Array(resources));
    }
    Some(Record {
        // JSON is YAML.
        project: Project::parse(&project.to_string()).ok()?,
        files,
    })
}

fn push_new(values: &mut Vec<Value>, value: Value) {
    if !values.contains(&value) {
        values.push(value);
    }
}
