//! How outcomes read: what becomes of files, and of objects in a cluster, and what is said of an image.

mod effects;
pub(super) mod failure;
pub(super) mod image;
mod plan;

pub(super) use effects::effects;
pub(super) use plan::{lines, summary};
