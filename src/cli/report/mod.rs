//! Prints results: changes of files, of objects in a cluster, and images.

mod effects;
pub(super) mod failure;
pub(super) mod image;
mod plan;

pub(super) use effects::effects;
pub(super) use plan::{lines, summary};
