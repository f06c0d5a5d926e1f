//! How outcomes read: what becomes of files, and of objects in a cluster, what is said of an image, and what
//! a check found.

mod effects;
pub(super) mod failure;
pub(super) mod findings;
pub(super) mod image;
mod plan;
pub(super) mod sarif;

pub(super) use effects::effects;
pub(super) use plan::{lines, summary};
