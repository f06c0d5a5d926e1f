//! What time it is, for what others read. How long something takes is measured with tokio's `Instant`.

use k8s_openapi::jiff::Timestamp;

/// The time by the clock of this process, or, in a simulation, by that of the simulated one. A reconcile that
/// asks here for the time can be simulated, and always with the same outcome.
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
