//! operator-sdk's scorecard: tests of a bundle by the same names and the same configuration. The built-in tests read
//! files alone; all others are images, which run in a cluster. Nothing here prints or contacts one.

mod archive;
mod builtin;
mod config;
mod location;
mod log;
mod pod;
mod result;
mod state;
mod test;
mod verdict;

pub(crate) use archive::archive;
pub(crate) use config::Config;
pub(crate) use location::Location;
pub(crate) use pod::{CONTAINER, DEFAULT_UNTAR_IMAGE, Pods};
pub(crate) use result::{Item, Report, Results, TestResult};
pub(crate) use state::State;
pub(crate) use test::{Runner, Test};
