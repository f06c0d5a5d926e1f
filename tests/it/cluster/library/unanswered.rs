//! Webhooks that the API server gets no answer from: their failure policy says what happens then.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::Method;
use serde_json::{Value, json};

use super::webhooks::{CONFIGURATIONS, KEPT};
use super::{SECRETS, SHOPS, Suite};
use crate::cluster::case::soon;
use crate::support::certificate;
use crate::support::control_plane::free_port;

const NAMESPACE: &str = "unanswered";

/// How long the API server waits.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where a webhook is said to be, whom the API server trusts there, and how long it takes to see that nobody answers.
struct Place {
    name: &'static str,
    port: u16,
    authorities: Value,
    takes: Duration,
}

pub(super) fn the_failure_policy_decides(suite: &Suite) {
    suite.namespace(NAMESPACE);
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let silent_port = silent.local_addr().expect("an address").port();
    let trusted = &suite.get(SECRETS, KEPT.0, KEPT.1)["data"]["ca.crt"];
    let strangers = certificate::secret("stranger", &["127.0.0.1"], (-1, 60), (-1, 60));
    let stranger = BASE64_STANDARD.encode(strangers["stringData"]["ca.crt"].as_str().expect("PEM"));
    let place = |name, port, authorities: &Value, takes| Place {
        name,
        port,
        authorities: authorities.clone(),
        takes,
    };
    let none = Duration::ZERO;
    let unanswered = [
        place("away", free_port(), trusted, none),
        place("silent", silent_port, trusted, PATIENCE),
        place("stranger", suite.webhooks, &json!(stranger), none),
    ];
    let answered = place("there", suite.webhooks, trusted, none);
    install(suite, unanswered.iter().chain([&answered]));

    // The operator would refuse this one.
    let wrong = json!({"port": 80});
    soon("the API server asks", || {
        create(suite, "away-fail", &wrong).0 == 500
    });
    for Place { name, takes, .. } in &unanswered {
        let begun = Instant::now();
        let (code, status) = create(suite, &format!("{name}-fail"), &wrong);
        let message = status["message"].as_str().unwrap_or_default();
        let failed = format!("failed calling webhook \"{name}-fail.example.com\"");
        assert!(message.contains(&failed), "{name}: {status}");
        assert_eq!(code, 500, "{name}: {status}");
        assert!(begun.elapsed() >= *takes, "{name}");

        let ignored = format!("{name}-ignore");
        let (code, answer) = create(suite, &ignored, &wrong);
        assert_eq!(code, 201, "{name}: {answer}");
        soon("it was asked all the same", || {
            has_failed_open(suite, &ignored)
        });
    }
    // An answer counts, whatever the policy is.
    for policy in ["fail", "ignore"] {
        let webhook = format!("there-{policy}");
        assert_eq!(create(suite, &webhook, &wrong).0, 422, "{policy}");
        assert_eq!(create(suite, &webhook, &json!({})).0, 201, "{policy}");
        assert!(!has_failed_open(suite, &webhook));
    }
    let [_, validating] = CONFIGURATIONS;
    suite
        .plane
        .api()
        .delete(&format!("{validating}/{NAMESPACE}"));
}

/// Each place twice: the webhooks `<place>-fail` and `<place>-ignore`, for objects with this label.
fn install<'a>(suite: &Suite, places: impl Iterator<Item = &'a Place>) {
    let webhooks = places.flat_map(|place| {
        ["Fail", "Ignore"].map(|policy| {
            let label = format!("{}-{}", place.name, policy.to_lowercase());
            json!({
                "name": format!("{label}.example.com"),
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "failurePolicy": policy,
                "timeoutSeconds": PATIENCE.as_secs(),
                "clientConfig": {
                    "url": format!("https://127.0.0.1:{}/validate-shop-example-com-v1-shop", place.port),
                    "caBundle": place.authorities,
                },
                "namespaceSelector": {
                    "matchLabels": {"kubernetes.io/metadata.name": NAMESPACE},
                },
                "objectSelector": {"matchLabels": {"asks": label}},
                "rules": [{
                    "apiGroups": ["shop.example.com"],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["shops"],
                }],
            })
        })
    });
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": NAMESPACE},
        "webhooks": webhooks.collect::<Vec<_>>(),
    });
    let [_, validating] = CONFIGURATIONS;
    suite.plane.api().create(validating, &configuration);
}

/// The answer to a dry run of the creation of a shop that a webhook is asked about.
fn create(suite: &Suite, webhook: &str, spec: &Value) -> (u16, Value) {
    let path = format!("{}?dryRun=All", SHOPS.all(NAMESPACE));
    let mut shop = SHOPS.object(webhook, spec);
    shop["metadata"]["labels"] = json!({ "asks": webhook });
    let api = suite.plane.api();
    let answer = api.send(Method::POST, &path, "application/json", &shop);
    answer.expect("an answer")
}

/// Whether the API server noted that it let an object through which this webhook was to judge.
fn has_failed_open(suite: &Suite, webhook: &str) -> bool {
    let name = json!(format!("{webhook}.example.com"));
    let events = suite.plane.audited().into_iter();
    events
        .filter_map(|event| event["annotations"].as_object().cloned())
        .flatten()
        .any(|(key, value)| key.starts_with("failed-open.") && value == name)
}
