//! Webhooks: OLM makes their configurations, their Service and their certificate.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::objects::{Objects, is_crd, is_webhook_configuration};
use crate::olm::kinds::WEBHOOK_FIELDS;

/// Where OLM mounts the certificate.
pub(super) const CERTIFICATES: &str = "/tmp/k8s-webhook-server/serving-certs";

/// Whether something calls the operator.
pub(super) fn has_webhooks(objects: &Objects) -> bool {
    objects
        .iter()
        .any(|object| is_webhook_configuration(object) || is_converted(object))
}

/// Whether an object is a CRD whose objects a webhook converts.
pub(super) fn is_converted(object: &Value) -> bool {
    is_crd(object) && object["spec"]["conversion"]["strategy"] == "Webhook"
}

/// The definitions, sorted by their names.
pub(super) fn definitions(objects: &Objects) -> Vec<Value> {
    let mut definitions = Vec::new();
    for object in objects
        .iter()
        .filter(|object| is_webhook_configuration(object))
    {
        let kind = if object["kind"] == "MutatingWebhookConfiguration" {
            "MutatingAdmissionWebhook"
        } else {
            "ValidatingAdmissionWebhook"
        };
        let webhooks = object["webhooks"].as_array();
        definitions.extend(webhooks.into_iter().flatten().map(|webhook| {
            let called = Called::by(&webhook["clientConfig"], objects);
            called.admission(kind, webhook)
        }));
    }
    definitions.extend(conversions(objects));
    definitions.sort_by_key(|definition| definition["generateName"].to_string());
    definitions
}

/// What the configurations of webhooks say and a `ClusterServiceVersion` cannot, as notes.
pub(in crate::olm) fn left_out(objects: &Objects) -> Vec<String> {
    let configurations = objects
        .iter()
        .filter(|object| is_webhook_configuration(object));
    let webhooks = configurations.filter_map(|object| object["webhooks"].as_array());
    let note = |webhook: &Value| {
        let fields = ["namespaceSelector", "matchConditions"];
        let fields = fields.iter().filter(|field| !is_empty(&webhook[**field]));
        let fields: Vec<_> = fields.map(|field| format!("`{field}`")).collect();
        let name = webhook["name"].as_str().unwrap_or_default();
        (!fields.is_empty()).then(|| {
            format!(
                "the bundle omits {} of the webhook `{name}`: OLM calls it for all objects in the namespaces of the \
                 OperatorGroup",
                fields.join(" and ")
            )
        })
    };
    webhooks.flatten().filter_map(note).collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// One definition for all CRDs that ask one path of one Service.
fn conversions(objects: &Objects) -> Vec<Value> {
    let mut by_service: BTreeMap<String, (Vec<&Value>, &Value)> = BTreeMap::new();
    for crd in objects.iter().filter(|object| is_converted(object)) {
        let webhook = &crd["spec"]["conversion"]["webhook"];
        let service = webhook["clientConfig"]["service"].to_string();
        let crds = by_service.entry(service).or_insert((Vec::new(), webhook));
        crds.0.push(crd);
    }
    let definition = |(crds, webhook): (Vec<&Value>, &Value)| {
        let called = Called::by(&webhook["clientConfig"], objects);
        let plural = |crd: &&Value| {
            crd["spec"]["names"]["plural"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let name = crds.iter().map(plural).collect::<String>();
        let names: Vec<_> = crds
            .iter()
            .map(|crd| crd["metadata"]["name"].clone())
            .collect();
        let mut definition = called.fields("ConversionWebhook", &format!("c{name}.kb.io"));
        definition.insert(
            "admissionReviewVersions".to_owned(),
            webhook["conversionReviewVersions"].clone(),
        );
        definition.insert("conversionCRDs".to_owned(), names.into());
        definition.insert("sideEffects".to_owned(), "None".into());
        definition.into_iter().collect()
    };
    by_service.into_values().map(definition).collect()
}

/// The Deployment that a webhook asks, and where.
struct Called {
    deployment: String,
    port: Value,
    target: Value,
    path: Value,
}

impl Called {
    fn by(client: &Value, objects: &Objects) -> Self {
        let service = &client["service"];
        let port = service.get("port").cloned().unwrap_or(json!(443));
        let found = objects.iter().find(|object| {
            object["kind"] == "Service" && object["metadata"]["name"] == service["name"]
        });
        let ports = found.and_then(|found| found["spec"]["ports"].as_array());
        let own = ports
            .into_iter()
            .flatten()
            .find(|listed| listed["port"] == port);
        let target = own
            .and_then(|listed| listed.get("targetPort"))
            .unwrap_or(&port)
            .clone();
        let selector = found.map(|found| &found["spec"]["selector"]);
        let deployment = objects.iter().find(|object| {
            object["kind"] == "Deployment"
                && selector.is_some_and(|selector| selects(selector, object))
        });
        let service_name = service["name"].as_str().unwrap_or_default();
        let of_service = service_name
            .strip_suffix("-service")
            .unwrap_or(service_name);
        let name = deployment
            .and_then(|deployment| deployment["metadata"]["name"].as_str())
            .unwrap_or(of_service);
        Self {
            deployment: name.to_owned(),
            // OLM's Service has one port, by number.
            target: resolve(target, deployment),
            port,
            path: service["path"].clone(),
        }
    }

    fn fields(&self, kind: &str, name: &str) -> BTreeMap<String, Value> {
        let mut fields = BTreeMap::new();
        for (field, value) in [
            ("type", Value::from(kind)),
            ("generateName", name.into()),
            ("deploymentName", self.deployment.clone().into()),
            ("containerPort", self.port.clone()),
            ("targetPort", self.target.clone()),
            ("webhookPath", self.path.clone()),
        ] {
            if !value.is_null() {
                fields.insert(field.to_owned(), value);
            }
        }
        fields
    }

    fn admission(&self, kind: &str, webhook: &Value) -> Value {
        let name = webhook["name"].as_str().unwrap_or_default();
        let mut fields = self.fields(kind, name);
        for field in WEBHOOK_FIELDS {
            if let Some(value) = webhook.get(field) {
                fields.insert(field.to_owned(), value.clone());
            }
        }
        fields
            .entry("admissionReviewVersions".to_owned())
            .or_insert(json!(["v1"]));
        fields
            .entry("sideEffects".to_owned())
            .or_insert("None".into());
        fields.into_iter().collect()
    }
}

/// Whether a Service's selector selects the pods of a Deployment.
fn selects(selector: &Value, deployment: &Value) -> bool {
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    let mut pairs = selector.as_object().into_iter().flatten();
    pairs.all(|(key, value)| labels.get(key) == Some(value))
}

/// The number of a port that a container calls by a name.
fn resolve(target: Value, deployment: Option<&Value>) -> Value {
    let Some(deployment) = deployment.filter(|_| target.is_string()) else {
        return target;
    };
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array();
    let mut ports = containers
        .into_iter()
        .flatten()
        .filter_map(|it| it["ports"].as_array())
        .flatten();
    let found = ports.find(|port| port["name"] == target);
    found.map_or(target.clone(), |port| port["containerPort"].clone())
}
