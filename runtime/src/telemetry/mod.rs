//! Logs: lines for people on a terminal, JSON elsewhere. With the feature `otlp`, traces as well.

#[cfg(feature = "otlp")]
mod otlp;

use std::io::IsTerminal;

use tracing::{Level, Span};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;
use tracing_subscriber::{fmt, registry};

/// kube's own span around each reconcile. Ours says more.
const KUBE_SPAN: &str = "kube_runtime::controller";

/// Where the span around each reconcile comes from. It names the object in all that is logged within.
const SPAN: &str = concat!(env!("CARGO_CRATE_NAME"), "::runtime::controller");

/// What must be kept until the end. Then the last traces are sent.
#[must_use = "traces are sent no longer once this is dropped"]
pub struct Telemetry {
    #[cfg(feature = "otlp")]
    _traces: Option<otlp::Traces>,
}

/// Logs to the standard output what `levels` let through.
///
/// # Errors
/// Where the traces cannot be sent as the environment says.
///
/// # Panics
/// Where it was called before.
pub fn init(levels: Targets) -> Result<Telemetry, Box<dyn std::error::Error + Send + Sync>> {
    let mut levels = levels.with_target(KUBE_SPAN, LevelFilter::WARN);
    if !levels.would_enable(SPAN, &Level::INFO) {
        levels = levels.with_target(SPAN, LevelFilter::INFO);
    }
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
    let traces = otlp::Traces::from_env()?;
    let all = registry();
    #[cfg(feature = "otlp")]
    let all = all.with(traces.as_ref().map(otlp::Traces::layer));
    all.with(lines.with_filter(levels)).init();
    Ok(Telemetry {
        #[cfg(feature = "otlp")]
        _traces: traces,
    })
}

/// The id of the trace that a span belongs to, for its logs.
pub(super) fn trace_id(span: &Span) -> String {
    #[cfg(feature = "otlp")]
    if let Some(id) = otlp::trace_id(span) {
        return id;
    }
    #[cfg(not(feature = "otlp"))]
    let _ = span;
    format!("{:032x}", fastrand::u128(1..))
}
