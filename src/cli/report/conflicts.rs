//! Conflicts between a new release and edits.

use serde_json::{Value, json};

use crate::error::{Code, Error};
use crate::plan::{Conflict, Overlap};

/// The error after conflict markers were written.
pub(in crate::cli) fn marked(conflicts: &[Conflict], dry_run: bool) -> Error {
    let markers = conflicts.iter().flat_map(|conflict| {
        let places = conflict.overlaps.iter();
        places.map(|place| format!("\n  {}:{}", conflict.path, place.marker))
    });
    let markers: Vec<_> = markers.collect();
    let plural = if markers.len() == 1 { "" } else { "s" };
    let verb = if dry_run { "would get" } else { "have" };
    let message = format!(
        "you and this release changed the same lines in {} place{plural}, which {verb} conflict markers:{}",
        markers.len(),
        markers.concat()
    );
    Error::new(Code::UpdateConflict, message).hint(
        "choose between the texts and remove the markers, then run `rop generate manifests` and `cargo test`",
    )
}

/// A conflict as JSON.
pub(in crate::cli) fn of(conflict: &Conflict) -> Value {
    let overlap = |overlap: &Overlap| {
        json!({
            "line": overlap.lines.start(),
            "endLine": overlap.lines.end(),
            "markerLine": overlap.marker,
            "yours": overlap.current,
            "thisRelease": overlap.new,
        })
    };
    let overlaps: Vec<_> = conflict.overlaps.iter().map(overlap).collect();
    json!({"path": conflict.path, "reason": conflict.reason, "overlaps": overlaps})
}
