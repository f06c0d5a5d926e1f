//! Leader election: only one replica writes at a time.
//!
//! Like Kubernetes' own components, replicas use a `Lease`. The holder renews it; a replica that
//! has not seen a change for its whole duration can take it over. Times in the Lease are never
//! compared with a clock: each replica measures how long *it* has seen no change, so clocks can
//! differ.
//!
//! A timer for the deadline is not sufficient. A process can be paused and resume after another one
//! has become the leader: it would send pending writes before its timer fires. So each write checks
//! the clock when its bytes are sent, in `gate`.

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
