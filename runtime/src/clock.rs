//! What time it is, for what others read. How long something takes is measured with tokio's `Instant`.

use k8s_openapi::jiff::Timestamp;

/// The time by the clock of this process.
pub(crate) fn now() -> Timestamp {
    #[cfg(any(test, feature = "testing"))]
    if let Some(simulated) = crate::simulation::time::now() {
        return simulated;
    }
    #[expect(clippy::disallowed_methods, reason = "the one place that asks")]
    Timestamp::now()
}
