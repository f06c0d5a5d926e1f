//! Packaging for the Operator Lifecycle Manager.

mod catalog;
mod catalog_add;
mod catalog_rules;
