//! A simulated cluster.
#![expect(dead_code, reason = "what runs in it comes next")]

pub(crate) mod process;
pub(crate) mod time;
