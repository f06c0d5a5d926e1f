//! What a cluster keeps of a kind that the project has no more.

use crate::project::ProjectKind;

/// What the user has to know of a kind, or of versions of one, that are gone. `is_kept` says that the kind has others.
pub(in crate::cli) fn notes(gone: &ProjectKind, is_kept: bool) -> Vec<String> {
    let crd = gone.crd_name();
    let left = if is_kept {
        format!(
            "`rop deploy` will fail while a cluster stores objects in `{}`",
            gone.hub
        )
    } else {
        format!("clusters keep the CRD and its objects; to delete both: `kubectl delete crd {crd}`")
    };
    let finalizer = (gone.finalizer && !is_kept).then(|| {
        "delete its objects before you upgrade the operator, which removes their finalizer"
            .to_owned()
    });
    [left].into_iter().chain(finalizer).collect()
}
