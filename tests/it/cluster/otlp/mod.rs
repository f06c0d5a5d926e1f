//! The feature `otlp`: each reconcile is a trace of one span, which comes to a collector.

mod collector;
mod protobuf;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::operator::Installed;
use super::{NAME, SOON, app_service, becomes, is_accepted};
use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually, free_port};
use collector::{Collector, Span};

#[test]
fn each_reconcile_is_a_trace_of_one_span() {
    let Some(plane) = ControlPlane::start() else {
        return;
    };
    let world = World::with_api();
    let installed = Installed::with_flags(&world, &plane, "app-operator", "--features otlp");
    let kubeconfig = installed.kubeconfig(&plane, None);
    let collector = Collector::start();
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url()),
        // So late that what comes at all came because the operator ended.
        ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
        ("RUST_LOG", "info,app_operator=debug"),
    ];
    let operator = installed.run(&plane, &kubeconfig, &environment, &[]);
    let generation = "/status/observedGeneration";
    assert!(is_accepted(
        &plane,
        &app_service(NAME, json!({"image": "nginx"}))
    ));
    becomes(&plane, "appservice", NAME, generation, &json!(1));
    plane.kubectl_ok(&["scale", "appservice", NAME, "-n", "default", "--replicas=3"]);
    becomes(&plane, "appservice", NAME, generation, &json!(2));
    // The API server does not take this port for its Service.
    let refused = json!({"image": "nginx", "ports": [{"port": 80, "nodePort": 1}]});
    assert!(is_accepted(&plane, &app_service("bad", refused)));
    becomes(&plane, "appservice", "bad", generation, &json!(1));
    let told = eventually("a failure is logged", SOON, || {
        let told = told(&operator.log());
        let has_failed = told
            .iter()
            .any(|line| line["message"] == "reconcile failed");
        has_failed.then_some(told)
    });

    assert_eq!(collector.spans(), Vec::new(), "before the end");
    assert_eq!(operator.terminate().0, Some(0));
    let spans = collector.spans();
    for line in &told {
        is_the_span_of(line, &spans);
    }
    let traces: BTreeSet<_> = spans.iter().map(|span| &span.trace).collect();
    assert_eq!(traces.len(), spans.len(), "a trace has several spans");
    for span in &spans {
        let what = (&*span.service, &*span.name, &*span.parent);
        assert_eq!(what, ("app-operator", "reconcile", ""), "{span:?}");
    }

    a_collector_that_is_away_is_no_hindrance(&plane, &installed);
}

/// What is logged of reconciles.
fn told(log: &str) -> Vec<Value> {
    let lines = log.lines().map(serde_json::from_str::<Value>);
    let of_reconciles = |line: &Value| line["span"]["name"] == "reconcile";
    lines.flatten().filter(of_reconciles).collect()
}

/// A reconcile that was logged has one span, under the id that the log names, which says the same.
#[track_caller]
fn is_the_span_of(line: &Value, spans: &[Span]) {
    let said = &line["span"];
    let is_of = |span: &&Span| said["trace_id"] == *span.trace;
    let found: Vec<_> = spans.iter().filter(is_of).collect();
    let [span] = found[..] else {
        panic!("{} spans of {line:#}", found.len())
    };
    for field in ["controller", "object", "generation"] {
        assert!(!said[field].is_null(), "no {field} in {line:#}");
        assert_eq!(span.attributes.get(field), Some(&said[field]), "{span:?}");
    }
}

fn a_collector_that_is_away_is_no_hindrance(plane: &ControlPlane, installed: &Installed) {
    let nowhere = format!("http://127.0.0.1:{}", free_port());
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", &*nowhere)];
    let kubeconfig = installed.kubeconfig(plane, None);
    let operator = installed.run(plane, &kubeconfig, &environment, &[]);
    plane.kubectl_ok(&["scale", "appservice", NAME, "-n", "default", "--replicas=4"]);
    becomes(plane, "deployment", NAME, "/spec/replicas", &json!(4));
    let (code, time) = operator.terminate();
    assert_eq!(code, Some(0));
    assert!(time < Duration::from_secs(10), "{time:?}");
}
