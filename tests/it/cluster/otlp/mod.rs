//! The feature `otlp`: each reconcile is a trace of one span, which comes to a collector.

mod collector;
mod protobuf;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::library::{CONFIG_MAPS, SHOPS, rights};
use super::operator::Installed;
use super::{SOON, becomes};
use crate::support::control_plane::{ControlPlane, eventually, free_port};
use collector::{Collector, Span};

const GENERATION: &str = "/status/conditions/0/observedGeneration";

/// The operators of other tests have the port of its webhooks.
const FLAGS: [&str; 1] = ["--webhook-port=0"];

/// The library's example: it is built with the feature as the tests are.
#[test]
fn each_reconcile_is_a_trace_of_one_span() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let installed = Installed::example(&plane, "shop");
    rights::install(&plane);
    let kubeconfig = installed.kubeconfig(&plane, None);
    let collector = Collector::start();
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url()),
        // So late that what comes at all came because the operator ended.
        ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
    ];
    let operator = installed.run(&plane, &kubeconfig, &environment, &FLAGS);
    open(&plane, "web");
    becomes(&plane, SHOPS, "web", GENERATION, &json!(1));
    greet(&plane, "good day");
    becomes(&plane, SHOPS, "web", GENERATION, &json!(2));
    // What it would own is somebody else's.
    plane.kubectl_ok(&["create", "configmap", "bad", "-n", "default"]);
    open(&plane, "bad");
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
        assert_eq!(what, ("shop", "reconcile", ""), "{span:?}");
    }

    a_collector_that_is_away_is_no_hindrance(&plane, &installed);
}

fn open(plane: &ControlPlane, name: &str) {
    let shop = SHOPS.object(name, &json!({"greeting": "hello"}));
    plane.api().create(&SHOPS.all("default"), &shop);
}

fn greet(plane: &ControlPlane, greeting: &str) {
    let patch = json!({"spec": {"greeting": greeting}});
    plane.api().merge(&SHOPS.one("default", "web"), &patch);
}

/// What is logged of reconciles of shops.
fn told(log: &str) -> Vec<Value> {
    let lines = log.lines().map(serde_json::from_str::<Value>);
    let of_shops =
        |line: &Value| line["span"]["name"] == "reconcile" && line["span"]["controller"] == "shop";
    lines.flatten().filter(of_shops).collect()
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
    let operator = installed.run(plane, &kubeconfig, &environment, &FLAGS);
    greet(plane, "good night");
    let text = json!("Hello, good night");
    becomes(plane, CONFIG_MAPS, "web", "/data/text", &text);
    let (code, time) = operator.terminate();
    assert_eq!(code, Some(0));
    assert!(time < Duration::from_secs(10), "{time:?}");
}
