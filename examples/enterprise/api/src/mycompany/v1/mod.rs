// Owned by rop: its commands rewrite this file, so make changes elsewhere [136eafdeb088]
//! `mycompany.com/v1`.

pub mod app;

pub use app::{App, AppSpec, AppStatus};
