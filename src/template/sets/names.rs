//! How the sets name what belongs to a kind.

use serde::Serialize;

use crate::project::name::Version;
use crate::project::{AdmissionKind, CoreKind, Resource};
use crate::template::common::ProjectData;

/// The names of a kind in templates: one of the project, of Kubernetes or of another operator.
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
    /// Those of a kind of the project's own.
    pub(super) fn own(project: &ProjectData, own: &Resource) -> Self {
        Self {
            kind: own.kind.to_string(),
            article: article(own.kind.as_str()),
            types: types(project, own),
            type_name: own.kind.type_name(),
            plural: own.plural.to_string(),
            sample: sample(own),
        }
    }

    /// Those of a kind of Kubernetes, or of another operator.
    pub(super) fn core(core: &CoreKind) -> Self {
        Self {
            kind: core.kind.to_string(),
            article: article(core.kind.as_str()),
            types: core.path.clone(),
            type_name: core.type_name(),
            plural: core.plural().to_string(),
            sample: String::new(),
        }
    }

    /// Those of a kind that has webhooks or policies.
    pub(super) fn admission(project: &ProjectData, kind: &AdmissionKind<'_>) -> Self {
        match (kind.own, kind.core) {
            (Some(own), _) => Self::own(project, own),
            (None, Some(core)) => Self::core(core),
            (None, None) => unreachable!("a kind is somebody's"),
        }
    }
}

/// The modules of versions, as rustfmt sorts them: by the numbers in their names.
pub(super) fn version_modules<'a>(versions: impl Iterator<Item = &'a Version>) -> Vec<String> {
    let mut modules: Vec<_> = versions.map(ToString::to_string).collect();
    modules.sort_by_key(|module| {
        let is_digit = |c: char| c.is_ascii_digit();
        let words = module.split(is_digit).filter(|word| !word.is_empty());
        let numbers = module
            .split(|c| !is_digit(c))
            .filter_map(|one| one.parse::<u64>().ok());
        let parts = words.map(str::to_owned).zip(numbers);
        parts.collect::<Vec<_>>()
    });
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
pub(super) fn types(project: &ProjectData, resource: &Resource) -> String {
    let (group, version) = (resource.group.module(), &resource.version);
    format!("{}::{group}::{version}", project.api_crate)
}

/// The file of a kind's sample.
pub(super) fn sample(resource: &Resource) -> String {
    let kind = resource.kind.lower();
    format!("{}_{}_{kind}.yaml", resource.group, resource.version)
}

/// The relative path from a controller below `src/controller/` to the samples.
pub(super) fn samples_from(controller: &[String]) -> String {
    format!("{}config/samples/", "../".repeat(2 + controller.len()))
}

pub(super) fn article(word: &str) -> &'static str {
    match word.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) {
        true => "an",
        false => "a",
    }
}
