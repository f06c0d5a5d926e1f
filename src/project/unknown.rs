//! The error of an unknown kind.

use crate::error::{Code, Error};
use crate::suggest::nearest;

use super::name::{Group, Kind};
use super::{Project, ProjectKind};

/// The error, with the closest match as a hint.
pub(super) fn unknown(project: &Project, group: &Group, kind: &Kind) -> Error {
    let error = Error::new(
        Code::UnknownKind,
        format!("unknown kind {group} {kind}: not in this project, and not built into Kubernetes"),
    );
    if let Some(built_in) = ProjectKind::all_built_in().find(|built_in| built_in.name.is_same(kind))
    {
        let (group, kind) = (&built_in.group, &built_in.name);
        return error.hint(format!("did you mean `--group {group} --kind {kind}`?"));
    }
    let meant = meant(project, group, kind);
    let hints = meant.iter().map(|meant| format!("did you mean `{meant}`?"));
    let error = hints.fold(error, Error::hint);
    let error = match kind.check_own() {
        // A group with a dot is somebody else's.
        Ok(()) if group.as_str().contains('.') => error,
        Ok(()) => error.hint(format!(
            "to create the kind in this project: `rop create api --group {group} --kind {kind}`"
        )),
        Err(_) if meant.is_some() => error,
        Err(name) => name.hint.into_iter().fold(error, Error::hint),
    };
    error.hint(format!(
        "to use a kind of another operator, pass its CRD: `rop create api --group {group} --kind \
        {kind} --external-crd FILE`"
    ))
}

/// A kind of that group whose name is nearly the one that was given: of the project, of another operator, or of
/// Kubernetes.
fn meant(project: &Project, group: &Group, kind: &Kind) -> Option<String> {
    let others = project.external_kinds().cloned();
    let kinds = project
        .own_kinds()
        .cloned()
        .chain(others)
        .chain(ProjectKind::all_built_in());
    let is_group =
        |listed: &ProjectKind| listed.group == *group || listed.api_group() == group.as_str();
    let names: Vec<String> = kinds
        .filter(is_group)
        .map(|listed| listed.name.to_string())
        .collect();
    nearest(kind.as_str(), names.iter().map(String::as_str)).map(str::to_owned)
}
