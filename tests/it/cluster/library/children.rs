//! Children of every sort, and whose their fields are.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{CONFIG_MAPS, ROLES, SECRETS, SHOPS, Suite, TICKETS, has_address, suite};
use crate::cluster::case::soon;
use crate::cluster::resource::SERVICES;

const MANAGED_BY: &str = "/metadata/labels/app.kubernetes.io~1managed-by";

#[test]
fn a_child_gets_what_it_needs_and_comes_back() {
    let Some(suite) = &suite() else { return };
    suite.namespace("needs");
    let uid = suite.shop("needs", "web", &json!({"greeting": "hi"}))["metadata"]["uid"].take();
    let is_whole = || {
        let child = suite.get(CONFIG_MAPS, "needs", "web");
        child["data"]["text"] == "Welcome, hi"
            && child.pointer(MANAGED_BY) == Some(&json!("shop"))
            && child["metadata"]["ownerReferences"][0]["uid"] == uid
    };
    soon("a child with a label and an owner", is_whole);
    suite.is_ready("needs", "web", "True", "Open");

    suite.delete(CONFIG_MAPS, "needs", "web");
    soon("the child is back", is_whole);
    // Without the label the watch does not see it.
    let bare = json!({"metadata": {"labels": null}});
    suite.merge(CONFIG_MAPS, "needs", "web", &bare);
    soon("the label is back", is_whole);
    let free = json!({"metadata": {"ownerReferences": null}});
    suite.merge(CONFIG_MAPS, "needs", "web", &free);
    soon("the owner is back", is_whole);
    let other = json!({"data": {"text": "no", "more": "kept"}});
    suite.merge(CONFIG_MAPS, "needs", "web", &other);
    soon("the text is back", is_whole);
    let child = suite.get(CONFIG_MAPS, "needs", "web");
    assert_eq!(child["data"]["more"], "kept");
    suite.nothing_was_denied();
}

#[test]
fn a_child_that_contradicts_is_refused() {
    let Some(suite) = &suite() else { return };
    suite.namespace("contradicts");
    let labels = |value: &str| json!({"labels": {"app.kubernetes.io/managed-by": value}});
    suite.shop("contradicts", "web", &labels("helm"));
    suite.is_ready("contradicts", "web", "False", "InvalidChild");
    suite.merge(
        SHOPS,
        "contradicts",
        "web",
        &json!({"spec": labels("shop")}),
    );
    suite.is_ready("contradicts", "web", "True", "Open");

    // What is somebody else's stays as it is.
    let foreign = json!({"metadata": {"name": "taken"}, "data": {"text": "mine"}});
    let api = suite.plane.api();
    api.create(&CONFIG_MAPS.all("contradicts"), &foreign);
    suite.shop("contradicts", "taken", &json!({}));
    suite.is_ready("contradicts", "taken", "False", "NotOwned");
    let left = suite.get(CONFIG_MAPS, "contradicts", "taken");
    assert_eq!(left["data"], json!({"text": "mine"}));
    assert!(left["metadata"]["labels"].is_null());
}

/// No owner reference leads from a cluster-scoped child, or to another namespace.
#[test]
fn children_out_of_reach_go_by_the_cleanup() {
    let Some(suite) = &suite() else { return };
    for namespace in ["reach", "reach-branch"] {
        suite.namespace(namespace);
    }
    let spec = json!({"role": true, "branch": "reach-branch"});
    suite.shop("reach", "web", &spec);
    suite.is_ready("reach", "web", "True", "Open");
    let child = suite.get(CONFIG_MAPS, "reach-branch", "web");
    assert!(child["metadata"]["ownerReferences"].is_null(), "{child:#}");
    let role = "shop-reach-web";
    assert!(suite.get(ROLES, "", role).is_object());

    // Both come back.
    suite.delete(ROLES, "", role);
    suite.delete(CONFIG_MAPS, "reach-branch", "web");
    soon("the children are back", || {
        let found = [(ROLES, "", role), (CONFIG_MAPS, "reach-branch", "web")];
        found
            .iter()
            .all(|(kind, namespace, name)| suite.get(*kind, namespace, name).is_object())
    });

    // One that takes its time holds the object.
    let hold = |finalizers: Value| json!({"metadata": {"finalizers": finalizers}});
    let held = hold(json!(["test.example.com/hold"]));
    suite.merge(CONFIG_MAPS, "reach-branch", "web", &held);
    suite.delete(SHOPS, "reach", "web");
    soon("a cleanup that waits", || {
        let told = suite.told("shop", "reach/web");
        told.iter().any(|line| line["state"] == "Wait")
    });
    soon("the role is gone", || suite.get(ROLES, "", role).is_null());
    assert!(suite.get(SHOPS, "reach", "web").is_object());
    let asked = std::time::Instant::now();
    let mut free = suite.get(CONFIG_MAPS, "reach-branch", "web")["metadata"]["finalizers"].take();
    let names = free.as_array_mut().expect("finalizers");
    names.retain(|name| name != "test.example.com/hold");
    suite.merge(CONFIG_MAPS, "reach-branch", "web", &hold(free));
    soon("the end", || suite.get(SHOPS, "reach", "web").is_null());
    // The end of the child was seen, and not only looked for every ten seconds.
    assert!(
        asked.elapsed() < Duration::from_secs(8),
        "{:?}",
        asked.elapsed()
    );
    suite.nothing_was_denied();
}

