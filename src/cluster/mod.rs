//! Clusters, through kubectl: what would change there, applying it, waiting for it, and what data
//! goes when it is taken away. Nothing here prints.

mod apply;
mod connection;
mod conversion;
mod crd;
mod custom_objects;
mod delete;
mod interrupt;
mod local;
mod namespace;
mod object;
mod operator;
mod pods;
mod reason;
mod retired;
mod rollout;
mod served;
mod test_run;
mod version;
mod wait;

pub use apply::{Action, Effect, Mode, apply, apply_unasked, dry_run};
pub use connection::Connection;
pub use conversion::{end_conversion, keep_conversions, keep_ending_conversions};
pub use crd::{Mismatch, live as live_crds, mismatches};
pub use custom_objects::{CustomObjects, of_crds};
pub use delete::{Deletion, delete};
pub(crate) use interrupt::Interrupt;
pub use namespace::{check_namespaces, leave_foreign};
pub(crate) use object::{condition, is_true, words};
pub use operator::Operator;
pub(crate) use reason::reasons as pod_reasons;
pub use retired::check_retired;
pub use rollout::wait_until_ready;
pub use served::wait_until_served;
pub(crate) use test_run::{End, TestRun};
pub(crate) use wait::{Look, humane, until};
pub use wait::{Say, parse_timeout};
