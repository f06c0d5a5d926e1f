//! The metrics of a running operator: who gets them, over which certificate, and whether they are true.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::case::APP_SERVICES;
use super::{Operator, SOON, USER, app_service, get, is_accepted};
use crate::generate_monitoring::{self, metrics};
use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::{World, net};

/// What the operator needs to ask who may scrape, and what those need who may.
const ROLES: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: app-operator-metrics-auth-role}
rules:
- {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
- {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: app-operator-metrics-auth-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: app-operator-metrics-auth-role}
subjects:
- {kind: ServiceAccount, name: app-operator-controller-manager, namespace: app-operator-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: app-operator-metrics-reader}
rules:
- {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: prometheus}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: app-operator-metrics-reader}
subjects:
- {kind: ServiceAccount, name: prometheus, namespace: default}
";

/// A token of a new service account.
fn token(plane: &ControlPlane, service_account: &str) -> String {
    plane.kubectl_ok(&["create", "serviceaccount", service_account, "-n", "default"]);
    plane.token("default", service_account)
}

/// Where the operator serves its metrics, as it logged.
fn address(operator: &Operator) -> String {
    eventually("metrics are served", SOON, || {
        let log = operator.log();
        let mut lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let line = lines.find(|line| line["message"] == "serving metrics")?;
        Some(line["address"].as_str()?.to_owned())
    })
}

/// Scrapes over TLS, with flags of kubectl for the rest. Returns what kubectl printed, or its error.
fn scrape(plane: &ControlPlane, address: &str, flags: &[&str]) -> Result<String, String> {
    let server = format!("--server=https://{address}");
    let fixed = ["get", "--raw=/metrics", "--kubeconfig=/dev/null", &server];
    let output = plane.kubectl(&[&fixed, flags].concat());
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

/// The sum of all series of a metric that have these labels, without what follows the point.
fn sum(text: &str, metric: &str, labels: &str) -> u64 {
    let lines = text.lines().filter(|line| line.contains(labels));
    let rest = lines.filter_map(|line| line.strip_prefix(metric));
    rest.filter(|rest| rest.starts_with(['{', ' ']))
        .filter_map(|rest| rest.rsplit(' ').next()?.split('.').next())
        .map(|value| value.parse::<u64>().expect("a number"))
        .sum()
}

/// How many requests of a verb the API server had from the operator.
fn audited(plane: &ControlPlane, verb: &str) -> u64 {
    let events = plane.audited().into_iter();
    events
        .filter(|event| event["user"]["username"] == USER && event["verb"] == verb)
        .filter(|event| event["stage"] == "ResponseComplete")
        .map(|_| 1)
        .sum()
}

const INSECURE: &str = "--insecure-skip-tls-verify";

#[test]
fn metrics_are_true_and_not_for_everyone() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    let folder = world.path().join("certificates");
    std::fs::create_dir(&folder).expect("a folder");
    let path = format!("--metrics-cert-path={}", folder.display());
    let flags = [
        "--metrics-bind-address=127.0.0.1:0",
        &path,
        "--leader-elect",
    ];
    world.rop("generate monitoring").ok();
    let operator = Operator::start_with(&world, &plane, &[], &flags);
    let address = address(&operator);
    let [stranger, reader] = ["stranger", "prometheus"].map(|name| token(&plane, name));
    let [stranger, reader] = [stranger, reader].map(|token| format!("--token={token}"));

    // The operator may not ask any more.
    let binding = "app-operator-metrics-auth-rolebinding";
    plane.kubectl_ok(&["delete", "clusterrolebinding", binding]);
    std::thread::sleep(Duration::from_secs(1));
    let error = scrape(&plane, &address, &[INSECURE, &reader]).expect_err("a refusal");
    assert!(error.contains("InternalError"), "{error}");
    assert!(plane.apply(ROLES).status.success());

    only_readers_get_them(&plane, &address, &stranger, &reader);
    they_agree_with_what_happened(&plane, &address, &reader);
    let text = scrape(&plane, &address, &[INSECURE, &reader]).expect("metrics");
    generate_monitoring::are_exported(&metrics(&world), &text);
    a_mounted_certificate_is_taken(&plane, &address, &reader, &folder);

    let (code, _) = operator.terminate();
    assert_eq!(code, Some(0));
}

fn only_readers_get_them(plane: &ControlPlane, address: &str, stranger: &str, reader: &str) {
    for (flags, expected) in [
        (
            vec![INSECURE, "--username=prometheus", "--password=nonsense"],
            "must be logged in",
        ),
        (vec![INSECURE, "--token=nonsense"], "must be logged in"),
        (vec![INSECURE, stranger], "Forbidden"),
    ] {
        let error = scrape(plane, address, &flags).expect_err("a refusal");
        assert!(error.contains(expected), "{flags:?}: {error}");
    }
    eventually("a reader may scrape", SOON, || {
        scrape(plane, address, &[INSECURE, reader]).ok()
    });
}

