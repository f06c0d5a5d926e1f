//! Traces for a collector: one for each reconcile, by OTLP over HTTP. Where it is, and all else, the
//! variables of OpenTelemetry say, above all `OTEL_EXPORTER_OTLP_ENDPOINT`. Without it nothing is sent.

use std::env;

use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_otlp::{
    ExporterBuildError, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    SpanExporter,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// What sends the traces. The last of them go out when it is dropped.
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Sends where the environment says, if it does.
    pub(super) fn from_env() -> Result<Option<Self>, ExporterBuildError> {
        let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let endpoints = [
            OTEL_EXPORTER_OTLP_ENDPOINT,
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
        ];
        if !endpoints.iter().any(is_set) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder().with_http().build()?;
        let mut resource = Resource::builder();
        if !is_set(&"OTEL_SERVICE_NAME") {
            resource = resource.with_service_name(env!("CARGO_PKG_NAME"));
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        Ok(Some(Self(provider)))
    }

    /// Makes a trace of each reconcile's span.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let tracer = self.0.tracer(env!("CARGO_PKG_NAME"));
        let reconciles = Targets::new().with_target(super::SPAN, Level::INFO);
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(reconciles)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            // The logs have ended with everything else.
            eprintln!("the last traces were not sent: {error}");
        }
    }
}

/// The id of the trace that a span belongs to, where it is sent.
pub(super) fn trace_id(span: &Span) -> Option<String> {
    let context = span.context();
    let context = context.span().span_context().clone();
    context.is_valid().then(|| context.trace_id().to_string())
}
