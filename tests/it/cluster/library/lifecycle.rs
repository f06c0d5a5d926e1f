//! What becomes of an object that goes and comes, and of a status that is not ours alone.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{CONFIG_MAPS, SHOPS, Suite, suite};
use crate::cluster::case::soon;

/// The collector is late: something holds the old child.
#[test]
fn a_name_that_was_used_before_is_no_hindrance() {
    let Some(suite) = &suite() else { return };
    if suite.plane.has_controllers() {
        suite
            .plane
            .collects_garbage_of("shop.example.com/v1", "Shop");
    }
    suite.namespace("again");
    suite.shop("again", "web", &json!({"greeting": "one"}));
    suite.is_ready("again", "web", "True", "Open");
    let hold = |finalizers: Value| json!({"metadata": {"finalizers": finalizers}});
    let held = hold(json!(["test.example.com/hold"]));
    suite.merge(CONFIG_MAPS, "again", "web", &held);
    let old = suite.get(CONFIG_MAPS, "again", "web")["metadata"]["uid"].take();
    suite.delete(SHOPS, "again", "web");
    soon("the object is gone", || {
        suite.get(SHOPS, "again", "web").is_null()
    });

    suite.shop("again", "web", &json!({"greeting": "two"}));
    thread::sleep(Duration::from_secs(2));
    let reasons: Vec<_> = suite
        .told("shop", "again/web")
        .into_iter()
        .filter(|line| line["message"] == "reconcile failed")
        .collect();
    assert!(!reasons.is_empty(), "nothing was waited for");
    assert!(
        reasons.iter().all(|line| line["retried"] == true),
        "{reasons:#?}"
    );
    suite.merge(CONFIG_MAPS, "again", "web", &hold(Value::Null));
    suite.is_ready("again", "web", "True", "Open");
    let child = suite.get(CONFIG_MAPS, "again", "web");
    assert_eq!(child["data"]["text"], "Welcome, two");
    assert_ne!(child["metadata"]["uid"], old);
}

#[test]
fn the_condition_of_another_manager_is_that_managers() {
    let Some(suite) = &suite() else { return };
    suite.namespace("conditions");
    suite.shop("conditions", "web", &json!({"greeting": "one"}));
    suite.is_ready("conditions", "web", "True", "Open");
    for (status, greeting) in [("True", "two"), ("False", "three")] {
        set_reviewed(
            suite,
            &json!([{
                "type": "Reviewed", "status": status, "reason": "Human", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }]),
        );
        reconciled(suite, greeting);
        let reviewed = suite.condition("conditions", "web", "Reviewed");
        assert_eq!(reviewed, Some((status.to_owned(), "Human".to_owned())));
    }
    set_reviewed(suite, &json!([]));
    let gone = || suite.condition("conditions", "web", "Reviewed").is_none();
    soon("the condition is gone", gone);
    reconciled(suite, "four");
    assert!(gone(), "it is back");
    suite.is_ready("conditions", "web", "True", "Open");
}

/// Applies the conditions of the manager `reviewer`.
fn set_reviewed(suite: &Suite, conditions: &Value) {
    let mut object = SHOPS.object("web", &json!({}));
    object["status"] = json!({ "conditions": conditions });
    let path = suite.plane.dir().join("reviewed.json");
    std::fs::write(&path, object.to_string()).expect("a file");
    let path = path.to_string_lossy();
    let how = [
        "apply",
        "--server-side",
        "--subresource=status",
        "--field-manager=reviewer",
    ];
    suite
        .plane
        .kubectl_ok(&[&how[..], &["-n", "conditions", "-f", &path]].concat());
}

/// Changes the spec, and waits until both controllers have seen that.
fn reconciled(suite: &Suite, greeting: &str) {
    let spec = json!({"spec": {"greeting": greeting}});
    suite.merge(SHOPS, "conditions", "web", &spec);
    soon("a status of the last generation", || {
        let shop = suite.get(SHOPS, "conditions", "web");
        let conditions = shop["status"]["conditions"].as_array().expect("conditions");
        let ours = conditions
            .iter()
            .filter(|condition| condition["type"] != "Reviewed");
        let generation = &shop["metadata"]["generation"];
        let seen = ours.filter(|condition| condition["observedGeneration"] == *generation);
        seen.count() == 2
    });
}
