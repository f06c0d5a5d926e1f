//! The requests and answers of conversion, as the API server writes and reads them
//! (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::error;

use super::kind::Kind;
use super::way::Converted;

/// The kinds that are converted.
#[derive(Clone, Default)]
pub(crate) struct Kinds {
    kinds: Vec<Kind>,
    unreadable: Family<Unreadable, Counter>,
}

/// The version of the objects that could not be read.
#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Unreadable {
    group: String,
    version: String,
    kind: String,
}

/// What is asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    objects: Vec<Value>,
}

/// What is answered.
pub(in crate::webhook) struct Answer {
    pub(in crate::webhook) response: Value,
    /// The user's conversion panicked.
    pub(in crate::webhook) has_panicked: bool,
}

impl Answer {
    /// None of the objects is converted.
    pub(in crate::webhook) fn failure(message: &str) -> Self {
        let result = json!({ "status": "Failure", "message": message });
        Self {
            response: json!({ "result": result, "convertedObjects": [] }),
            has_panicked: false,
        }
    }
}

impl Kinds {
    pub(in crate::webhook) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The names of the CRDs.
    pub(in crate::webhook) fn crds(&self) -> Vec<String> {
        self.kinds.iter().map(Kind::crd).collect()
    }

    /// Adds a kind. What is wrong with it is returned.
    pub(in crate::webhook) fn add(&mut self, kind: Kind) -> Option<String> {
        if self.find(&kind.group, &kind.kind).is_some() {
            return Some(format!("there are two conversions of {}", kind.name()));
        }
        self.kinds.push(kind);
        None
    }

    /// Registers how many objects could not be read: 0 of all versions.
    pub(in crate::webhook) fn register(&self, registry: &mut Registry) {
        for kind in &self.kinds {
            for version in kind.versions() {
                drop(self.unreadable.get_or_create(&unreadable(kind, version)));
            }
        }
        if !self.is_empty() {
            let help = "Number of conversions of objects that could not be read, by their version";
            let name = "operator_conversion_unreadable_objects";
            registry.register(name, help, self.unreadable.clone());
        }
    }

    /// Answers the request of a review, but for its uid.
    pub(in crate::webhook) fn answer(&self, request: &Value) -> Answer {
        let call = match Call::deserialize(request) {
            Ok(call) => call,
            Err(error) => return Answer::failure(&format!("cannot read the review: {error}")),
        };
        let mut converted = Vec::with_capacity(call.objects.len());
        for object in &call.objects {
            let work = AssertUnwindSafe(|| self.convert(object, &call.desired_api_version));
            match catch_unwind(work) {
                Ok(Ok(object)) => converted.push(object),
                Ok(Err(why)) => return Answer::failure(&why),
                Err(_) => {
                    let to = &call.desired_api_version;
                    let why = format!("the conversion of {} to {to} panicked", described(object));
                    return Answer {
                        has_panicked: true,
                        ..Answer::failure(&why)
                    };
                }
            }
        }
        let result = json!({ "status": "Success" });
        Answer {
            response: json!({ "result": result, "convertedObjects": converted }),
            has_panicked: false,
        }
    }

    fn convert(&self, object: &Value, desired: &str) -> Result<Value, String> {
        let (group, to) = desired.split_once('/').unwrap_or(("", desired));
        let name = object["kind"].as_str().unwrap_or_default();
        let kind = self.find(group, name);
        let kind = kind.ok_or_else(|| format!("no conversion of {name:?} to {desired:?} here"))?;
        let Converted {
            object: converted,
            unreadable: why,
            is_too_large,
        } = kind.convert(object, to)?;
        if let Some(why) = why {
            let (_, from) = api_version(object).split_once('/').unwrap_or_default();
            self.unreadable.get_or_create(&unreadable(kind, from)).inc();
            let object = described(object);
            error!(error = %why, "cannot read {object}: it has no spec and no status in {desired}");
        }
        if is_too_large {
            let object = described(object);
            error!("{object} has no room in its annotations for what {desired} cannot hold");
        }
        Ok(converted)
    }

    fn find(&self, group: &str, kind: &str) -> Option<&Kind> {
        let mut kinds = self.kinds.iter();
        kinds.find(|known| known.group == group && known.kind == kind)
    }
}

fn unreadable(kind: &Kind, version: &str) -> Unreadable {
    Unreadable {
        group: kind.group.clone(),
        version: version.to_owned(),
        kind: kind.kind.clone(),
    }
}

fn api_version(object: &Value) -> &str {
    object["apiVersion"].as_str().unwrap_or_default()
}

/// For messages: no part of the object, which may be a secret.
fn described(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (metadata, kind) = (&object["metadata"], text(&object["kind"]));
    let name = text(&metadata["name"]);
    let name = match &metadata["namespace"] {
        Value::String(namespace) => format!("{namespace}/{name}"),
        _ => name,
    };
    format!("{kind} {name} of {}", api_version(object))
}
