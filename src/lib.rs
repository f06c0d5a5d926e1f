//! Scaffolds complete Kubernetes operators on kube-rs.
//!
//! A command is a pure step from what it is asked to a plan; one module shows plans, one writes
//! them. `book/src/contributing/architecture.md` has the whole picture.

mod cargo;
pub mod cli;
mod error;
pub mod image;
pub mod manifest;
pub mod plan;
pub mod project;
pub mod template;
mod ui;
mod yaml;

pub use error::{Error, ErrorKind, Result};
pub use ui::{Progress, Ui};
