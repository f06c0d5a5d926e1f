//! The webhooks of an operator that runs on this machine: no Service leads to it.

use serde_json::{Value, json};

use crate::error::Error;
use crate::objects::{Objects, is_webhook_configuration};

/// Has the API server call a port of this machine in place of the Services in `namespace`, and tells whether any
/// webhook is called there.
pub(super) fn redirect(objects: &mut Objects, namespace: &str, port: u16) -> bool {
    let mut is_any = false;
    objects.change(|object| {
        for client in clients(object) {
            if client["service"]["namespace"] == namespace {
                let path = client["service"]["path"].as_str().unwrap_or("/");
                *client = json!({ "url": format!("https://127.0.0.1:{port}{path}") });
                is_any = true;
            }
        }
    });
    is_any
}

/// Whom the API server calls for an object: the webhooks of a configuration, and the one that converts the objects
/// of a CRD.
fn clients(object: &mut Value) -> Vec<&mut Value> {
    if object["kind"] == "CustomResourceDefinition" {
        let client = object.pointer_mut("/spec/conversion/webhook/clientConfig");
        return client.into_iter().collect();
    }
    let is_configuration = is_webhook_configuration(object);
    let webhooks = object
        .get_mut("webhooks")
        .filter(|_| is_configuration)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten();
    webhooks
        .map(|webhook| &mut webhook["clientConfig"])
        .collect()
}

/// What the API server says then: of an admission, of a conversion, and of a version whose objects it could not
/// convert yet.
const UNANSWERED: [&str; 3] = [
    "failed calling webhook",
    "conversion webhook for",
    "is (re)initializing",
];

/// Whether the API server found nobody who answers, or does not trust who does yet.
pub(super) fn is_unanswered(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| UNANSWERED.iter().any(|part| cause.contains(part)))
}

/// Whether the API server's mutating policies do not know a CRD yet: it looks for new ones every five seconds
/// (`typeConverterManager` in `k8s.io/apiserver`).
pub(super) fn is_unknown(error: &Error) -> bool {
    let early = "There can be a delay between when CustomResourceDefinitions are created";
    error.chain().any(|cause| cause.contains(early))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_webhooks_of_the_operator_are_called_here() {
        let manifests = "
kind: MutatingWebhookConfiguration
webhooks:
- clientConfig: {service: {namespace: app-system, name: a, path: /mutate}}
- clientConfig: {service: {namespace: other, name: a, path: /mutate}}
- clientConfig: {url: 'https://127.0.0.1:1/'}
---
kind: CustomResourceDefinition
spec: {conversion: {webhook: {clientConfig: {service: {namespace: app-system, name: a, path: /convert}}}}}
---
kind: Other
webhooks:
- clientConfig: {service: {namespace: app-system, name: a}}
";
        let mut objects = Objects::parse(manifests).expect("manifests");
        let others = objects.clone();
        assert!(redirect(&mut objects, "app-system", 9443));
        let client = |objects: &Objects, object: usize, webhook: usize| {
            let object = objects.iter().nth(object).expect("an object");
            object["webhooks"][webhook]["clientConfig"].clone()
        };
        let here = json!({"url": "https://127.0.0.1:9443/mutate"});
        assert_eq!(client(&objects, 0, 0), here);
        let crd = objects.iter().nth(1).expect("an object");
        assert_eq!(
            crd["spec"]["conversion"]["webhook"]["clientConfig"],
            json!({"url": "https://127.0.0.1:9443/convert"})
        );
        for (object, webhook) in [(0, 1), (0, 2), (2, 0)] {
            let same = client(&others, object, webhook);
            assert_eq!(client(&objects, object, webhook), same);
        }
        assert!(!redirect(&mut objects, "app-system", 9443));
    }
}
