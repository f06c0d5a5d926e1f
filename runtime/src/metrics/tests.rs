//! The metrics in the format that Prometheus reads.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hyper::{Request, Response, StatusCode};
use kube::client::Body;
use prometheus_client::metrics::counter::Counter;
use tower::{Layer, Service};

use super::{Metrics, ReconcileResult};
use crate::cache::{ConditionCount, Status};
use crate::health::Failures;
use crate::identity::Identity;
use crate::kinds::ChildKind;
use crate::leader::Leadership;

const IDENTITY: Identity = Identity::new("app", "1.2.3");

/// The series of a text, each with its value. Fails if the text is no valid `OpenMetrics`.
fn parse(text: &str) -> Vec<(&str, f64)> {
    let (mut series, mut families) = (Vec::new(), BTreeSet::new());
    let (mut family, mut type_) = ("", "");
    let lines = text.strip_suffix("# EOF\n").expect("an end").lines();
    for line in lines {
        if let Some(comment) = line.strip_prefix("# TYPE ") {
            (family, type_) = comment.split_once(' ').expect("a type");
            assert!(families.insert(family), "{family} comes twice");
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').expect("a value");
            let (metric, _) = name.split_once('{').unwrap_or((name, ""));
            let suffixes: &[&str] = match type_ {
                "counter" => &["_total"],
                "gauge" => &[""],
                "histogram" => &["_bucket", "_sum", "_count"],
                "info" => &["_info"],
                other => panic!("{other}"),
            };
            let suffix = metric.strip_prefix(family).expect("a metric of the family");
            assert!(suffixes.contains(&suffix), "{line} is no {type_}");
            let value = value.parse().expect("a number");
            assert!(
                series.iter().all(|(known, _)| *known != name),
                "{name} comes twice"
            );
            series.push((name, value));
        }
    }
    series
}

#[track_caller]
fn assert_value(metrics: &Metrics, series: &str, expected: f64) {
    let text = metrics.text().unwrap();
    let found = parse(&text).into_iter().find(|(name, _)| *name == series);
    assert_eq!(found, Some((series, expected)), "{text}");
}

#[test]
fn all_series_of_a_controller_are_there_from_the_start() {
    let metrics = Metrics::new(&IDENTITY);
    let _ = metrics.controller("web", 10);
    for result in ["success", "error", "requeue", "requeue_after"] {
        let series =
            format!("controller_runtime_reconcile_total{{controller=\"web\",result=\"{result}\"}}");
        assert_value(&metrics, &series, 0.0);
    }
    for (name, value) in [
        ("controller_runtime_reconcile_errors_total", 0.0),
        ("controller_runtime_terminal_reconcile_errors_total", 0.0),
        ("controller_runtime_reconcile_panics_total", 0.0),
        ("controller_runtime_reconcile_timeouts_total", 0.0),
        ("controller_runtime_reconcile_time_seconds_count", 0.0),
        ("controller_runtime_max_concurrent_reconciles", 10.0),
        ("controller_runtime_active_workers", 0.0),
        ("operator_cached_objects", 0.0),
        ("operator_unreadable_objects", 0.0),
    ] {
        assert_value(&metrics, &format!("{name}{{controller=\"web\"}}"), value);
    }
    for name in [
        "workqueue_depth",
        "workqueue_adds_total",
        "workqueue_queue_duration_seconds_count",
        "workqueue_retries_total",
        "workqueue_unfinished_work_seconds",
        "workqueue_longest_running_processor_seconds",
        "workqueue_work_duration_seconds_count",
    ] {
        let series = format!("{name}{{name=\"web\",controller=\"web\"}}");
        assert_value(&metrics, &series, 0.0);
    }
}

#[test]
fn reconciles_are_counted_by_how_they_ended() {
    let metrics = Metrics::new(&IDENTITY);
    let controller = metrics.controller("web", 10);
    for outcome in [
        ReconcileResult::Success,
        ReconcileResult::Success,
        ReconcileResult::Requeue,
        ReconcileResult::RequeueAfter,
        ReconcileResult::Error,
        ReconcileResult::TerminalError,
        ReconcileResult::Panic,
        ReconcileResult::Timeout,
    ] {
        controller.started().finished(outcome);
    }
    for (result, count) in [
        ("success", 2.0),
        ("requeue", 1.0),
        ("requeue_after", 1.0),
        ("error", 4.0),
    ] {
        let series =
            format!("controller_runtime_reconcile_total{{controller=\"web\",result=\"{result}\"}}");
        assert_value(&metrics, &series, count);
    }
    for (name, count) in [
        ("controller_runtime_reconcile_errors_total", 4.0),
        ("controller_runtime_terminal_reconcile_errors_total", 1.0),
        ("controller_runtime_reconcile_panics_total", 1.0),
        ("controller_runtime_reconcile_timeouts_total", 1.0),
        ("controller_runtime_reconcile_time_seconds_count", 8.0),
    ] {
        assert_value(&metrics, &format!("{name}{{controller=\"web\"}}"), count);
    }
    let retries = "workqueue_retries_total{name=\"web\",controller=\"web\"}";
    assert_value(&metrics, retries, 5.0);
}

