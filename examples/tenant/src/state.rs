//! The state shared by all reconciles, such as clients of other systems or the values of flags.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::billing::{Billing, InMemory};

/// Created in `main.rs`; reconciles read it as `context.state`.
pub struct State {
    /// The billing service, or a fake.
    pub billing: Arc<dyn Billing>,
    /// Whether billing rejected the token of this replica and has not accepted it since.
    pub is_refused: AtomicBool,
}

impl State {
    /// Returns a state with this billing service.
    pub fn new(billing: Arc<dyn Billing>) -> Self {
        Self {
            billing,
            is_refused: AtomicBool::new(false),
        }
    }

    /// Returns the state for tests, without flags or other systems.
    pub fn for_tests() -> Self {
        Self::new(Arc::new(InMemory::default()))
    }
}
