//! What objects of a chart refer to.

use std::collections::BTreeSet;

use serde_json::Value;

/// The references of objects that lead nowhere, each with the object that has it.
pub(super) fn broken(objects: &[Value]) -> Vec<String> {
    let all = All {
        known: objects
            .iter()
            .map(|object| {
                (
                    text(&object["kind"]),
                    text(&object["metadata"]["namespace"]),
                    text(&object["metadata"]["name"]),
                )
            })
            .collect(),
        objects,
    };
    let mut broken = Vec::new();
    for object in objects {
        let id = format!(
            "{} {}",
            text(&object["kind"]),
            text(&object["metadata"]["name"])
        );
        let mut problems = all.of(object);
        nulls(object, "", &mut problems);
        broken.extend(
            problems
                .into_iter()
                .map(|problem| format!("{id}: {problem}")),
        );
    }
    broken
}

struct All<'a> {
    objects: &'a [Value],
    /// Kinds, namespaces and names.
    known: BTreeSet<(String, String, String)>,
}

impl All<'_> {
    fn has(&self, kind: &str, namespace: &str, name: &Value) -> bool {
        self.known
            .contains(&(kind.to_owned(), namespace.to_owned(), text(name)))
    }

    fn of(&self, object: &Value) -> Vec<String> {
        let namespace = text(&object["metadata"]["namespace"]);
        let mut missing = Vec::new();
        let mut want = |kind: &str, namespace: &str, name: &Value| {
            if !self.has(kind, namespace, name) {
                missing.push(format!("no {kind} {namespace}/{name}"));
            }
        };
        let role = &object["roleRef"];
        if role.is_object() {
            let kind = text(&role["kind"]);
            let of_role = if kind == "Role" { &*namespace } else { "" };
            want(&kind, of_role, &role["name"]);
            for subject in items(&object["subjects"]) {
                want(
                    "ServiceAccount",
                    &text(&subject["namespace"]),
                    &subject["name"],
                );
            }
        }
        for client in items(&object["webhooks"])
            .iter()
            .map(|webhook| &webhook["clientConfig"])
            .chain([&object["spec"]["conversion"]["webhook"]["clientConfig"]])
        {
            let service = &client["service"];
            if service.is_object() {
                want("Service", &text(&service["namespace"]), &service["name"]);
            }
        }
        let pod = &object["spec"]["template"]["spec"];
        if object["kind"] == "Deployment" {
            want("ServiceAccount", &namespace, &pod["serviceAccountName"]);
            for volume in items(&pod["volumes"]) {
                let secret = &volume["secret"]["secretName"];
                if secret.is_string() {
                    want("Secret", &namespace, secret);
                }
            }
            let variables = items(&pod["containers"][0]["env"]);
            for variable in &variables {
                match text(&variable["name"]).as_str() {
                    "WEBHOOK_SECRET_NAME" => want("Secret", &namespace, &variable["value"]),
                    "WEBHOOK_SERVICE_NAME" => want("Service", &namespace, &variable["value"]),
                    "MUTATING_WEBHOOK_CONFIGURATION_NAME" => {
                        want("MutatingWebhookConfiguration", "", &variable["value"]);
                    }
                    "VALIDATING_WEBHOOK_CONFIGURATION_NAME" => {
                        want("ValidatingWebhookConfiguration", "", &variable["value"]);
                    }
                    _ => {}
                }
            }
            let is_mounted = |mount: &Value| {
                items(&pod["volumes"])
                    .iter()
                    .any(|volume| volume["name"] == mount["name"])
            };
            for mount in items(&pod["containers"][0]["volumeMounts"]) {
                if !is_mounted(&mount) {
                    missing.push(format!("no volume {}", mount["name"]));
                }
            }
        }
        if object["kind"] == "Certificate" {
            let issuer = &object["spec"]["issuerRef"]["name"];
            if !self.has("Issuer", &namespace, issuer) {
                missing.push(format!("no Issuer {issuer}"));
            }
        }
        let policy = &object["spec"]["policyName"];
        if policy.is_string() && !self.has("ValidatingAdmissionPolicy", "", policy) {
            missing.push(format!("no policy {policy}"));
        }
        missing.extend(self.ports(object));
        missing
    }

    /// What leads to no pod, or to no port of one.
    fn ports(&self, object: &Value) -> Vec<String> {
        let mut missing = Vec::new();
        let deployment = self
            .objects
            .iter()
            .find(|object| object["kind"] == "Deployment");
        let pod = &deployment.expect("a Deployment")["spec"]["template"];
        let ports = items(&pod["spec"]["containers"][0]["ports"]);
        let has_port = |port: &Value| {
            ports
                .iter()
                .any(|own| own["name"] == *port || own["containerPort"] == *port)
        };
        let spec = &object["spec"];
        let (selector, wanted): (&Value, Vec<Value>) = match text(&object["kind"]).as_str() {
            "Service" => (
                &spec["selector"],
                items(&spec["ports"])
                    .iter()
                    .map(|port| port["targetPort"].clone())
                    .collect(),
            ),
            "NetworkPolicy" => {
                let rules = items(&spec["ingress"]);
                let ports = rules.iter().flat_map(|rule| items(&rule["ports"]));
                (
                    &spec["podSelector"]["matchLabels"],
                    ports.map(|port| port["port"].clone()).collect(),
                )
            }
            "PodDisruptionBudget" => (&spec["selector"]["matchLabels"], Vec::new()),
            "ServiceMonitor" => {
                let service = self.objects.iter().find(|other| {
                    other["kind"] == "Service"
                        && has_labels(
                            &other["metadata"]["labels"],
                            &spec["selector"]["matchLabels"],
                        )
                });
                for endpoint in items(&spec["endpoints"]) {
                    let ports = service
                        .map(|service| items(&service["spec"]["ports"]))
                        .unwrap_or_default();
                    if !ports.iter().any(|port| port["name"] == endpoint["port"]) {
                        missing.push(format!("no Service with port {}", endpoint["port"]));
                    }
                }
                return missing;
            }
            _ => return missing,
        };
        if !has_labels(&pod["metadata"]["labels"], selector) {
            missing.push(format!("no pod with {selector}"));
        }
        missing.extend(
            wanted
                .iter()
                .filter(|port| !has_port(port))
                .map(|port| format!("no port {port}")),
        );
        missing
    }
}

fn has_labels(labels: &Value, selector: &Value) -> bool {
    let mut selector = selector.as_object().into_iter().flatten();
    selector.all(|(key, value)| labels[key] == *value)
}

/// The fields that are null.
fn nulls(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Null => found.push(format!("{path} is null")),
        Value::Object(fields) => {
            for (key, value) in fields {
                nulls(value, &format!("{path}/{key}"), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| nulls(item, path, found)),
        _ => {}
    }
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
