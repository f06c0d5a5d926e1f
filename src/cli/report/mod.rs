//! Prints results: changes of files, of objects in a cluster, images, and the findings of a check.

pub(super) mod conflicts;
mod effects;
pub(super) mod failure;
pub(super) mod findings;
pub(super) mod image;
mod plan;
pub(super) mod sarif;
pub(super) mod scorecard;

use crate::error::Result;

pub(super) use effects::effects;
pub(super) use plan::{changes, lines, summary};

/// Adds that a command is done, if printing its result failed.
pub(super) fn of_done(command: &str, printed: Result<()>) -> Result<()> {
    printed.map_err(|error| {
        error.context(format!(
            "`rop {command}` is done, but its result could not be printed"
        ))
    })
}
