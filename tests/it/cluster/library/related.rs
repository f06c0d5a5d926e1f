//! What a controller watches beside its children, and what it reads from caches.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{CONFIG_MAPS, NODES, SECRETS, SHOPS, Suite, suite};
use crate::cluster::case::soon;

/// By now whatever was not filtered out has come.
const PAUSE: Duration = Duration::from_secs(1);

#[test]
fn a_shop_follows_the_secret_that_it_names() {
    let Some(suite) = &suite() else { return };
    suite.namespace("secrets");
    suite.shop("secrets", "web", &json!({"credentials": "key"}));
    suite.is_ready("secrets", "web", "False", "SecretMissing");

    let secret = |value: &str| json!({"metadata": {"name": "key"}, "stringData": {"a": value}});
    let api = suite.plane.api();
    api.create(&SECRETS.all("secrets"), &secret("1"));
    suite.is_ready("secrets", "web", "True", "Open");

    let before = caused(suite, "secrets/web", "secrets/key");
    suite.merge(
        SECRETS,
        "secrets",
        "key",
        &json!({"stringData": {"a": "2"}}),
    );
    soon("a reconcile for the change", || {
        caused(suite, "secrets/web", "secrets/key") > before
    });

    suite.delete(SECRETS, "secrets", "key");
    suite.is_ready("secrets", "web", "False", "SecretMissing");
    // A Secret of that name elsewhere is another.
    suite.namespace("secrets-beside");
    api.create(&SECRETS.all("secrets-beside"), &secret("1"));
    let spec = json!({"spec": {"credentials": "other"}});
    suite.merge(SHOPS, "secrets", "web", &spec);
    let other = json!({"metadata": {"name": "other"}});
    api.create(&SECRETS.all("secrets"), &other);
    suite.is_ready("secrets", "web", "True", "Open");
    suite.nothing_was_denied();
}

/// How many reconciles of a shop have begun for this cause.
fn caused(suite: &Suite, object: &str, cause: &str) -> usize {
    let told = suite.told("shop", object);
    let begun = told.iter().filter(|line| line["message"] == "begins");
    begun.filter(|line| line["span"]["cause"] == cause).count()
}

#[test]
fn a_shop_counts_the_nodes_of_its_zone() {
    let Some(suite) = &suite() else { return };
    suite.namespace("nodes");
    let zone = |zone: &str| json!({"labels": {"topology.kubernetes.io/zone": zone}});
    let node = |name: &str| {
        let mut node = json!({"metadata": zone("east")});
        node["metadata"]["name"] = json!(name);
        suite.plane.api().create(&NODES.all(""), &node);
    };
    node("node-1");
    suite.shop("nodes", "web", &json!({"zone": "east"}));
    let nodes = |count: u64| {
        soon(&format!("{count} nodes"), || {
            let status = &suite.get(SHOPS, "nodes", "web")["status"];
            status["nodes"] == count && status["shops"] == 1
        });
    };
    nodes(1);
    node("node-2");
    nodes(2);

    // Only labels count.
    thread::sleep(PAUSE);
    let before = suite.reconciles("shop", "nodes/web");
    for name in ["node-1", "node-2"] {
        let note = json!({"metadata": {"annotations": {"seen": "yes"}}});
        suite.merge(NODES, "", name, &note);
    }
    thread::sleep(PAUSE);
    assert_eq!(suite.reconciles("shop", "nodes/web"), before);

    // Where a node was counts as well as where it is.
    suite.merge(NODES, "", "node-1", &json!({"metadata": zone("west")}));
    nodes(1);
    suite.delete(NODES, "", "node-2");
    nodes(0);
    suite.nothing_was_denied();
}

