//! A record as text: each line is true by itself.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::names::Names;
use super::{FOLDER, Record};
use crate::error::{Code, Context, Result};
use crate::plan::{Ownership, is_inside};
use crate::project::Project;

const COMMENT: &str =
    "# What rop made of this project last. Commit it as it is: commands read and write it.\n";

/// The field of PROJECT whose entries stand on lines of their own.
const RESOURCES: &str = "resources";

/// The field of PROJECT with the release that last changed it.
const RELEASE: &str = "cliVersion";

/// The templates that made the project.
const TEMPLATES: &str = "templates";

/// What a project was called when another branch left it.
const FORMER: &str = "former";

/// The text of a record. Each kind has with it what its project was called: a branch may have called it otherwise, and
/// git may merge that line alone.
pub(super) fn text(record: &Record, former: &BTreeSet<Names>) -> Result<String> {
    let names = Names::of(&record.project);
    let mut project = serde_json::to_value(&record.project)
        .context(Code::GenerationFailed, || "failed to write PROJECT as JSON")?;
    let resources = project.as_object_mut().and_then(|it| it.remove(RESOURCES));
    let resources = resources.as_ref().and_then(Value::as_array);
    let resources = resources.into_iter().flatten();
    let resources = resources.map(|resource| format!("resource {names} {resource}\n"));
    let former = former.iter().map(|names| format!("{FORMER} {names}\n"));
    let files = record
        .files
        .iter()
        .map(|(path, ownership)| format!("{} {path}\n", ownership.name()));
    let templates = record
        .templates
        .iter()
        .map(|sum| format!("{TEMPLATES} {sum}\n"));
    let lines: String = templates
        .chain(former)
        .chain(resources)
        .chain(files)
        .collect();
    Ok(format!("{COMMENT}project {project}\n{lines}"))
}

/// The record that a text says, if it says one.
///
/// # Errors
/// A newer release wrote it.
pub(super) fn read(text: &str) -> Result<Option<Record>> {
    let Some((project, files)) = parts(text) else {
        return Ok(None);
    };
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let templates = lines
        .filter(|(word, _)| *word == TEMPLATES)
        .map(|(_, sum)| sum.to_owned())
        .collect();
    // JSON is YAML.
    match Project::parse(&project.to_string()) {
        Ok(project) => Ok(Some(Record {
            project,
            files,
            templates,
        })),
        Err(error) if error.code() == Code::NewerProject => Err(error),
        Err(_) => Ok(None),
    }
}

/// PROJECT and the files of a record, if a text says both.
fn parts(text: &str) -> Option<(Value, BTreeMap<String, Ownership>)> {
    let (mut projects, mut resources) = (Vec::new(), Vec::new());
    let mut files = BTreeMap::new();
    // Of two branches, many lines are the same.
    let mut known = HashSet::new();
    for line in text.lines() {
        let Some((word, rest)) = line.split_once(' ') else {
            continue;
        };
        match word {
            "project" => {
                if known.insert(rest) {
                    projects.push(serde_json::from_str::<Value>(rest).ok()?);
                }
            }
            "resource" => {
                let (_, resource) = rest.split_at(rest.find('{')?);
                if known.insert(resource) {
                    resources.push(serde_json::from_str(resource).ok()?);
                }
            }
            _ => {
                let is_file = is_inside(rest) && rest.split('/').next() != Some(FOLDER);
                let ownership = Ownership::from_name(word).filter(|_| is_file);
                files.extend(ownership.map(|ownership| (rest.to_owned(), ownership)));
            }
        }
    }
    let mut project = oldest(projects)?;
    if !resources.is_empty() {
        let fields = project.as_object_mut()?;
        fields.insert(RESOURCES.to_owned(), Value::Array(resources));
    }
    Some((project, files))
}

/// The project that all entries say, but for the release: branches of two releases make a project in which some files
/// are still of the older one.
fn oldest(projects: Vec<Value>) -> Option<Value> {
    let release = |project: &Value| project[RELEASE].as_str()?.parse::<semver::Version>().ok();
    let rest = |mut project: Value| {
        project
            .as_object_mut()
            .and_then(|fields| fields.remove(RELEASE));
        project
    };
    let oldest = projects
        .iter()
        .min_by_key(|project| release(project))?
        .clone();
    let is_same = |project| rest(project) == rest(oldest.clone());
    projects.into_iter().all(is_same).then_some(oldest)
}

/// All that a text calls the project, of which a record has one.
pub(super) fn names(text: &str) -> BTreeSet<Names> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let names = lines.filter_map(|(word, rest)| match word {
        "project" => Some(Names::of(&Project::parse(rest).ok()?)),
        "resource" | FORMER => rest.parse().ok(),
        _ => None,
    });
    names.collect()
}