/// What stays on purpose has the marks of an owner that is gone: the next of that name takes it over.
#[test]
fn children_out_of_reach_that_stayed_are_taken_over() {
    let Some(suite) = &suite() else { return };
    for namespace in ["orphans", "orphans-branch"] {
        suite.namespace(namespace);
    }
    let spec = json!({"branch": "orphans-branch", "role": true});
    suite.shop("orphans", "web", &spec);
    suite.is_ready("orphans", "web", "True", "Open");
    let orphan = "--cascade=orphan";
    let plane = &suite.plane;
    plane.kubectl_ok(&["delete", "shop", "web", "-n", "orphans", orphan]);
    assert!(suite.get(CONFIG_MAPS, "orphans-branch", "web").is_object());

    suite.shop("orphans", "web", &spec);
    suite.is_ready("orphans", "web", "True", "Open");
    // But one of that name elsewhere does not.
    suite.namespace("orphans-beside");
    suite.shop(
        "orphans-beside",
        "web",
        &json!({"branch": "orphans-branch"}),
    );
    suite.is_ready("orphans-beside", "web", "False", "NotOwned");
}

#[test]
fn a_child_of_a_type_known_only_at_run_time() {
    let Some(suite) = &suite() else { return };
    suite.namespace("tickets");
    suite.shop("tickets", "web", &json!({"ticket": "one"}));
    let is = |title: &str| {
        let ticket = suite.get(TICKETS, "tickets", "web");
        ticket["spec"]["title"] == title && ticket.pointer(MANAGED_BY) == Some(&json!("shop"))
    };
    soon("a ticket", || is("one"));
    suite.merge(
        TICKETS,
        "tickets",
        "web",
        &json!({"spec": {"title": "two"}}),
    );
    soon("the ticket is repaired", || is("one"));
    suite.delete(TICKETS, "tickets", "web");
    soon("another ticket", || is("one"));
    suite.merge(
        SHOPS,
        "tickets",
        "web",
        &json!({"spec": {"ticket": "three"}}),
    );
    soon("the ticket follows", || is("three"));
    let none = json!({"spec": {"ticket": null}});
    suite.merge(SHOPS, "tickets", "web", &none);
    soon("the ticket is gone", || {
        suite.get(TICKETS, "tickets", "web").is_null()
    });
    suite.nothing_was_denied();
}

#[test]
fn without_force_the_field_of_another_manager_stays() {
    let Some(suite) = &suite() else { return };
    suite.namespace("mottos");
    suite.shop("mottos", "web", &json!({"motto": "ours"}));
    suite.is_ready("mottos", "web", "True", "Open");
    let motto = || suite.get(CONFIG_MAPS, "mottos", "web-motto")["data"]["motto"].take();
    assert_eq!(motto(), "ours");

    let theirs = |data: Value| {
        let mut object = CONFIG_MAPS.object("web-motto", &Value::Null);
        object.as_object_mut().expect("an object").remove("spec");
        if data.is_object() {
            object["data"] = data;
        }
        apply_as_other(suite, "mottos", &object);
    };
    theirs(json!({"motto": "theirs"}));
    suite.is_ready("mottos", "web", "False", "Conflict");
    let shop = suite.get(SHOPS, "mottos", "web").to_string();
    assert!(
        shop.contains("other") && shop.contains(".data.motto"),
        "{shop}"
    );
    assert_eq!(motto(), "theirs");
    // Until they let go of it.
    theirs(Value::Null);
    suite.is_ready("mottos", "web", "True", "Open");
    assert_eq!(motto(), "ours");
}

