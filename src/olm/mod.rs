//! Packages of the Operator Lifecycle Manager: bundles, and what OLM and its catalogs ask of them.

pub mod read;
pub mod validate;
