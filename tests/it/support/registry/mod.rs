//! Registries for tests: one in memory that misbehaves when told to, and Debian's.

mod double;
mod real;

pub(crate) use double::{Double, Mischief};
pub(crate) use real::Real;
