//! Functions of the user's that run within the library, where a panic would end more than itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tracing::error;

/// Calls a function of the user's. If it panics, `otherwise` stands for its answer: a watch serves more
/// than the controller whose function it was.
pub(crate) fn call<T>(what: &str, otherwise: T, function: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|_| {
        error!("{what} panicked");
        otherwise
    })
}
