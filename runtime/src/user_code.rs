//! Calls user code within the library, and catches its panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tracing::error;

/// Calls a user function. If it panics, returns `otherwise`: a watch also serves other controllers
/// than that of the function.
pub(crate) fn call<T>(what: &str, otherwise: T, function: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(function)).unwrap_or_else(|_| {
        error!("{what} panicked");
        otherwise
    })
}
