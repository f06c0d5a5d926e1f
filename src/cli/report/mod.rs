//! How outcomes read: what becomes of files, and of objects in a cluster.

mod effects;
mod plan;

pub(super) use effects::effects;
pub(super) use plan::{lines, summary};
