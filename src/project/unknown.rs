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
    let others = project.kinds.iter().cloned();
    let kinds: Vec<_> = others.chain(ProjectKind::all_built_in()).collect();
    let meant = meant(&kinds, group, kind);
    let error = meant.iter().cloned().fold(error, Error::hint);
    if ProjectKind::nearest_built_in(group, kind).is_some() {
        return error;
    }
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

/// The error of a kind that PROJECT does not list, with the closest match as a hint.
pub(super) fn unlisted(project: &Project, group: &Group, kind: &Kind) -> Error {
    let error = Error::new(
        Code::UnknownKind,
        format!("unknown kind {group} {kind}: not listed in PROJECT"),
    );
    let meant = meant(&project.kinds, group, kind);
    let meant = meant.into_iter().fold(error, Error::hint);
    meant.hint("see `resources` in PROJECT for the kinds that can be deleted")
}

/// The hint at a kind of that group whose name is nearly the one that was given, or else at the kind of that name in a
/// group with nearly that name.
fn meant(kinds: &[ProjectKind], group: &Group, kind: &Kind) -> Option<String> {
    let is_group =
        |listed: &&ProjectKind| listed.group == *group || listed.api_group() == group.as_str();
    let in_group = kinds.iter().filter(is_group);
    let names = in_group.map(|listed| listed.name.as_str());
    let of_name = kinds.iter().filter(|listed| listed.name.is_same(kind));
    let groups = of_name.map(|listed| listed.group.as_str());
    let meant = nearest(kind.as_str(), names)
        .map(str::to_owned)
        .or_else(|| {
            let group = nearest(group.as_str(), groups)?;
            Some(format!("--group {group}"))
        });
    meant.map(|meant| format!("did you mean `{meant}`?"))
}
