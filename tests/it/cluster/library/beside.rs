//! What runs beside the reconciles: flags and a state of one's own, tasks, checks and metrics.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::{CONFIG_MAPS, suite};
use crate::cluster::case::soon;
use crate::cluster::operator::Operator;

/// What a port answers to plain HTTP.
pub(super) fn http(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn a_flag_a_state_a_check_and_a_metric_of_ones_own() {
    let Some(suite) = &suite() else { return };
    suite.namespace("own");
    suite.shop("own", "web", &json!({"greeting": "hi"}));
    soon("the text with the flag in it", || {
        suite.get(CONFIG_MAPS, "own", "web")["data"]["text"] == "Welcome, hi"
    });

    let metrics = http(suite.metrics, "/metrics");
    let value = |series: &str| {
        let mut lines = metrics.lines();
        let line = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        let value = line.unwrap_or_else(|| panic!("no {series} in {metrics}"));
        value.parse::<f64>().expect("a number")
    };
    assert!(value("shop_greetings_total") >= 1.0);
    for controller in ["shop", "audit", "region", "configmap"] {
        let labels = format!("{{name=\"{controller}\",controller=\"{controller}\"}}");
        for name in [
            "workqueue_depth",
            "workqueue_adds_total",
            "workqueue_retries_total",
            "workqueue_queue_duration_seconds_count",
            "workqueue_work_duration_seconds_count",
            "workqueue_unfinished_work_seconds",
            "workqueue_longest_running_processor_seconds",
        ] {
            value(&format!("{name}{labels}"));
        }
    }
    let shop = "{name=\"shop\",controller=\"shop\"}";
    assert!(value(&format!("workqueue_adds_total{shop}")) >= 1.0);
    assert!(value(&format!("workqueue_queue_duration_seconds_count{shop}")) >= 1.0);
    let concurrent = "controller_runtime_max_concurrent_reconciles";
    let of = |name: &str| value(&format!("{concurrent}{{controller=\"{name}\"}}"));
    assert!((of("audit") - 2.0).abs() < 0.1 && (of("shop") - 10.0).abs() < 0.1);

    std::fs::write(&suite.closed, "").expect("a file");
    let answer = http(suite.probes, "/readyz");
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(
        answer.contains("[-]open failed: closed for today"),
        "{answer}"
    );
    assert!(http(suite.probes, "/livez").starts_with("HTTP/1.1 200"));
    std::fs::remove_file(&suite.closed).expect("a file");
    soon("it is ready", || {
        http(suite.probes, "/readyz").starts_with("HTTP/1.1 200")
    });
}

/// Two replicas: the tasks of the leader run in one of them, those of every replica in both.
#[test]
fn tasks_run_where_they_should_until_the_end() {
    let Some(suite) = &suite() else { return };
    suite.namespace("replicas");
    let kubeconfig = suite.installed.kubeconfig(&suite.plane, None);
    let replica = || {
        let flags = [
            "--leader-elect",
            "--watch-namespace=replicas",
            "--fleet=none",
            "--webhook-port=0",
        ];
        suite.installed.run(&suite.plane, &kubeconfig, &[], &flags)
    };
    let is_told = |replica: &Operator, task: &str, what: &str| {
        let log = replica.log();
        let lines = log.lines().map(serde_json::from_str::<serde_json::Value>);
        let mut lines = lines.flatten();
        lines.any(|line| line["task"] == task && line["message"] == what)
    };
    suite.shop("replicas", "web", &json!({}));
    let first = replica();
    soon("the first leads", || is_told(&first, "ledger", "begins"));
    assert!(
        first.log().contains(r#""task":"ledger","shops":1"#),
        "{}",
        first.log()
    );
    let second = replica();
    soon("the second runs", || is_told(&second, "clock", "begins"));
    assert!(is_told(&first, "clock", "begins"));
    assert!(!is_told(&second, "ledger", "begins"));

    let end = |mut operator: Operator| {
        operator.signal("TERM");
        soon("the end", || operator.ended().is_some());
        assert_eq!(operator.ended().and_then(|status| status.code()), Some(0));
        for task in ["ledger", "clock"] {
            assert!(is_told(&operator, task, "ends"), "{task} was cut off");
        }
    };
    end(first);
    soon("the second leads", || is_told(&second, "ledger", "begins"));
    end(second);
    suite.nothing_was_denied();
}
