//! Exports a trace of each reconcile with OTLP over HTTP. Configured by the environment variables
//! of OpenTelemetry; without `OTEL_EXPORTER_OTLP_ENDPOINT`, nothing is exported.

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

use crate::identity::Identity;

/// Exports the traces. Dropping it sends the last ones.
pub(super) struct Traces {
    name: &'static str,
    provider: SdkTracerProvider,
}

impl Traces {
    /// Exports traces to the endpoint in the environment, if there is one.
    pub(super) fn from_env(identity: &Identity) -> Result<Option<Self>, ExporterBuildError> {
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
            resource = resource.with_service_name(identity.name());
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        Ok(Some(Self {
            name: identity.name(),
            provider,
        }))
    }

    /// The layer that turns the span of each reconcile into a trace.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let tracer = self.provider.tracer(self.name);
        let reconciles = Targets::new().with_target(super::SPAN, Level::INFO);
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(reconciles)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown() {
            // Logging may have ended by now.
            eprintln!("cannot send the last traces: {error}");
        }
    }
}

/// The trace ID of a span, if its trace is exported.
pub(super) fn trace_id(span: &Span) -> Option<String> {
    let context = span.context().span().span_context().clone();
    context.is_valid().then(|| context.trace_id().to_string())
}
