//! Sets of fields, and what server-side apply does with them: which fields an object has, which differ
//! between two, and an object merged with another or without some of its fields.

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