fn they_agree_with_what_happened(plane: &ControlPlane, address: &str, reader: &str) {
    let ports = json!([{"port": 80, "nodePort": 1}]);
    assert!(is_accepted(
        plane,
        &app_service("one", json!({"image": "nginx"}))
    ));
    assert!(is_accepted(
        plane,
        &app_service("two", json!({"image": "nginx"}))
    ));
    assert!(is_accepted(
        plane,
        &app_service("bad", json!({"image": "nginx", "ports": ports}))
    ));
    for name in ["one", "two", "bad"] {
        eventually("a status", SOON, || {
            get(plane, APP_SERVICES, name)["status"]
                .is_object()
                .then_some(())
        });
    }
    let text = eventually("the counts are those of the audit log", SOON, || {
        let text = scrape(plane, address, &[INSECURE, reader]).ok()?;
        let counted = sum(&text, "rest_client_requests_total", "method=\"PATCH\"");
        let refused = sum(&text, "rest_client_requests_total", "code=\"422\"");
        let failed = sum(&text, "controller_runtime_reconcile_errors_total", "");
        (counted >= 6 && counted == audited(plane, "patch") && failed == refused).then_some(text)
    });
    let of = |metric: &str, labels: &str| sum(&text, metric, labels);
    let reconciles = "controller_runtime_reconcile_total";
    let succeeded = of(reconciles, "result=\"success\"");
    let failed = of(
        "controller_runtime_reconcile_errors_total",
        "controller=\"appservice\"",
    );
    assert!(succeeded >= 2, "{text}");
    assert!(failed >= 1, "{text}");
    assert_eq!(of(reconciles, "result=\"error\""), failed);
    assert_eq!(
        of("controller_runtime_terminal_reconcile_errors_total", ""),
        failed
    );
    assert_eq!(of("controller_runtime_reconcile_panics_total", ""), 0);
    assert_eq!(
        of("controller_runtime_reconcile_time_seconds_count", ""),
        of(reconciles, "")
    );
    assert_eq!(of("controller_runtime_max_concurrent_reconciles", ""), 10);
    assert_eq!(
        of("operator_cached_objects", "controller=\"appservice\""),
        3
    );
    // Nothing makes the pods ready.
    let not_ready = "type=\"Ready\",status=\"False\"";
    assert_eq!(of("operator_object_conditions", not_ready), 3);
    assert_eq!(of("operator_leader_takeovers_total", ""), 1);
    assert!(of("process_resident_memory_bytes", "") > 0);
    assert!(
        text.contains("operator_build_info{name=\"app-operator\""),
        "{text}"
    );
    for name in ["stranger", "\"one\"", "/apis"] {
        assert!(!text.contains(name), "{name} is in a label");
    }
}

/// As Kubernetes does it: the files are links through a link that is swapped.
fn a_mounted_certificate_is_taken(
    plane: &ControlPlane,
    address: &str,
    reader: &str,
    folder: &Path,
) {
    let (certificate, key) = plane.certificate();
    let trusted = format!("--certificate-authority={}", certificate.display());
    let error = scrape(plane, address, &[&trusted, reader]).expect_err("a refusal");
    assert!(error.contains("x509"), "{error}");

    let mounted = folder.join("..2026_01_01");
    std::fs::create_dir(&mounted).expect("a folder");
    std::fs::copy(certificate, mounted.join("tls.crt")).expect("a certificate");
    std::fs::copy(key, mounted.join("tls.key")).expect("a key");
    for file in ["tls.crt", "tls.key"] {
        symlink(Path::new("..data").join(file), folder.join(file)).expect("a link");
    }
    symlink("..2026_01_01", folder.join("..data")).expect("a link");
    eventually("the mounted certificate is shown", SOON, || {
        scrape(plane, address, &[&trusted, reader]).ok()
    });
}

#[test]
fn insecure_metrics_are_for_everyone() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    // And where two kinds have one name, each has its own.
    let world = World::with_api();
    world.rop("create api --group shop --kind AppService").ok();
    let flags = [
        "--metrics-bind-address=127.0.0.1:0",
        "--metrics-secure=false",
    ];
    let operator = Operator::start_with(&world, &plane, &[], &flags);
    let answer = net::answer(&address(&operator), "/metrics");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(
        answer.contains("content-type: application/openmetrics-text"),
        "{answer}"
    );
    for controller in ["appservice", "appservice.shop.example.com"] {
        let labels = format!("{{controller=\"{controller}\",result=\"error\"}}");
        let series = format!("controller_runtime_reconcile_total{labels} 0\n");
        assert!(answer.contains(&series), "{answer}");
    }
    assert_eq!(operator.terminate().0, Some(0));
}
