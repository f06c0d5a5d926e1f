// Owned by rop: its commands rewrite this file, so make changes elsewhere [e94d975323f0]
//! Every controller of this operator.

pub mod app_service;

use crate::runtime::Manager;

/// What starts each of them.
pub const ALL: &[fn(&mut Manager)] = &[app_service::start];
