//! Prints results: changes of files, of objects in a cluster, images, and the findings of a check.

mod effects;
pub(super) mod failure;
pub(super) mod findings;
pub(super) mod image;
mod plan;
pub(super) mod sarif;
pub(super) mod scorecard;

pub(super) use effects::effects;
pub(super) use plan::{lines, summary};
