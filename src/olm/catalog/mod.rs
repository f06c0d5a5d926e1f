//! File-based catalogs: packages, channels and bundles, as `opm` and catalogd read them.
//!
//! Blobs stay values of JSON with the places of their parts: what rop does not know is kept, and each finding has its
//! line.

mod add;
mod blob;
mod bundle_dir;
mod edit;
mod finding;
mod ignore;
mod package;
mod read;
mod render;
mod rule;
mod rules;
mod semver;

pub(crate) use add::{Options, add};
pub(crate) use finding::Finding;
pub(crate) use package::{NewPackage, create};
pub(crate) use read::Catalog;
pub(crate) use render::render;
pub(crate) use rules::check;
pub(crate) use semver::Stream;
