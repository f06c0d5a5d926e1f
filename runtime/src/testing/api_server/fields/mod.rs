//! Sets of fields for server-side apply: collecting the fields of an object, comparing two objects, merging them, and
//! removing fields.

mod atom;
mod collect;
mod compare;
mod merge;
mod remove;
mod set;
mod validate;

pub(super) use collect::collect;
pub(super) use compare::compare;
pub(super) use merge::merge;
pub(super) use remove::remove;
pub(super) use set::Set;
pub(super) use validate::validate;
