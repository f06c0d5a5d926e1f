//! The metric families of controllers. All metrics exist from the start with the value 0, so that
//! rates and alerts work.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::{MetricType, TypedMetric};

use crate::cache::ConditionCount;

use super::controller::{ControllerMetrics, ReconcileResult, Series};

/// How a reconcile ended, in the words of controller-runtime.
const RESULTS: [(&str, &[ReconcileResult]); 4] = [
    ("error", &ReconcileResult::ERRORS),
    ("requeue", &[ReconcileResult::Requeue]),
    ("requeue_after", &[ReconcileResult::RequeueAfter]),
    ("success", &[ReconcileResult::Success]),
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
        self.conditions()?;
        self.queues()
    }

    fn results(&mut self) -> fmt::Result {
        let counter = MetricType::Counter;
        let mut family = self.encoder.encode_descriptor(
            "controller_runtime_reconcile",
            "Total number of reconciles per controller, by result",
            None,
            counter,
        )?;
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
                &ReconcileResult::ERRORS[..],
            ),
            (
                "controller_runtime_terminal_reconcile_errors",
                "Total number of reconciles that failed with a terminal error",
                &[ReconcileResult::TerminalError],
            ),
            (
                "controller_runtime_reconcile_panics",
                "Total number of reconciles that panicked",
                &[ReconcileResult::Panic],
            ),
            (
                "controller_runtime_reconcile_timeouts",
                "Total number of reconciles that timed out",
                &[ReconcileResult::Timeout],
            ),
        ] {
            self.family(name, help, controller, |series| {
                ConstCounter::new(series.ended(outcomes))
            })?;
        }
        self.family(
            "controller_runtime_reconcile_time_seconds",
            "Duration of reconciles in seconds",
            controller,
            |series| series.reconcile_time.clone(),
        )?;
        self.family(
            "controller_runtime_max_concurrent_reconciles",
            "Maximum number of concurrent reconciles",
            controller,
            |series| ConstGauge::new(i64::from(series.max_concurrent)),
        )?;
        self.family(
            "controller_runtime_active_workers",
            "Number of running reconciles",
            controller,
            |series| ConstGauge::new(series.ages().len()),
        )?;
        self.family(
            "operator_cached_objects",
            "Number of objects of the reconciled kind in the cache",
            controller,
            |series| ConstGauge::new(series.objects()),
        )?;
        self.family(
            "operator_unreadable_objects",
            "Number of objects that do not match their Rust type",
            controller,
            |series| ConstGauge::new(series.unreadable()),
        )
    }

    fn conditions(&mut self) -> fmt::Result {
        let all: Vec<_> = self
            .controllers
            .iter()
            .flat_map(|(name, controller)| {
                let kinds = controller.0.conditions().into_iter();
                kinds.map(move |kind| (name.as_str(), kind))
            })
            .collect();
        let since = |count: &ConditionCount| count.since.filter(|_| count.objects > 0);
        let objects = |count: &ConditionCount| i64::try_from(count.objects).ok();
        for (name, help, value) in [
            (
                "operator_object_conditions",
                "Number of objects by the type and status of a condition",
                &objects as &dyn Fn(&ConditionCount) -> Option<i64>,
            ),
            (
                "operator_object_conditions_since_timestamp_seconds",
                "Earliest transition to this status among the objects, in seconds since the Unix epoch",
                &since,
            ),
        ] {
            let gauge = MetricType::Gauge;
            let mut family = self.encoder.encode_descriptor(name, help, None, gauge)?;
            for (controller, ([group, kind], counts)) in &all {
                for count in counts {
                    let Some(value) = value(count) else { continue };
                    let labels = [
                        ("controller", *controller),
                        ("group", group),
                        ("kind", kind),
                        ("type", &count.type_),
                        ("status", count.status.as_str()),
                    ];
                    ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
                }
            }
        }
        Ok(())
    }

    /// The metrics of client-go's queues.
    fn queues(&mut self) -> fmt::Result {
        self.family(
            "workqueue_depth",
            "Number of objects in the queue",
            queue,
            |series| ConstGauge::new(series.depth()),
        )?;
        self.family(
            "workqueue_adds",
            "Total number of objects added to the queue",
            queue,
            |series| ConstCounter::new(series.added()),
        )?;
        self.family(
            "workqueue_queue_duration_seconds",
            "Time in seconds that objects wait in the queue",
            queue,
            |series| series.queue_duration.clone(),
        )?;
        self.family(
            "workqueue_retries",
            "Total number of objects requeued after a reconcile",
            queue,
            |series| ConstCounter::new(series.ended(&ReconcileResult::RETRIES)),
        )?;
        self.family(
            "workqueue_work_duration_seconds",
            "Duration of reconciles in seconds",
            queue,
            |series| series.work_duration.clone(),
        )?;
        self.family(
            "workqueue_unfinished_work_seconds",
            "Total age in seconds of running reconciles; grows if reconciles are stuck",
            queue,
            |series| ConstGauge::new(series.ages().iter().sum::<Duration>().as_secs_f64()),
        )?;
        self.family(
            "workqueue_longest_running_processor_seconds",
            "Age in seconds of the longest running reconcile",
            queue,
            |series| {
                let oldest = series.ages().into_iter().max();
                ConstGauge::new(oldest.unwrap_or_default().as_secs_f64())
            },
        )
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
