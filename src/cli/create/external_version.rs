//! Chooses the version of another operator's kind.

use crate::error::{Code, Error, Result};
use crate::external::Definition;
use crate::project::name::{Group, Kind, Version};
use crate::project::{Project, ProjectKind};

use crate::shell_word::shell_word;

/// Selects kinds of a CRD file; without names, all of them.
pub(super) struct Selector<'a> {
    pub(super) group: Option<&'a Group>,
    pub(super) version: Option<&'a Version>,
    pub(super) kind: Option<&'a Kind>,
    pub(super) with_controller: bool,
}

/// The chosen version, and the listed versions that it replaces.
pub(super) struct Choice {
    pub(super) version: Version,
    pub(super) moved: Vec<Version>,
}

/// Chooses the requested version, else the version in PROJECT, else the storage version.
///
/// # Errors
/// The CRD does not serve it, or does not serve another one that PROJECT lists.
pub(super) fn choose(
    stored: &Definition,
    (file, name): (&str, &str),
    project: &Project,
    group: &Group,
    kind: &Kind,
    selector: &Selector<'_>,
) -> Result<Choice> {
    let is_asked =
        |listed: &&ProjectKind| listed.api_group() == group.as_str() && listed.name == *kind;
    let listed: Vec<&ProjectKind> = project.external_kinds().filter(is_asked).collect();
    let mut served: Vec<Version> = Vec::new();
    for version in stored.versions().filter(|version| version.is_served) {
        served.push(version.name.parse()?);
    }
    served.sort();
    let newest = served.last().ok_or_else(|| {
        Error::new(
            Code::UnknownVersion,
            format!("`{name}` serves no version of {group} {kind}"),
        )
        .hint("use another release of the CRD")
    })?;
    let has_controller = |kind: &&ProjectKind| !kind.controllers.is_empty();
    let is_gone = |kind: &&ProjectKind| !served.contains(&kind.hub);
    let Some(version) = selector.version else {
        if let Some(gone) = listed.iter().copied().find(|kind| is_gone(kind)) {
            let to = preferred(stored, &served, newest);
            return Err(dropped(gone, (file, name), &to, has_controller(&gone)));
        }
        let of_controller = listed.iter().find(|kind| has_controller(kind));
        let version = of_controller
            .or(listed.first())
            .map(|kind| kind.hub.clone());
        return Ok(Choice {
            version: version.unwrap_or_else(|| preferred(stored, &served, newest)),
            moved: Vec::new(),
        });
    };
    if !served.contains(version) {
        // One that it has, and does not serve, is another thing.
        stored.in_version(version.as_str(), name)?;
        let served: Vec<&str> = served.iter().map(Version::as_str).collect();
        return Err(Error::new(
            Code::UnknownVersion,
            format!("`{name}` does not serve {group} {kind} in version `{version}`"),
        )
        .hint(format!("served versions: {}", served.join(", "))));
    }
    let others = listed.into_iter().filter(|other| other.hub != *version);
    let moves =
        |other: &&ProjectKind| is_gone(other) || selector.with_controller && has_controller(other);
    Ok(Choice {
        version: version.clone(),
        moved: others
            .filter(moves)
            .map(|other| other.hub.clone())
            .collect(),
    })
}

/// The storage version if it is served, else the version that Kubernetes prefers.
fn preferred(stored: &Definition, served: &[Version], newest: &Version) -> Version {
    let mut served = served.iter();
    served
        .find(|version| version.as_str() == stored.version)
        .unwrap_or(newest)
        .clone()
}

fn dropped(
    gone: &ProjectKind,
    (file, name): (&str, &str),
    to: &Version,
    has_controller: bool,
) -> Error {
    let controller = if has_controller {
        ""
    } else {
        " --controller=false"
    };
    let (group, kind) = (gone.api_group(), &gone.name);
    let file = shell_word(file);
    Error::new(Code::UnknownVersion, format!(
        "`{name}` does not serve {}, which PROJECT lists",
        gone.hub().gvk()
    ))
    .hint(format!(
        "to move to {to}: `rop create api --group {group} --version {to} --kind {kind} --external-crd \
            {file}{controller}`"
    ))
}
