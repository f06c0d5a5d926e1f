//! Webhooks: their configurations, a Service for each Deployment that answers them, and its certificate, by cert-manager.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Place;
use crate::olm::kinds::WEBHOOK_FIELDS;

/// Where operators expect the certificate: on each path under two names.
const MOUNTS: [(&str, &str); 2] = [
    ("/tmp/k8s-webhook-server/serving-certs", "webhook-cert"),
    ("/apiserver.local.config/certificates", "apiservice-cert"),
];

/// The annotation by which cert-manager adds whom the API server trusts.
const TRUST: &str = "cert-manager.io/inject-ca-from";

/// The webhooks of a bundle.
pub(super) struct Webhooks<'a> {
    definitions: Vec<&'a Value>,
    deployments: &'a Value,
    place: &'a Place,
}

impl<'a> Webhooks<'a> {
    pub(super) fn of(csv: &'a Value, place: &'a Place) -> Self {
        let definitions = csv["spec"]["webhookdefinitions"].as_array();
        Self {
            definitions: definitions.into_iter().flatten().collect(),
            deployments: &csv["spec"]["install"]["spec"]["deployments"],
            place,
        }
    }

    /// Lets a CRD be converted by the operator.
    pub(super) fn convert(&self, manifest: &mut Value) {
        let name = manifest["metadata"]["name"].clone();
        let mut definitions = self
            .definitions
            .iter()
            .filter(|webhook| webhook["type"] == "ConversionWebhook");
        let found = definitions.find(|webhook| {
            webhook["conversionCRDs"]
                .as_array()
                .is_some_and(|crds| crds.contains(&name))
        });
        let Some(found) = found.filter(|_| manifest["kind"] == "CustomResourceDefinition") else {
            return;
        };
        manifest["spec"]["conversion"] = json!({
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": self.client(found),
                "conversionReviewVersions": found["admissionReviewVersions"],
            },
        });
        manifest["metadata"]["annotations"][TRUST] = self.trust(found).into();
    }

    /// Mounts the certificate into the pods of a Deployment that answers webhooks.
    pub(super) fn mount(&self, deployment: &Value, template: &mut Value) {
        if !self
            .definitions
            .iter()
            .any(|webhook| webhook["deploymentName"] == *deployment)
        {
            return;
        }
        let spec = &mut template["spec"];
        let is_ours = |value: &Value| MOUNTS.iter().any(|(_, name)| value["name"] == *name);
        let mut volumes = spec["volumes"].as_array().cloned().unwrap_or_default();
        volumes.retain(|volume| !is_ours(volume));
        let secret = secret(deployment);
        volumes.extend(MOUNTS.map(|(_, name)| {
            let files = ["crt", "key"].map(|part| {
                let path = match name {
                    "webhook-cert" => format!("tls.{part}"),
                    _ => format!("apiserver.{part}"),
                };
                json!({ "key": format!("tls.{part}"), "path": path })
            });
            json!({ "name": name, "secret": { "secretName": secret, "items": files } })
        }));
        spec["volumes"] = volumes.into();
        for container in spec["containers"].as_array_mut().into_iter().flatten() {
            let mut mounts = container["volumeMounts"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            mounts.retain(|mount| !is_ours(mount));
            mounts.extend(MOUNTS.map(|(path, name)| json!({ "name": name, "mountPath": path })));
            container["volumeMounts"] = mounts.into();
        }
    }

    /// The configurations, the Services and the certificates.
    pub(super) fn objects(&self) -> Vec<Value> {
        let mut objects = Vec::new();
        let mut deployments: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for definition in &self.definitions {
            let name = definition["deploymentName"].as_str().unwrap_or_default();
            deployments.entry(name).or_default().push(definition);
            objects.extend(self.configuration(definition));
        }
        for (name, definitions) in deployments {
            objects.extend(self.service(name, &definitions));
        }
        objects
    }

    fn configuration(&self, definition: &Value) -> Option<Value> {
        let kind = match definition["type"].as_str()? {
            "MutatingAdmissionWebhook" => "MutatingWebhookConfiguration",
            "ValidatingAdmissionWebhook" => "ValidatingWebhookConfiguration",
            _ => return None,
        };
        let mut webhook = Map::new();
        for field in WEBHOOK_FIELDS {
            if let Some(value) = definition.get(field) {
                webhook.insert(field.to_owned(), value.clone());
            }
        }
        webhook.insert("name".to_owned(), definition["generateName"].clone());
        webhook.insert("clientConfig".to_owned(), self.client(definition));
        if let Some(watched) = &self.place.watched {
            let selector = json!({ "matchLabels": { "kubernetes.io/metadata.name": watched } });
            webhook.insert("namespaceSelector".to_owned(), selector);
        }
        Some(json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {
                "name": definition["generateName"],
                "annotations": { TRUST: self.trust(definition) },
            },
            "webhooks": [webhook],
        }))
    }

    fn client(&self, definition: &Value) -> Value {
        let mut service = json!({
            "name": service(&definition["deploymentName"]),
            "namespace": self.place.namespace,
            "port": port(definition),
        });
        if definition["webhookPath"].is_string() {
            service["path"] = definition["webhookPath"].clone();
        }
        json!({ "service": service })
    }

    fn trust(&self, definition: &Value) -> String {
        format!(
            "{}/{}",
            self.place.namespace,
            secret(&definition["deploymentName"])
        )
    }

    /// What selects the pods of a Deployment.
    fn selector(&self, name: &str) -> Value {
        let mut deployments = self.deployments.as_array().into_iter().flatten();
        let found = deployments.find(|deployment| deployment["name"] == name);
        found.map_or(Value::Null, |found| {
            found["spec"]["selector"]["matchLabels"].clone()
        })
    }

    /// The Service of a Deployment, and what makes its certificate.
    fn service(&self, name: &str, definitions: &[&Value]) -> [Value; 3] {
        let namespace = &self.place.namespace;
        let deployment = json!(name);
        let (service, secret) = (service(&deployment), secret(&deployment));
        let mut ports: Vec<Value> = definitions
            .iter()
            .map(|definition| {
                let port = port(definition);
                let target = definition.get("targetPort").unwrap_or(&port).clone();
                json!({ "name": format!("{port}"), "port": port, "targetPort": target })
            })
            .collect();
        ports.dedup();
        let issuer = format!("{service}-issuer");
        let metadata = |name: &str| json!({ "name": name, "namespace": namespace });
        let host = format!("{service}.{namespace}.svc");
        [
            json!({
                "apiVersion": "v1", "kind": "Service", "metadata": metadata(&service),
                "spec": { "ports": ports, "selector": self.selector(name) },
            }),
            json!({
                "apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": metadata(&issuer),
                "spec": { "selfSigned": {} },
            }),
            json!({
                "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": metadata(&secret),
                "spec": {
                    "secretName": secret, "dnsNames": [host],
                    "usages": ["server auth"],
                    "privateKey": { "rotationPolicy": "Always" },
                    "issuerRef": { "name": issuer },
                },
            }),
        ]
    }
}

/// OLM's name for the Service of a Deployment.
fn service(deployment: &Value) -> String {
    let name = deployment.as_str().unwrap_or_default();
    format!("{}-service", name.replace('.', "-"))
}

/// The Secret with its certificate.
fn secret(deployment: &Value) -> String {
    format!("{}-cert", service(deployment))
}

/// The port that the API server calls.
fn port(definition: &Value) -> Value {
    definition
        .get("containerPort")
        .cloned()
        .unwrap_or(json!(443))
}
