//! A type without rights, and one whose CRD is not there: the rest is served.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::beside::http;
use super::{CONFIG_MAPS, suite};
use crate::cluster::case::soon;
use crate::cluster::operator::{Installed, PROBES};
use crate::support::control_plane::free_port;
use crate::support::proxy::Proxy;

#[test]
fn what_is_missing_is_named_and_the_rest_is_served() {
    let Some(suite) = &suite() else { return };
    suite.namespace("optional");
    let installed = Installed::example(&suite.plane, "optional");
    let proxy = Proxy::start(suite.plane.upstream());
    let kubeconfig = installed.kubeconfig(&suite.plane, Some(&proxy.url()));
    let probes = free_port();
    let flags = [
        PROBES,
        &format!("127.0.0.1:{probes}"),
        "--watch-failure-limit=2s",
        "--watch-namespace=optional",
    ];
    let mut operator = installed.run(&suite.plane, &kubeconfig, &[], &flags);
    let object = json!({"metadata": {"name": "served"}});
    let api = suite.plane.api();
    api.create(&CONFIG_MAPS.all("optional"), &object);
    soon("the rest is served", || {
        operator.log().contains("reconciled served")
    });

    for part in ["ghosts.haunt.example.com", "limitranges"] {
        soon("the probe names it", || {
            let answer = http(probes, "/readyz");
            let watch = format!("[-]watch of {part} in optional failed");
            answer.starts_with("HTTP/1.1 503") && answer.contains(&watch)
        });
    }
    proxy.take_requests();
    thread::sleep(Duration::from_secs(6));
    for (resource, most) in [("ghosts", 6), ("limitranges", 6), ("configmaps", 0)] {
        let requests = proxy.requests();
        let asked = requests
            .iter()
            .filter(|request| request.resource == resource);
        let count = asked.count();
        assert!(count <= most, "{count} requests for {resource}");
    }
    let log = operator.log();
    let says = |text: &str| assert!(log.contains(text), "no {text} in {log}");
    says("+kubebuilder:rbac:groups=\\\"\\\",resources=limitranges,verbs=list;watch");
    says("install its CRD");
    // Once, and not at each try.
    let lines = log.lines().map(serde_json::from_str::<Value>);
    let loud = lines.flatten().filter(|line| line["level"] == "ERROR");
    assert_eq!(loud.count(), 2, "{log}");

    assert!(http(probes, "/livez").starts_with("HTTP/1.1 200"));
    assert!(operator.is_running());
    let object = json!({"metadata": {"name": "still-served"}});
    api.create(&CONFIG_MAPS.all("optional"), &object);
    soon("the rest is served", || {
        operator.log().contains("reconciled still-served")
    });
    assert_eq!(operator.terminate().0, Some(0));
}