#[test]
fn a_worker_is_active_until_its_reconcile_ends_or_is_dropped() {
    let metrics = Metrics::new(&IDENTITY);
    let controller = metrics.controller("web", 10);
    let active = "controller_runtime_active_workers{controller=\"web\"}";
    let (first, other) = (controller.started(), controller.started());
    assert_value(&metrics, active, 2.0);
    first.finished(ReconcileResult::Success);
    assert_value(&metrics, active, 1.0);
    drop(other);
    assert_value(&metrics, active, 0.0);
    let ended = "controller_runtime_reconcile_time_seconds_count{controller=\"web\"}";
    assert_value(&metrics, ended, 1.0);
}

#[test]
fn a_name_has_one_set_of_series() {
    let metrics = Metrics::new(&IDENTITY);
    for objects in [2, 3] {
        let controller = metrics.controller("web", 10);
        controller.watch_objects(move || objects);
        controller.started().finished(ReconcileResult::Success);
    }
    let objects = "operator_cached_objects{controller=\"web\"}";
    assert_value(&metrics, objects, 5.0);
    let success = "controller_runtime_reconcile_total{controller=\"web\",result=\"success\"}";
    assert_value(&metrics, success, 2.0);
}

#[test]
fn leadership_is_read_at_each_scrape() {
    let metrics = Metrics::new(&IDENTITY);
    let leadership = Leadership::none();
    metrics.leadership("app", leadership.clone());
    let leads = "leader_election_master_status{name=\"app\"}";
    let takeovers = "operator_leader_takeovers_total{name=\"app\"}";
    assert_value(&metrics, leads, 0.0);
    assert_value(&metrics, takeovers, 0.0);
    leadership.extend(tokio::time::Instant::now() + Duration::from_secs(60));
    assert_value(&metrics, leads, 1.0);
    assert_value(&metrics, takeovers, 1.0);
}

#[test]
fn objects_are_counted_by_condition() {
    let metrics = Metrics::new(&IDENTITY);
    let controller = metrics.controller("web", 10);
    let count = |status, objects, since| ConditionCount {
        type_: "Ready".to_owned(),
        status,
        objects,
        since,
    };
    let counts = vec![
        count(Status::True, 0, Some(7)),
        count(Status::False, 2, Some(70)),
    ];
    let kind = ChildKind::of::<k8s_openapi::api::apps::v1::Deployment>();
    for _ in 0..2 {
        let counts = counts.clone();
        controller.watch_conditions(&kind, move || counts.clone());
    }
    let labels = |status: &str| {
        format!(
            "{{controller=\"web\",group=\"apps\",kind=\"Deployment\",type=\"Ready\",status=\"{status}\"}}"
        )
    };
    for (status, objects) in [("True", 0.0), ("False", 2.0)] {
        let series = format!("operator_object_conditions{}", labels(status));
        assert_value(&metrics, &series, objects);
    }
    let since = "operator_object_conditions_since_timestamp_seconds";
    assert_value(&metrics, &format!("{since}{}", labels("False")), 70.0);
    let text = metrics.text().unwrap();
    assert!(
        !text.contains(&format!("{since}{}", labels("True"))),
        "{text}"
    );
}

#[tokio::test]
async fn requests_are_counted_with_or_without_an_answer() {
    let metrics = Metrics::new(&IDENTITY);
    let api_server = tower::service_fn(async |request: Request<Body>| match request.uri().path() {
        "/lost" => Err("connection lost"),
        "/slow" => std::future::pending().await,
        _ => Ok(Response::builder()
            .status(StatusCode::CONFLICT)
            .body(Body::empty())
            .unwrap()),
    });
    let mut service = metrics.requests("10.0.0.1:443").layer(api_server);
    let get = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    assert!(service.call(get("/lost")).await.is_err());
    assert!(service.call(get("/a-name")).await.is_ok());
    drop(service.call(get("/slow")));

    let labels = "method=\"GET\",host=\"10.0.0.1:443\"";
    let of = |code: &str| format!("rest_client_requests_total{{code=\"{code}\",{labels}}}");
    assert_value(&metrics, &of("409"), 1.0);
    assert_value(&metrics, &of("<error>"), 2.0);
    assert!(!metrics.text().unwrap().contains("a-name"));
}

