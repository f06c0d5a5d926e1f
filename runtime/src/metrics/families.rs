//! The metric families of controllers. All metrics exist from the start with the value 0, so that
//! rates and alerts work.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::{MetricType, TypedMetric};

use super::controller::{ControllerMetrics, Outcome, Series};

/// How a reconcile ended, in the words of controller-runtime.
const RESULTS: [(&str, &[Outcome]); 4] = [
    ("error", &Outcome::ERRORS),
    ("requeue", &[Outcome::Requeue]),
    ("requeue_after", &[Outcome::RequeueAfter]),
    ("success", &[Outcome::Success]),
];

/// Writes the metrics of controllers.
pub(super) struct Families<'e, 'c> {
    encoder: DescriptorEncoder<'e>,
    controllers: &'c BTreeMap<String, ControllerMetrics>,
}

impl<'e, 'c> Families<'e, 'c> {
    pub(super) fn new(
        encoder: DescriptorEncoder<'e>,
        controllers: &'c BTreeMap<String, ControllerMetrics>,
    ) -> Self {
        Self {
            encoder,
            controllers,
        }
    }

    pub(super) fn encode(mut self) -> fmt::Result {
        self.results()?;
        self.reconciles()?;
        self.queues()
    }

    fn results(&mut self) -> fmt::Result {
        let name = "controller_runtime_reconcile";
        let help = "Total number of reconciles per controller, by result";
        let counter = MetricType::Counter;
        let mut family = self.encoder.encode_descriptor(name, help, None, counter)?;
        for (name, controller) in self.controllers {
            for (result, outcomes) in RESULTS {
                let labels = [("controller", name.as_str()), ("result", result)];
                let count = ConstCounter::new(controller.0.ended(outcomes));
                count.encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }

    fn reconciles(&mut self) -> fmt::Result {
        for (name, help, outcomes) in [
            (
                "controller_runtime_reconcile_errors",
                "Total number of failed reconciles",
                &Outcome::ERRORS[..],
            ),
            (
                "controller_runtime_terminal_reconcile_errors",
                "Total number of reconciles that failed with a terminal error",
                &[Outcome::TerminalError],
            ),
            (
                "controller_runtime_reconcile_panics",
                "Total number of reconciles that panicked",
                &[Outcome::Panic],
            ),
            (
                "controller_runtime_reconcile_timeouts",
                "Total number of reconciles that timed out",
                &[Outcome::Timeout],
            ),
        ] {
            self.family(name, help, controller, |series| {
                ConstCounter::new(series.ended(outcomes))
            })?;
        }
        let name = "controller_runtime_reconcile_time_seconds";
        let help = "Duration of reconciles in seconds";
        self.family(name, help, controller, |series| {
            series.reconcile_time.clone()
        })?;
        let name = "controller_runtime_max_concurrent_reconciles";
        let help = "Maximum number of concurrent reconciles";
        self.family(name, help, controller, |series| {
            ConstGauge::new(i64::from(series.max_concurrent))
        })?;
        let name = "controller_runtime_active_workers";
        let help = "Number of running reconciles";
        self.family(name, help, controller, |series| {
            ConstGauge::new(series.ages().len())
        })?;
        let name = "operator_cached_objects";
        let help = "Number of objects of the reconciled kind in the cache";
        self.family(name, help, controller, |series| {
            ConstGauge::new(series.objects())
        })?;
        let name = "operator_unreadable_objects";
        let help = "Number of objects that do not match their Rust type";
        self.family(name, help, controller, |series| {
            ConstGauge::new(series.unreadable())
        })
    }

    /// The metrics of client-go's queues.
    fn queues(&mut self) -> fmt::Result {
        let name = "workqueue_depth";
        let help = "Number of objects in the queue";
        self.family(name, help, queue, |series| ConstGauge::new(series.depth()))?;
        let name = "workqueue_adds";
        let help = "Total number of objects added to the queue";
        self.family(name, help, queue, |series| {
            ConstCounter::new(series.added())
        })?;
        let name = "workqueue_queue_duration_seconds";
        let help = "Time in seconds that objects wait in the queue";
        self.family(name, help, queue, |series| series.queue_duration.clone())?;
        let name = "workqueue_retries";
        let help = "Total number of objects requeued after a reconcile";
        self.family(name, help, queue, |series| {
            ConstCounter::new(series.ended(&Outcome::RETRIES))
        })?;
        let name = "workqueue_work_duration_seconds";
        let help = "Duration of reconciles in seconds";
        self.family(name, help, queue, |series| series.work_duration.clone())?;
        let name = "workqueue_unfinished_work_seconds";
        let help = "Total age in seconds of running reconciles; grows if reconciles are stuck";
        self.family(name, help, queue, |series| {
            ConstGauge::new(series.ages().iter().sum::<Duration>().as_secs_f64())
        })?;
        let name = "workqueue_longest_running_processor_seconds";
        let help = "Age in seconds of the longest running reconcile";
        self.family(name, help, queue, |series| {
            let oldest = series.ages().into_iter().max();
            ConstGauge::new(oldest.unwrap_or_default().as_secs_f64())
        })
    }

    /// Writes one metric of each controller.
    fn family<const N: usize, M: EncodeMetric + TypedMetric>(
        &mut self,
        name: &str,
        help: &str,
        labels: fn(&str) -> [(&'static str, &str); N],
        value: impl Fn(&Series) -> M,
    ) -> fmt::Result {
        let mut family = self.encoder.encode_descriptor(name, help, None, M::TYPE)?;
        for (name, controller) in self.controllers {
            value(&controller.0).encode(family.encode_family(&labels(name))?)?;
        }
        Ok(())
    }
}

fn controller(name: &str) -> [(&'static str, &str); 1] {
    [("controller", name)]
}

/// A queue has the name of its controller.
fn queue(name: &str) -> [(&'static str, &str); 2] {
    [("name", name), ("controller", name)]
}
