//! Scaffolds complete Kubernetes operators on kube-rs.
//!
//! A command is a pure step from what it is asked to a plan; one module shows plans, one writes
//! them. `book/src/contributing/architecture.md` has the whole picture.

mod address;
mod beside;
mod bounded;
mod cargo;
pub mod cli;
pub mod cluster;
#[cfg(unix)]
pub mod control_plane;
mod conversion;
#[cfg(unix)]
pub mod dev;
pub mod disk;
mod dns;
mod doctor;
mod error;
mod expression;
pub mod external;
mod git;
mod hex;
mod hidden;
mod http;
pub mod image;
pub mod kubectl;
mod lifecycle;
mod listed;
mod manager;
pub mod manifest;
pub mod objects;
pub mod olm;
mod on_path;
pub mod output;
pub mod plan;
pub mod project;
pub mod record;
mod reference;
mod reserved;
mod rustfmt;
pub mod scaffold;
mod shell_word;
mod simulate;
mod suggest;
pub mod template;
mod tls;
mod ui;
mod versions;
mod yaml;

pub use error::{Code, Error, ErrorKind, Result};
pub use ui::{Progress, Ui};
