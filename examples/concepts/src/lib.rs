//! The operator's library: the controllers, and the machinery that runs them.

pub mod controller;
pub mod runtime;
