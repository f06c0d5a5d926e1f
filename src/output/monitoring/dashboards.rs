//! The dashboards of an operator. Their queries name metrics of `runtime/src/metrics/` and
//! `runtime/src/webhook/metrics.rs`.

use crate::project::{Project, ProjectKind};

use super::dashboard::{Dashboard, Graph, OPERATOR, Panel};

pub(super) fn all(project: &Project) -> Vec<Dashboard> {
    let webhooks = if project.has_webhooks() {
        WEBHOOKS
    } else {
        &[]
    };
    let process = PROCESS.iter().chain(webhooks);
    let mut all = vec![
        dashboard("controllers", "controllers", OPERATOR, CONTROLLERS),
        dashboard("process", "process and leadership", OPERATOR, process),
    ];
    for controller in project.controllers() {
        let dashboard = of_kind(controller.of.kind);
        if all.iter().all(|known| known.name != dashboard.name) {
            all.push(dashboard);
        }
    }
    all
}

fn of_kind(kind: &ProjectKind) -> Dashboard {
    let (group, name) = (kind.api_group(), &kind.name);
    let selector = format!("{OPERATOR}, group=\"{group}\", kind=\"{name}\"");
    // A kind of the core group has no group behind the dot.
    let resource = kind.crd_name();
    let file = resource.trim_end_matches('.');
    dashboard(file, &format!("{name} objects"), &selector, KIND)
}

/// A dashboard of graphs about what a selector selects.
fn dashboard<'a>(
    name: &str,
    title: &str,
    selector: &str,
    graphs: impl IntoIterator<Item = &'a Graph>,
) -> Dashboard {
    let panels = graphs.into_iter();
    Dashboard {
        name: name.to_owned(),
        title: title.to_owned(),
        panels: panels.map(|graph| Panel::new(graph, selector)).collect(),
    }
}

/// The reconciles and the queues.
const CONTROLLERS: &[Graph] = &[
    Graph {
        title: "Reconciles",
        about: "Completed reconciles per second, by result",
        unit: "ops",
        queries: &[[
            "sum by (controller, result) (rate(controller_runtime_reconcile_total{$OF}[$__rate_interval]))",
            "{{controller}}: {{result}}",
        ]],
    },
    Graph {
        title: "Errors",
        about: "Failed reconciles per second; the other graphs are a part of all errors",
        unit: "ops",
        queries: &[
            [
                "sum by (controller) (rate(controller_runtime_reconcile_errors_total{$OF}[$__rate_interval]))",
                "{{controller}}: all",
            ],
            [
                "sum by (controller) (rate(controller_runtime_terminal_reconcile_errors_total{$OF}[$__rate_interval]))",
                "{{controller}}: terminal",
            ],
            [
                "sum by (controller) (rate(controller_runtime_reconcile_timeouts_total{$OF}[$__rate_interval]))",
                "{{controller}}: timeouts",
            ],
            [
                "sum by (controller) (rate(controller_runtime_reconcile_panics_total{$OF}[$__rate_interval]))",
                "{{controller}}: panics",
            ],
        ],
    },
    Graph {
        title: "Reconcile duration",
        about: "Duration of reconciles: median and 99th percentile",
        unit: "s",
        queries: &[
            [
                "histogram_quantile(0.5, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{$OF}[$__rate_interval])))",
                "{{controller}}: p50",
            ],
            [
                "histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{$OF}[$__rate_interval])))",
                "{{controller}}: p99",
            ],
        ],
    },
    Graph {
        title: "Longest running reconcile",
        about: "Age of the oldest running reconcile; a stuck reconcile is a rising line",
        unit: "s",
        queries: &[[
            "max by (controller) (workqueue_longest_running_processor_seconds{$OF})",
            "{{controller}}",
        ]],
    },
    Graph {
        title: "Queue depth",
        about: "Objects that wait for a reconcile",
        unit: "short",
        queries: &[[
            "sum by (controller) (workqueue_depth{$OF})",
            "{{controller}}",
        ]],
    },
    Graph {
        title: "Time in queue",
        about: "Time that objects wait for a reconcile: median and 99th percentile",
        unit: "s",
        queries: &[
            [
                "histogram_quantile(0.5, sum by (controller, le) (rate(workqueue_queue_duration_seconds_bucket{$OF}[$__rate_interval])))",
                "{{controller}}: p50",
            ],
            [
                "histogram_quantile(0.99, sum by (controller, le) (rate(workqueue_queue_duration_seconds_bucket{$OF}[$__rate_interval])))",
                "{{controller}}: p99",
            ],
        ],
    },
    Graph {
        title: "Adds and retries",
        about: "Objects added to the queue, and reconciles after which the object is requeued, per second",
        unit: "ops",
        queries: &[
            [
                "sum by (controller) (rate(workqueue_adds_total{$OF}[$__rate_interval]))",
                "{{controller}}: adds",
            ],
            [
                "sum by (controller) (rate(workqueue_retries_total{$OF}[$__rate_interval]))",
                "{{controller}}: retries",
            ],
        ],
    },
    Graph {
        title: "Workers",
        about: "Running reconciles, and their maximum",
        unit: "short",
        queries: &[
            [
                "sum by (controller) (controller_runtime_active_workers{$OF})",
                "{{controller}}: active",
            ],
            [
                "max by (controller) (controller_runtime_max_concurrent_reconciles{$OF})",
                "{{controller}}: maximum",
            ],
        ],
    },
    Graph {
        title: "Cached objects",
        about: "Objects in the cache, and those that do not match their Rust type",
        unit: "short",
        queries: &[
            [
                "max by (controller) (operator_cached_objects{$OF})",
                "{{controller}}",
            ],
            [
                "max by (controller) (operator_unreadable_objects{$OF})",
                "{{controller}}: unreadable",
            ],
        ],
    },
];

