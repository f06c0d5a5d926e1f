// Owned by rop: its commands rewrite this file, so make changes elsewhere [4ee41317b2da]
//! Every controller of this operator.

pub mod instance;

use crate::runtime::Manager;

/// What starts each of them.
pub const ALL: &[fn(&mut Manager)] = &[instance::start];
