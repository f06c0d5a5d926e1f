//! How the sets name what belongs to a kind.

use serde::Serialize;

use crate::project::Versioned;
use crate::project::name::Version;
use crate::rustfmt;
use crate::template::common::ProjectData;

/// The names of a kind in templates.
#[derive(Serialize)]
pub(super) struct KindNames {
    kind: String,
    /// `a` or `an`, as the kind needs it.
    article: &'static str,
    /// The path of the module that has the type, and the type.
    types: String,
    type_name: String,
    plural: String,
    /// The sample of a kind of the project's own below `config/samples/`.
    sample: String,
}

impl KindNames {
    pub(super) fn new(project: &ProjectData, version: Versioned<'_>) -> Self {
        let kind = version.kind;
        Self {
            kind: kind.name.to_string(),
            article: article(kind.name.as_str()),
            types: types(project, version),
            type_name: kind.type_name(),
            plural: kind.plural.to_string(),
            sample: if kind.is_own() {
                sample(version)
            } else {
                String::new()
            },
        }
    }
}

/// The modules of versions, as rustfmt sorts them.
pub(super) fn version_modules<'a>(versions: impl Iterator<Item = &'a Version>) -> Vec<String> {
    let mut modules: Vec<_> = versions.map(ToString::to_string).collect();
    modules.sort_by(|left, right| rustfmt::order(left, right));
    modules
}

/// A group as markers write it.
pub(super) fn marker_group(group: &str) -> String {
    match group {
        "" => "\"\"".to_owned(),
        group => group.to_owned(),
    }
}

/// The path of the module that has the types of a kind.
pub(super) fn types(project: &ProjectData, versioned: Versioned<'_>) -> String {
    let (group, version) = (versioned.kind.group.module(), &versioned.version.name);
    if versioned.kind.is_own() {
        format!("{}::{group}::{version}", project.api_crate)
    } else {
        versioned.path()
    }
}

/// The file of a kind's sample.
pub(super) fn sample(version: Versioned<'_>) -> String {
    let (group, kind) = (&version.kind.group, version.kind.name.lower());
    format!("{group}_{}_{kind}.yaml", version.version.name)
}

/// The relative path from a controller below `src/controller/` to the samples.
pub(super) fn samples_from(controller: &[String]) -> String {
    format!("{}config/samples/", "../".repeat(2 + controller.len()))
}

pub(super) fn article(word: &str) -> &'static str {
    if word.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    }
}