#[test]
fn the_queue_has_client_go_s_metrics() {
    let metrics = Metrics::new(&IDENTITY);
    let controller = metrics.controller("web", 10);
    controller.watch_depth(|| 2);
    controller.watch_depth(|| 3);
    controller.added();
    controller.added();
    controller.waited(Duration::from_millis(50));
    controller.watch_unreadable(|| 3);
    for (name, value) in [
        ("workqueue_depth", 5.0),
        ("workqueue_adds_total", 2.0),
        ("workqueue_queue_duration_seconds_count", 1.0),
        ("workqueue_queue_duration_seconds_sum", 0.05),
    ] {
        let series = format!("{name}{{name=\"web\",controller=\"web\"}}");
        assert_value(&metrics, &series, value);
    }
    let unreadable = "operator_unreadable_objects{controller=\"web\"}";
    assert_value(&metrics, unreadable, 3.0);
}

#[tokio::test(start_paused = true)]
async fn running_reconciles_grow_older() {
    let metrics = Metrics::new(&IDENTITY);
    let controller = metrics.controller("web", 10);
    let first = controller.started();
    tokio::time::advance(Duration::from_secs(2)).await;
    let second = controller.started();
    tokio::time::advance(Duration::from_secs(1)).await;
    let labels = "{name=\"web\",controller=\"web\"}";
    let unfinished = format!("workqueue_unfinished_work_seconds{labels}");
    assert_value(&metrics, &unfinished, 4.0);
    let longest = format!("workqueue_longest_running_processor_seconds{labels}");
    assert_value(&metrics, &longest, 3.0);
    first.finished(ReconcileResult::Success);
    assert_value(&metrics, &longest, 1.0);
    drop(second);
    let time = "controller_runtime_reconcile_time_seconds_sum{controller=\"web\"}";
    assert_value(&metrics, time, 3.0);
}

#[test]
fn watches_of_one_name_are_reported_together() {
    let metrics = Metrics::new(&IDENTITY);
    let [first, other] = [(); 2].map(|()| Arc::<Failures>::default());
    for failures in [&first, &other] {
        metrics.watch("deployments.apps", Arc::clone(failures));
    }
    let failing = "operator_watch_failing{watch=\"deployments.apps\"}";
    let total = "operator_watch_failures_total{watch=\"deployments.apps\"}";
    assert_value(&metrics, failing, 0.0);
    assert_value(&metrics, total, 0.0);
    first.failed();
    first.failed();
    other.failed();
    other.succeeded();
    assert_value(&metrics, failing, 1.0);
    assert_value(&metrics, total, 3.0);
    first.succeeded();
    assert_value(&metrics, failing, 0.0);
    assert_value(&metrics, total, 3.0);
}

#[test]
fn further_metrics_can_be_registered_at_any_time() {
    let metrics = Metrics::new(&IDENTITY);
    let orders = Counter::<u64>::default();
    metrics.clone().register(|registry| {
        registry.register("shop_orders", "Total number of orders", orders.clone());
    });
    orders.inc();
    assert_value(&metrics, "shop_orders_total", 1.0);
}

#[test]
fn the_build_is_reported() {
    let series = "operator_build_info{name=\"app\",version=\"1.2.3\"}";
    assert_value(&Metrics::new(&IDENTITY), series, 1.0);
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_is_reported() {
    let text = Metrics::new(&IDENTITY).text().unwrap();
    let value = |name: &str| {
        let series = parse(&text);
        let found = series.iter().find(|(series, _)| *series == name);
        found.unwrap_or_else(|| panic!("no {name}")).1
    };
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let age = now.as_secs_f64() - value("process_start_time_seconds");
    assert!((-2.0..3600.0).contains(&age), "{age}");
    assert!(value("process_cpu_seconds_total") >= 0.0);
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"));
    assert!(value("process_open_fds") > 2.0);
    assert!(value("process_max_fds") >= value("process_open_fds"));
}
