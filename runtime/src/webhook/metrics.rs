//! Webhook metrics with the names of controller-runtime's metrics, labeled by path.

use std::sync::atomic::AtomicI64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;

/// The buckets of `controller_runtime_webhook_latency_seconds`: the defaults of Go's client.
const LATENCY_SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Webhook {
    webhook: String,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ResponseLabels {
    webhook: String,
    code: u16,
}

/// The metrics of all webhooks. Clones share their values.
#[derive(Clone)]
pub(super) struct Metrics {
    requests: Family<ResponseLabels, Counter>,
    latency: Family<Webhook, Histogram, fn() -> Histogram>,
    in_flight: Family<Webhook, Gauge>,
    panics: Counter,
}

impl Metrics {
    /// The metrics of the webhooks at these paths, all at 0.
    pub(super) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let metrics = Self {
            requests: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(LATENCY_SECONDS)),
            in_flight: Family::default(),
            panics: Counter::default(),
        };
        for path in paths {
            let webhook = || path.to_owned();
            for code in [200, 500] {
                let answered = ResponseLabels {
                    webhook: webhook(),
                    code,
                };
                drop(metrics.requests.get_or_create(&answered));
            }
            let webhook = Webhook { webhook: webhook() };
            drop(metrics.latency.get_or_create(&webhook));
            drop(metrics.in_flight.get_or_create(&webhook));
        }
        metrics
    }

    /// Registers the metrics, and the time when the certificate expires.
    pub(super) fn register(&self, registry: &mut Registry, ends: Gauge) {
        registry.register(
            "operator_webhook_certificate_expiration_timestamp_seconds",
            "Expiration time of the webhook certificate as a Unix timestamp, 0 if it is self-signed",
            ends,
        );
        let registry = registry.sub_registry_with_prefix("controller_runtime_webhook");
        registry.register(
            "requests",
            "Total number of admission and conversion requests, by path and status code",
            self.requests.clone(),
        );
        registry.register(
            "latency_seconds",
            "Latency of webhook requests in seconds",
            self.latency.clone(),
        );
        registry.register(
            "requests_in_flight",
            "Number of webhook requests in flight",
            self.in_flight.clone(),
        );
        registry.register(
            "panics",
            "Total number of panics in webhooks",
            self.panics.clone(),
        );
    }

    /// Counts a request as in flight until it is answered or dropped.
    pub(super) fn begin(&self, path: &str) -> InFlight {
        let webhook = path.to_owned();
        let in_flight = self.in_flight.get_or_create_owned(&Webhook { webhook });
        in_flight.inc();
        InFlight {
            path: path.to_owned(),
            begun: Instant::now(),
            gauge: in_flight,
            metrics: self.clone(),
        }
    }

    pub(super) fn panicked(&self) {
        self.panics.inc();
    }
}

/// A request in flight.
pub(super) struct InFlight {
    path: String,
    begun: Instant,
    gauge: Gauge<i64, AtomicI64>,
    metrics: Metrics,
}

impl InFlight {
    /// Counts it as answered.
    pub(super) fn answered(self, code: u16) {
        let webhook = self.path.clone();
        let answered = ResponseLabels { webhook, code };
        self.metrics.requests.get_or_create(&answered).inc();
        let webhook = self.path.clone();
        let seconds = self.begun.elapsed().as_secs_f64();
        let latency = self.metrics.latency.get_or_create(&Webhook { webhook });
        latency.observe(seconds);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.gauge.dec();
    }
}
