//! Leader election: of several operators, one writes.
//!
//! They agree through a `Lease`, as Kubernetes' own controllers do. Who holds it renews it; who has
//! seen it unchanged for its whole duration may take it. Nobody compares a time in it with a clock:
//! each measures how long *it* saw no change, so clocks need not agree.
//!
//! A timer that watches the deadline is not enough. A process may be stopped, and woken when another
//! leads: what it was about to write goes out first, and the timer fires later. So each write asks
//! the clock when its bytes leave, in `gate`.

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

pub use elector::Elector;
pub use flags::Flags;
pub use guard::{Guard, GuardLayer, NotLeading};
pub use leadership::Leadership;
pub use settings::{InvalidSettings, Settings, identity};
pub use tenure::Lost;
