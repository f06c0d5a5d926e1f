//! What every reconcile can use besides its object, such as a client of another system or a flag.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::billing::{Billing, InMemory};

/// `main.rs` makes it from the flags; a reconcile reads it as `context.state`.
pub struct State {
    /// Billing, or a stand-in.
    pub billing: Arc<dyn Billing>,
    /// Whether billing has refused the token of this replica, and not accepted it yet.
    pub is_refused: AtomicBool,
}

impl State {
    /// A state with this billing.
    pub fn new(billing: Arc<dyn Billing>) -> Self {
        Self {
            billing,
            is_refused: AtomicBool::new(false),
        }
    }

    /// The state in tests, which have no flags and reach no other system.
    pub fn for_tests() -> Self {
        Self::new(Arc::new(InMemory::default()))
    }
}
