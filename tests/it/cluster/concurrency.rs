//! How many objects are reconciled at the same time: as many as the flag says, in whichever namespaces.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::case::{APP_SERVICES, Case, soon};
use crate::support::proxy::{Fault, Proxy, Purpose, Rule};

/// How long a write takes, so that all that may run at a time do.
const STALL: Duration = Duration::from_millis(1500);

/// How many objects there are in a namespace.
const OBJECTS: usize = 4;

#[test]
fn one_at_a_time() {
    is_bounded("bound-one", &["bound-one"], 1);
}

#[test]
fn three_at_a_time() {
    is_bounded("bound-three", &["bound-three"], 3);
}

/// Each namespace has a loop of its own, but no limit of its own.
#[test]
fn three_at_a_time_in_two_namespaces() {
    let both = ["bound-left", "bound-right"];
    is_bounded("bound-both", &both, 3);
}

/// More objects than the limit are there when the operator starts, and its writes take long.
#[track_caller]
fn is_bounded(home: &str, namespaces: &[&str], limit: usize) {
    let Some(case) = Case::prepare(home) else {
        return;
    };
    let api = case.plane().api();
    for namespace in namespaces {
        if *namespace != home {
            let object = json!({"metadata": {"name": namespace}});
            api.create("/api/v1/namespaces", &object);
        }
        for number in 0..OBJECTS {
            let object = APP_SERVICES.object(&format!("web-{number}"), &json!({"image": "nginx"}));
            api.create(&APP_SERVICES.all(namespace), &object);
        }
    }
    let slow = Rule::new(Fault::Stall(STALL), |request| {
        request.purpose == Purpose::Write && request.resource == "deployments"
    });
    case.proxy.add(slow.take(2 * limit));
    let flag = format!("--max-concurrent-reconciles={limit}");
    let _operator = case.launch_with(&[("WATCH_NAMESPACE", &namespaces.join(","))], &[&flag]);

    let start = Instant::now();
    let mut most = 0;
    soon("every object has a status", || {
        most = most.max(writes_under_way(&case.proxy));
        start.elapsed() > 2 * STALL && namespaces.iter().all(|namespace| is_done(&case, namespace))
    });
    assert_eq!(most, limit, "writes at the same time");
}

/// How many writes wait for their answer. A reconcile has one at a time, and events have theirs beside.
fn writes_under_way(proxy: &Proxy) -> usize {
    thread::sleep(Duration::from_millis(5));
    let requests = proxy.requests();
    let under_way = requests.iter().filter(|request| {
        request.purpose == Purpose::Write
            && request.resource != "events"
            && request.status.is_none()
    });
    under_way.count()
}

fn is_done(case: &Case, namespace: &str) -> bool {
    let list = case.plane().api().get(&APP_SERVICES.all(namespace));
    let objects = list["items"].as_array().expect("a list");
    objects.iter().all(|object| object["status"].is_object())
}
