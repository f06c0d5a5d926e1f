//! The Operator Lifecycle Manager: bundles of an operator's manifests, their rules, and catalogs of them.

mod base64;
pub mod bundle;
pub(crate) mod catalog;
mod channel;
mod csv;
mod fields;
mod kinds;
mod range;
pub mod read;
pub mod render;
pub(crate) mod scorecard;
pub mod validate;

pub(crate) use channel::check_channel;
