//! The files of a bundle as values with their places. Bundles come from anybody: what cannot be read is kept as a
//! `Trouble`, and all sizes are limited.

mod bundle;
mod contents;
mod document;
mod node;
mod source;
mod trouble;

pub use bundle::Bundle;
pub(crate) use bundle::{File, MANIFESTS_KEY, is_inside};
pub use contents::Contents;
pub(crate) use document::Document;
pub(crate) use node::Node;
pub use source::{Directory, Entry, Source};
pub(crate) use trouble::{Trouble, TroubleKind};
