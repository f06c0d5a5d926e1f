//! Leader election: of several replicas, one writes.
//!
//! They agree through a `Lease`, as Kubernetes' own controllers do. The holder renews it; a replica that
//! has seen it unchanged for its whole duration can take it. No time in the lease is compared with a
//! clock: each replica measures how long *it* saw no change, so their clocks can differ.
//!
//! A timer for the deadline is not enough. A process can be stopped, and woken when another one leads:
//! what it was about to write is sent first, and the timer fires later. So each write checks the clock
//! when its bytes leave, in `gate`.

mod campaign;
mod elector;
mod flags;
mod gate;
mod guard;
mod leadership;
mod lease;
mod settings;
mod tenure;
#[cfg(test)]
mod tests;

pub(crate) use elector::Elector;
pub use flags::Flags;
pub use guard::NotLeading;
pub(crate) use guard::{Guard, GuardLayer, over};
pub(crate) use leadership::Leadership;
pub use settings::InvalidSettings;
pub(crate) use settings::{Settings, process_identity};
pub use tenure::Lost;