/// The one controller has a filter by generation, and the other none.
#[test]
fn a_filter_by_generation_holds_up_nothing_else() {
    let Some(suite) = &suite() else { return };
    suite.namespace("filters");
    suite.shop("filters", "web", &json!({"greeting": "hi"}));
    suite.is_ready("filters", "web", "True", "Open");
    settled(suite, "filters/web");
    let counts = || ["shop", "audit"].map(|name| suite.reconciles(name, "filters/web"));
    let [shop, audit] = counts();
    let note = json!({"metadata": {"annotations": {"seen": "yes"}}});
    suite.merge(SHOPS, "filters", "web", &note);
    soon("a reconcile", || counts()[0] > shop);
    thread::sleep(PAUSE);
    assert_eq!(counts()[1], audit);

    let spec = json!({"spec": {"greeting": "bye"}});
    suite.merge(SHOPS, "filters", "web", &spec);
    soon("a reconcile", || counts()[1] > audit);
}

/// Waits until both controllers have nothing to do for an object.
#[track_caller]
fn settled(suite: &Suite, object: &str) {
    let count = || ["shop", "audit"].map(|name| suite.told(name, object).len());
    soon("rest", || {
        let before = count();
        thread::sleep(PAUSE / 2);
        before[0] > 0 && before[1] > 0 && before == count()
    });
}

/// A controller of a built-in kind, for the objects with a label, and changes that a function lets through.
#[test]
fn config_maps_with_a_label_are_copied() {
    let Some(suite) = &suite() else { return };
    suite.namespace("copies");
    let create = |name: &str, labels: Value| {
        let object = json!({"metadata": {"name": name, "labels": labels}, "data": {"a": "1"}});
        let api = suite.plane.api();
        api.create(&CONFIG_MAPS.all("copies"), &object);
    };
    create("plain", json!({}));
    create("marked", json!({"shop.example.com/copy": "yes"}));
    let copy = |value: &str| {
        soon(&format!("a copy of {value}"), || {
            let secret = suite.get(SECRETS, "copies", "marked");
            secret["data"]["a"] == value
        });
    };
    copy("MQ==");
    thread::sleep(PAUSE);
    let count = || suite.reconciles("configmap", "copies/marked");
    let before = count();
    let note = json!({"metadata": {"annotations": {"seen": "yes"}}});
    suite.merge(CONFIG_MAPS, "copies", "marked", &note);
    thread::sleep(PAUSE);
    assert_eq!(
        count(),
        before,
        "a change that the function does not let through"
    );
    suite.merge(
        CONFIG_MAPS,
        "copies",
        "marked",
        &json!({"data": {"a": "2"}}),
    );
    copy("Mg==");

    // Its finalizer stays with it, and somebody has to know.
    let labels = |value: Value| json!({"metadata": {"labels": {"shop.example.com/copy": value}}});
    let without = labels(Value::Null);
    suite.merge(CONFIG_MAPS, "copies", "marked", &without);
    soon("a warning", || {
        let log = suite.operator.log();
        log.contains("no longer selected by the labels of the controller")
    });
    suite.merge(CONFIG_MAPS, "copies", "marked", &labels(json!("yes")));

    suite.delete(CONFIG_MAPS, "copies", "marked");
    soon("the end of both", || {
        let left = [CONFIG_MAPS, SECRETS].map(|kind| suite.get(kind, "copies", "marked"));
        left.iter().all(Value::is_null)
    });
    assert_eq!(suite.reconciles("configmap", "copies/plain"), 0);
    assert!(suite.get(SECRETS, "copies", "plain").is_null());
    suite.nothing_was_denied();
}

#[test]
fn a_type_that_is_not_watched_is_named_with_the_line_to_add() {
    let Some(suite) = &suite() else { return };
    suite.namespace("undeclared");
    suite.shop("undeclared", "web", &json!({"pods": true}));
    suite.is_ready("undeclared", "web", "False", "NotWatched");
    let shop = suite.get(SHOPS, "undeclared", "web").to_string();
    assert!(shop.contains("add `.reads::<Pod>()`"), "{shop}");
}
