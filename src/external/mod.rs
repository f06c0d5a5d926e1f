//! Kinds of others: from a CRD to Rust types whose CRD is the same again.
//!
//! The types say what they can in Rust. What Rust has no word for stays in their schema, as the CRD has it.

mod attribute;
mod definition;
mod fields;
mod format;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod hostile;
mod keywords;
mod known;
mod names;
mod reading;
mod render;
mod root;
mod sample;
mod schema;
mod source;
mod tree;
mod validate;
mod words;

pub use definition::{Definition, Listed};
pub use reading::{Crds, Named};
pub(crate) use reading::{LONGEST, listed_kinds};
pub use render::{types, untyped};
pub use sample::Sample;
pub use tree::{Untyped, Why};
pub use validate::Violation;

/// The types of a version, as Rust source.
#[derive(Clone, Debug)]
pub struct Types {
    /// The source of a module.
    pub text: String,
    /// What has no Rust form.
    pub untyped: Vec<Untyped>,
}
