//! Never two reconciles at once for one object, whatever its scope, and none beside its cleanup.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{CONFIG_MAPS, REGIONS, SHOPS, Suite, suite};
use crate::cluster::case::soon;

#[test]
fn a_slow_reconcile_of_a_cluster_scoped_object_runs_alone() {
    let Some(suite) = &suite() else { return };
    suite.namespace("regions");
    let spec = json!({"namespace": "regions", "milliseconds": 3000});
    for (name, fleet) in [("slow", "main"), ("strange", "other")] {
        let mut region = REGIONS.object(name, &spec);
        region["metadata"]["labels"] = json!({"fleet": fleet});
        suite.plane.api().create(&REGIONS.all(""), &region);
    }
    soon("the first child", || {
        suite.get(CONFIG_MAPS, "regions", "slow-north").is_object()
    });
    let changes = Instant::now();
    let mut number = 0;
    while changes.elapsed() < Duration::from_secs(8) {
        number += 1;
        for part in ["slow-north", "slow-south"] {
            let path = CONFIG_MAPS.one("regions", part);
            let change = json!({"data": {"map": format!("torn {number}")}});
            // It may not be there yet.
            let merge = "application/merge-patch+json";
            let _ = suite
                .plane
                .api()
                .send(hyper::Method::PATCH, &path, merge, &change);
        }
        thread::sleep(Duration::from_millis(100));
    }
    let begun = suite.reconciles("region", "slow");
    assert!(begun >= 3, "{begun} reconciles");
    suite.delete(REGIONS, "", "slow");
    soon("the end", || suite.get(REGIONS, "", "slow").is_null());
    runs_alone(suite, "region", "slow");
    for part in ["slow-north", "slow-south"] {
        soon("no map", || {
            suite.get(CONFIG_MAPS, "regions", part).is_null()
        });
    }
    // One of another fleet is none of its business.
    assert_eq!(suite.reconciles("region", "strange"), 0);
}

#[test]
fn reconciles_of_a_namespaced_object_run_alone() {
    let Some(suite) = &suite() else { return };
    suite.namespace("alone");
    suite.shop("alone", "web", &json!({"credentials": "key"}));
    for number in 0..50 {
        let spec = json!({"spec": {"greeting": number.to_string()}});
        suite.merge(SHOPS, "alone", "web", &spec);
        let secret = json!({"metadata": {"name": "key"}});
        let api = suite.plane.api();
        match number % 2 {
            0 => drop(api.create(&super::SECRETS.all("alone"), &secret)),
            _ => suite.delete(super::SECRETS, "alone", "key"),
        }
    }
    suite.plane.api().create(
        &super::SECRETS.all("alone"),
        &json!({"metadata": {"name": "key"}}),
    );
    suite.is_ready("alone", "web", "True", "Open");
    soon("the last text", || {
        suite.get(CONFIG_MAPS, "alone", "web")["data"]["text"] == "Welcome, 49"
    });
    runs_alone(suite, "audit", "alone/web");
}

/// What has begun ends before the next begins.
#[track_caller]
fn runs_alone(suite: &Suite, controller: &str, object: &str) {
    let told = suite.told(controller, object);
    let mut is_running = false;
    for line in &told {
        match line["message"].as_str() {
            Some("begins") => assert!(!std::mem::replace(&mut is_running, true), "{line:#}"),
            Some("ends" | "reconcile failed") => is_running = false,
            _ => {}
        }
    }
    assert!(told.iter().any(|line| line["message"] == "ends"));
}
