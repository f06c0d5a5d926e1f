//! What a cluster keeps of a kind that the project has no more.

use crate::project::ProjectKind;

/// What the user has to know of a kind, or of versions of one, that are gone. `is_kept` says that the kind has others.
pub(in crate::cli) fn notes(gone: &ProjectKind, is_kept: bool) -> Vec<String> {
    let crd = gone.crd_name();
    let left = match is_kept {
        false => format!(
            "a cluster that has it keeps the CRD and its objects: `kubectl delete crd {crd}` deletes both"
        ),
        true => format!(
            "`rop deploy` refuses while objects in a cluster are stored in `{}`",
            gone.hub
        ),
    };
    let finalizer = (gone.finalizer && !is_kept).then(|| {
        "delete its objects before the operator: without it nobody takes off their finalizer"
            .to_owned()
    });
    [left].into_iter().chain(finalizer).collect()
}
