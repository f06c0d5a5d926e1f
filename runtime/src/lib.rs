//! The machinery under the controllers. It is plain kube-rs in small modules; what an object needs
//! is decided in `controller`, never here.

mod apply;
mod backoff;
mod builder;
mod certificate;
mod children;
pub mod client;
pub mod conditions;
mod context;
mod controller;
pub mod duration;
mod error;
mod events;
mod finalizer;
pub mod health;
mod kinds;
pub mod labels;
pub mod leader;
mod manager;
pub mod metrics;
mod own_writes;
mod remove;
mod scope;
mod serve;
pub mod shutdown;
mod status;
pub mod telemetry;
#[cfg(test)]
pub mod testing;
mod watch;

pub use apply::FIELD_MANAGER;
pub use builder::Builder;
pub use context::Context;
pub use error::Error;
pub use kinds::{Child, Primary};
pub use manager::{Manager, ManagerError, Settings};
pub use scope::{Reach, Scope, WatchNamespaces};
