//! The wall clock. Durations are measured with tokio's `Instant`.

use k8s_openapi::jiff::Timestamp;

/// Returns the current time, or the simulated time in a simulation. A reconcile that uses it
/// instead of the system clock is deterministic in simulations.
///
/// ```
/// use k8s_openapi::jiff::SignedDuration;
///
/// let expiration = rop_runtime::now() + SignedDuration::from_hours(1);
/// assert!(expiration > rop_runtime::now());
/// ```
#[must_use]
pub fn now() -> Timestamp {
    #[cfg(any(test, feature = "testing"))]
    if let Some(simulated) = crate::simulation::time::now() {
        return simulated;
    }
    #[expect(clippy::disallowed_methods, reason = "the one place that asks")]
    Timestamp::now()
}