/// Applies an object by force, as the field manager `other`.
fn apply_as_other(suite: &Suite, namespace: &str, object: &Value) {
    let path = suite.plane.dir().join(format!("{namespace}.other.json"));
    std::fs::write(&path, object.to_string()).expect("a file");
    let path = path.to_string_lossy();
    let how = [
        "apply",
        "--server-side",
        "--force-conflicts",
        "--field-manager=other",
    ];
    suite
        .plane
        .kubectl_ok(&[&how[..], &["-n", namespace, "-f", &path]].concat());
}

#[test]
fn a_child_owned_whole_comes_back_with_all_of_it() {
    let Some(suite) = &suite() else { return };
    suite.namespace("whole");
    suite.shop("whole", "web", &json!({"port": 80}));
    soon("the address is known", || {
        has_address(suite, "whole", "web")
    });
    // From the cache as well as from the answer.
    let note = json!({"metadata": {"annotations": {"seen": "yes"}}});
    let before = suite.reconciles("shop", "whole/web");
    suite.merge(SHOPS, "whole", "web", &note);
    soon("a reconcile", || {
        suite.reconciles("shop", "whole/web") > before
    });
    suite.is_ready("whole", "web", "True", "Open");
    assert!(has_address(suite, "whole", "web"));

    suite.delete(SERVICES, "whole", "web");
    soon("the address is known", || {
        has_address(suite, "whole", "web")
    });
    suite.merge(SHOPS, "whole", "web", &json!({"spec": {"port": null}}));
    soon("no Service", || {
        suite.get(SERVICES, "whole", "web").is_null()
    });
    soon("no address", || {
        suite.get(SHOPS, "whole", "web")["status"]["clusterIp"].is_null()
    });
    suite.nothing_was_denied();
}

#[test]
fn two_controllers_of_a_kind_do_not_take_one_anothers_fields() {
    let Some(suite) = &suite() else { return };
    suite.namespace("pair");
    suite.shop("pair", "web", &json!({"greeting": "hi"}));
    let is = |text: &str, generation: u64| {
        let data = suite.get(CONFIG_MAPS, "pair", "web")["data"].take();
        let seal = format!("Some({generation})");
        let conditions = ["Ready", "Audited"].map(|type_| suite.condition("pair", "web", type_));
        data == json!({"text": text, "seal": seal})
            && conditions
                .iter()
                .flatten()
                .filter(|(status, _)| status == "True")
                .count()
                == 2
    };
    soon("the fields of both", || is("Welcome, hi", 1));
    suite.merge(SHOPS, "pair", "web", &json!({"spec": {"greeting": "bye"}}));
    soon("the fields of both", || is("Welcome, bye", 2));
    let edit = json!({"data": {"text": "no", "seal": "broken"}});
    suite.merge(CONFIG_MAPS, "pair", "web", &edit);
    soon("both repaired", || is("Welcome, bye", 2));

    let child = suite.get(CONFIG_MAPS, "pair", "web");
    let managed = child["metadata"]["managedFields"]
        .as_array()
        .expect("fields");
    let applied = managed.iter().filter(|entry| entry["operation"] == "Apply");
    let mut managers: Vec<_> = applied
        .filter_map(|entry| entry["manager"].as_str())
        .collect();
    managers.sort_unstable();
    assert_eq!(managers, ["shop", "shop/audit"]);

    // And then there is peace.
    thread::sleep(Duration::from_secs(1));
    let version = |kind| suite.get(kind, "pair", "web")["metadata"]["resourceVersion"].take();
    let before = [SHOPS, CONFIG_MAPS].map(version);
    thread::sleep(Duration::from_secs(2));
    assert_eq!([SHOPS, CONFIG_MAPS].map(version), before);
    assert!(suite.get(SECRETS, "pair", "web").is_null());
}
