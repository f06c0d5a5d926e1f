//! Packaging for the Operator Lifecycle Manager.

pub(crate) mod catalog;
