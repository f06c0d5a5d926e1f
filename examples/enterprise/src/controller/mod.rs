// Owned by rop: its commands rewrite this file, so make changes elsewhere [b98721a1a09b]
//! Every controller of this operator.

pub mod app;

use crate::runtime::Manager;

/// What starts each of them.
pub const ALL: &[fn(&mut Manager)] = &[app::start];
