//! One object that cannot be read holds up no other.

use serde_json::json;

use super::beside::http;
use super::{SHOPS, Suite, suite};
use crate::cluster::case::soon;
use crate::support::control_plane::ControlPlane;

/// What is in the spec of an object that cannot be read, and in no log.
const PRIVATE: &str = "hunter2-is-private";

/// Creates an object that cannot be read, before an operator runs.
pub(super) fn prepare(plane: &ControlPlane) {
    let namespace = json!({"metadata": {"name": "unreadable"}});
    plane.api().create("/api/v1/namespaces", &namespace);
    let spec = json!({"port": "eighty", "greeting": PRIVATE});
    let object = SHOPS.object("early", &spec);
    plane.api().create(&SHOPS.all("unreadable"), &object);
}

fn unreadable(suite: &Suite) -> Option<String> {
    let metrics = http(suite.metrics, "/metrics");
    let series = "operator_unreadable_objects{controller=\"shop\"} ";
    let value = metrics.lines().find_map(|line| line.strip_prefix(series));
    value.map(str::to_owned)
}

#[test]
fn an_object_that_cannot_be_read_is_named_and_left_alone() {
    let Some(suite) = &suite() else { return };
    // What was there before the operator, and what comes while it runs.
    let late = json!({"port": "ninety", "greeting": PRIVATE});
    suite.shop("unreadable", "late", &late);
    suite.shop("unreadable", "good", &json!({}));
    suite.is_ready("unreadable", "good", "True", "Open");
    soon("two are counted", || {
        unreadable(suite).as_deref() == Some("2")
    });

    for name in ["early", "late"] {
        soon(&format!("{name} is named"), || {
            let log = suite.operator.log();
            let mut lines = log.lines();
            let object = format!("\"unreadable/{name}\"");
            lines
                .any(|line| line.contains("does not match its Rust type") && line.contains(&object))
        });
        let mut tries = 0;
        soon(&format!("an event of {name}"), || {
            let path = "/apis/events.k8s.io/v1/namespaces/unreadable/events";
            let events = suite.plane.api().get(path);
            let events = events["items"].as_array().expect("a list");
            let is_there = events
                .iter()
                .any(|event| event["reason"] == "Unreadable" && event["regarding"]["name"] == name);
            // While other tests make many, one may be left out: another reason is told again.
            tries += 1;
            if !is_there && tries % 20 == 0 {
                let port = json!({"spec": {"port": format!("ninety-{tries}")}});
                suite.merge(SHOPS, "unreadable", name, &port);
            }
            is_there
        });
    }
    assert!(
        !suite.operator.log().contains(PRIVATE),
        "a spec is in the log"
    );
    assert!(http(suite.probes, "/livez").starts_with("HTTP/1.1 200"));

    // One that becomes unreadable counts as well, and is reconciled again when it is repaired.
    let bad = json!({"spec": {"port": "hundred"}});
    suite.merge(SHOPS, "unreadable", "good", &bad);
    soon("three are counted", || {
        unreadable(suite).as_deref() == Some("3")
    });
    for name in ["early", "late", "good"] {
        let good = json!({"spec": {"port": 80}});
        suite.merge(SHOPS, "unreadable", name, &good);
        suite.is_ready("unreadable", name, "True", "Open");
        soon("it has a Service", || {
            super::has_address(suite, "unreadable", name)
        });
    }
    soon("none is counted", || {
        unreadable(suite).as_deref() == Some("0")
    });
}
