//! Notes on what a cluster keeps of a deleted kind.

use crate::project::ProjectKind;

/// Notes for the user after a kind, or versions of it, were deleted. `is_kept`: the kind has other versions.
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