/// The election, the watches, the requests and the process.
const PROCESS: &[Graph] = &[
    Graph {
        title: "Leader",
        about: "1 for the replica that holds the Lease",
        unit: "short",
        queries: &[["leader_election_master_status{$OF}", "{{pod}}"]],
    },
    Graph {
        title: "Takeovers",
        about: "How often a replica became the leader",
        unit: "short",
        queries: &[[
            "sum by (pod) (increase(operator_leader_takeovers_total{$OF}[$__rate_interval]))",
            "{{pod}}",
        ]],
    },
    Graph {
        title: "Failing watches",
        about: "1 from the failure of a watch until its next success",
        unit: "short",
        queries: &[["max by (watch) (operator_watch_failing{$OF})", "{{watch}}"]],
    },
    Graph {
        title: "Watch restarts",
        about: "Watches that failed and were restarted, per second",
        unit: "ops",
        queries: &[[
            "sum by (watch) (rate(operator_watch_failures_total{$OF}[$__rate_interval]))",
            "{{watch}}",
        ]],
    },
    Graph {
        title: "API requests",
        about: "Requests to the API server per second, by status code; <error> is a request without a response",
        unit: "reqps",
        queries: &[[
            "sum by (code) (rate(rest_client_requests_total{$OF}[$__rate_interval]))",
            "{{code}}",
        ]],
    },
    Graph {
        title: "Throttled API requests",
        about: "Requests per second that the API server rejected with 429",
        unit: "reqps",
        queries: &[[
            "sum by (method) (rate(rest_client_requests_total{$OF, code=\"429\"}[$__rate_interval]))",
            "{{method}}",
        ]],
    },
    Graph {
        title: "CPU",
        about: "CPU cores in use",
        unit: "short",
        queries: &[[
            "rate(process_cpu_seconds_total{$OF}[$__rate_interval])",
            "{{pod}}",
        ]],
    },
    Graph {
        title: "Memory",
        about: "Resident memory",
        unit: "bytes",
        queries: &[["process_resident_memory_bytes{$OF}", "{{pod}}"]],
    },
    Graph {
        title: "Open files",
        about: "Open file descriptors, and their maximum",
        unit: "short",
        queries: &[
            ["process_open_fds{$OF}", "{{pod}}"],
            ["process_max_fds{$OF}", "{{pod}}: maximum"],
        ],
    },
    Graph {
        title: "Uptime",
        about: "Time since the start of the process",
        unit: "s",
        queries: &[["time() - process_start_time_seconds{$OF}", "{{pod}}"]],
    },
];

const WEBHOOKS: &[Graph] = &[
    Graph {
        title: "Webhook requests",
        about: "Admission and conversion requests per second, by path and status code",
        unit: "reqps",
        queries: &[[
            "sum by (webhook, code) (rate(controller_runtime_webhook_requests_total{$OF}[$__rate_interval]))",
            "{{webhook}}: {{code}}",
        ]],
    },
    Graph {
        title: "Webhook latency",
        about: "Latency of admission and conversion requests: 99th percentile",
        unit: "s",
        queries: &[[
            "histogram_quantile(0.99, sum by (webhook, le) (rate(controller_runtime_webhook_latency_seconds_bucket{$OF}[$__rate_interval])))",
            "{{webhook}}",
        ]],
    },
    Graph {
        title: "Webhook certificate",
        about: "Time until the certificate expires; nothing while it is self-signed",
        unit: "s",
        queries: &[[
            "(operator_webhook_certificate_expiration_timestamp_seconds{$OF} > 0) - time()",
            "{{pod}}",
        ]],
    },
];

/// The objects of a kind. Several replicas can have them in their caches, so they are not added.
const KIND: &[Graph] = &[
    Graph {
        title: "Ready",
        about: "Objects by the status of the condition Ready",
        unit: "short",
        queries: &[[
            "max by (status) (operator_object_conditions{$OF, type=\"Ready\"})",
            "{{status}}",
        ]],
    },
    Graph {
        title: "Longest time not ready",
        about: "Time since the earliest transition of an object that is not Ready",
        unit: "s",
        queries: &[[
            "time() - min by (status) (operator_object_conditions_since_timestamp_seconds{$OF, type=\"Ready\", status!=\"True\"})",
            "{{status}}",
        ]],
    },
    Graph {
        title: "Conditions",
        about: "Objects by the type and status of all conditions",
        unit: "short",
        queries: &[[
            "max by (type, status) (operator_object_conditions{$OF})",
            "{{type}}: {{status}}",
        ]],
    },
];
