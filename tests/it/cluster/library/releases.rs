//! Webhooks that come, go and get other names with a release of the operator, and come back with a rollback.

use serde_json::{Value, json};

use super::webhooks::{CONFIGURATIONS, KEPT};
use super::{SECRETS, Suite};
use crate::cluster::case::soon;
use crate::support::World;

/// As `rop deploy` applies, as its users would, and as those who have not heard of server-side apply do.
const WAYS: [&[&str]; 3] = [
    &["apply", "--server-side", "--force-conflicts", "--filename"],
    &["apply", "--server-side", "--filename"],
    &["apply", "--filename"],
];

/// The webhooks of one release after the other.
const RELEASES: [&[&str]; 5] = [&["a", "b"], &["a"], &["c"], &["a", "b"], &["b", "a", "c"]];

/// Whatever has the operator put in, no release and no rollback is refused, and each webhook is trusted.
pub(super) fn come_and_go(suite: &Suite) {
    let world = World::new();
    let file = world.path().join("webhooks.json");
    let file = file.to_str().expect("UTF-8");
    let api = suite.plane.api();
    let trusted = suite.get(SECRETS, KEPT.0, KEPT.1)["data"]["ca.crt"].clone();
    for way in WAYS {
        for (path, kind) in CONFIGURATIONS.into_iter().zip(["Mutating", "Validating"]) {
            api.delete(&format!("{path}/shops"));
            for names in RELEASES {
                world.write(
                    "webhooks.json",
                    &configuration(suite, kind, names).to_string(),
                );
                let applied = suite.plane.kubectl(&[way, &[file]].concat());
                let said = String::from_utf8_lossy(&applied.stderr);
                assert!(applied.status.success(), "{way:?} {kind} {names:?}: {said}");
                soon("each webhook is trusted, and no other is there", || {
                    let webhooks = api.get(&format!("{path}/shops"))["webhooks"].take();
                    let webhooks = webhooks.as_array().cloned().unwrap_or_default();
                    let is_it = |name: &&str| {
                        let name = format!("{name}.example.com");
                        let found = webhooks.iter().find(|webhook| webhook["name"] == name);
                        found.is_some_and(|webhook| webhook["clientConfig"]["caBundle"] == trusted)
                    };
                    webhooks.len() == names.len() && names.iter().all(is_it)
                });
            }
        }
    }
}

/// Webhooks that are called for nothing.
fn configuration(suite: &Suite, kind: &str, names: &[&str]) -> Value {
    let webhooks = names.iter().map(|name| {
        json!({
            "name": format!("{name}.example.com"),
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": {"url": format!("https://127.0.0.1:{}/{name}", suite.webhooks)},
            "rules": [{
                "apiGroups": ["nothing.example.com"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["nothings"],
            }],
        })
    });
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": format!("{kind}WebhookConfiguration"),
        "metadata": {"name": "shops"},
        "webhooks": webhooks.collect::<Vec<_>>(),
    })
}
