//! The operator as a library: its controllers, and what they share.

pub mod controller;
pub mod identity;
pub mod state;
pub mod webhook;

pub use identity::IDENTITY;
pub use state::State;
