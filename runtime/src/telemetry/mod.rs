//! Logging: text on a terminal, JSON otherwise. Traces with the feature `otlp`.

mod filter;
#[cfg(feature = "otlp")]
mod otlp;

use std::error::Error as StdError;
use std::io::IsTerminal;

use tracing::Span;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{fmt, registry};

use crate::identity::Identity;

/// The target of the span around each reconcile, which adds the object to everything logged within it.
const SPAN: &str = "rop_runtime::controller";

/// Keep it until the end: dropping it sends the last traces.
#[must_use = "traces are sent no longer once this is dropped"]
pub(crate) struct Telemetry {
    #[cfg(feature = "otlp")]
    _traces: Option<otlp::Traces>,
}

/// An error when tracing starts: the environment variables are invalid.
///
/// ```
/// use rop_runtime::ManagerError;
///
/// fn is_about_traces(error: &ManagerError) -> bool {
///     matches!(error, ManagerError::Telemetry(_))
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[error("invalid OTEL_* variables")]
pub struct TelemetryError(#[source] Box<dyn StdError + Send + Sync>);

/// Logs the enabled levels to standard output. Does nothing if the program has already set a subscriber. Fails if the
/// environment variables for traces are invalid.
#[cfg_attr(
    not(feature = "otlp"),
    expect(clippy::unnecessary_wraps, reason = "only traces can fail")
)]
pub(crate) fn init(identity: &Identity, levels: Targets) -> Result<Telemetry, TelemetryError> {
    let lines = if std::io::stdout().is_terminal() {
        fmt::layer().boxed()
    } else {
        fmt::layer()
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed()
    };
    #[cfg(feature = "otlp")]
    let traces =
        otlp::Traces::from_env(identity).map_err(|error| TelemetryError(Box::new(error)))?;
    #[cfg(not(feature = "otlp"))]
    let _ = identity;
    let all = registry();
    #[cfg(feature = "otlp")]
    let all = all.with(traces.as_ref().map(otlp::Traces::layer));
    let is_set = all.with(lines.with_filter(filter::of(levels))).try_init();
    #[cfg(feature = "otlp")]
    let traces = traces.filter(|_| is_set.is_ok());
    if is_set.is_err() {
        tracing::debug!("using the tracing subscriber of the program");
    }
    Ok(Telemetry {
        #[cfg(feature = "otlp")]
        _traces: traces,
    })
}

/// The trace ID of a span, for its logs.
pub(crate) fn trace_id(span: &Span) -> String {
    #[cfg(feature = "otlp")]
    if let Some(id) = otlp::trace_id(span) {
        return id;
    }
    #[cfg(not(feature = "otlp"))]
    let _ = span;
    format!("{:032x}", fastrand::u128(1..))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing::span::{Attributes, Id};
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::Context;

    use super::*;

    /// Counts the spans of a target.
    struct Count;

    static SPANS: AtomicUsize = AtomicUsize::new(0);

    impl<S: tracing::Subscriber> Layer<S> for Count {
        fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
            if span.metadata().target() == "telemetry-test" {
                SPANS.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_subscriber_of_the_program_is_kept() {
        registry().with(Count).init();
        let identity = Identity::new("app", "1.0.0");
        assert!(init(&identity, Targets::new()).is_ok());
        let _span = tracing::info_span!(target: "telemetry-test", "span");
        assert_eq!(SPANS.load(Ordering::Relaxed), 1);
    }
}
