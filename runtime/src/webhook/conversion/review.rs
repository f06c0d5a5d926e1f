//! The requests and responses of conversion
//! (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1`).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tracing::error;

use super::kind::Kind;
use super::way::Converted;
use crate::json;
use crate::short::short;
use crate::webhook::raw::{managed_fields, without_managed_fields};

/// The converted kinds.
#[derive(Clone, Default)]
pub(crate) struct Kinds {
    kinds: Vec<Kind>,
    unreadable: Family<Labels, Counter>,
    lost: Family<Labels, Counter>,
}

/// The version of the objects.
#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Labels {
    group: String,
    version: String,
    kind: String,
}

/// The request of a review.
#[derive(Deserialize)]
struct ConversionRequest<'a> {
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    #[serde(borrow)]
    objects: Vec<&'a RawValue>,
}

impl<'a> ConversionRequest<'a> {
    fn read(request: &'a RawValue) -> Result<Self, String> {
        let call = serde_json::from_str(request.get());
        call.map_err(|error| format!("cannot read the review: {}", short(error)))
    }
}

/// The fields that every object has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    api_version: String,
    kind: String,
    #[serde(borrow)]
    metadata: &'a RawValue,
}

/// The response of a review.
#[derive(Serialize)]
pub(in crate::webhook) struct Answer {
    result: Value,
    #[serde(rename = "convertedObjects")]
    converted: Vec<Box<RawValue>>,
    /// Whether the user's conversion panicked.
    #[serde(skip)]
    pub(in crate::webhook) has_panicked: bool,
}

impl Answer {
    /// A response in which no object is converted.
    pub(in crate::webhook) fn failure(message: &str) -> Self {
        Self {
            result: json!({ "status": "Failure", "message": message }),
            converted: Vec::new(),
            has_panicked: false,
        }
    }

    /// Why no object is converted.
    pub(in crate::webhook) fn why(&self) -> Option<&str> {
        self.result["message"].as_str()
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

    /// Adds a kind. Returns an error in its registration.
    pub(in crate::webhook) fn add(&mut self, kind: Kind) -> Option<String> {
        if self.find(&kind.group, &kind.kind).is_some() {
            return Some(format!("{} has two conversions", kind.name()));
        }
        self.kinds.push(kind);
        None
    }

    /// Registers the number of objects that could not be parsed or not be kept completely: 0 for all versions.
    pub(in crate::webhook) fn register(&self, registry: &mut Registry) {
        for kind in &self.kinds {
            for version in kind.versions() {
                drop(self.unreadable.get_or_create(&labels(kind, version)));
                drop(self.lost.get_or_create(&labels(kind, version)));
            }
        }
        if !self.is_empty() {
            registry.register(
                "operator_conversion_unreadable_objects",
                "Total number of failed conversions of unreadable objects, by version",
                self.unreadable.clone(),
            );
            registry.register(
                "operator_conversion_incomplete_objects",
                "Total number of conversions that dropped fields of objects that are too large, by version",
                self.lost.clone(),
            );
        }
    }

    /// Responds to the request of a review, within this much memory.
    pub(in crate::webhook) fn answer(&self, request: &RawValue, most: usize) -> Answer {
        let call = match ConversionRequest::read(request) {
            Ok(call) => call,
            Err(why) => return Answer::failure(&why),
        };
        let mut converted = Vec::with_capacity(call.objects.len());
        for object in &call.objects {
            let work = AssertUnwindSafe(|| self.convert(object, &call.desired_api_version, most));
            match catch_unwind(work) {
                Ok(Ok(object)) => converted.push(object),
                Ok(Err(why)) => return Answer::failure(&why),
                Err(_) => {
                    let (object, to) = (described(object), short(&call.desired_api_version));
                    let why = format!("the conversion of {object} to {to} panicked");
                    return Answer {
                        has_panicked: true,
                        ..Answer::failure(&why)
                    };
                }
            }
        }
        Answer {
            result: json!({ "status": "Success" }),
            converted,
            has_panicked: false,
        }
    }

    fn convert(
        &self,
        object: &RawValue,
        desired: &str,
        most: usize,
    ) -> Result<Box<RawValue>, String> {
        let head: Head<'_> = serde_json::from_str(object.get())
            .map_err(|error| format!("cannot read an object: {}", short(error)))?;
        let (group, to) = desired.split_once('/').unwrap_or(("", desired));
        let kind = self.find(group, &head.kind).ok_or_else(|| {
            let [kind, desired] = [&*head.kind, desired].map(short);
            format!("no conversion of {kind:?} to {desired:?}")
        })?;
        let from = kind.check(&head.api_version, to)?;
        if from == to {
            return Ok(object.to_owned());
        }
        let converted = match whole(object, most) {
            Ok(whole) => kind.convert(&whole, to)?,
            Err(why) => Converted {
                lost: vec!["spec".to_owned(), "status".to_owned()],
                ..Converted::new(emptied(object, desired, most).map_err(|other| {
                    format!("cannot convert {}: {why}; {other}", described(object))
                })?)
            },
        };
        if let Some(why) = converted.unreadable {
            self.unreadable.get_or_create(&labels(kind, from)).inc();
            let (object, error) = (described(object), short(why));
            error!(
                error,
                "cannot read {object}: it has no spec and no status in {desired}"
            );
        }
        if !converted.lost.is_empty() {
            self.lost.get_or_create(&labels(kind, from)).inc();
            let (object, fields) = (described(object), short(converted.lost.join(", ")));
            error!(
                fields,
                "{object} is too large to convert without loss: a write in {desired} removes these fields"
            );
        }
        let converted = written(converted.object, managed_fields(object.get()));
        converted.map_err(|error| format!("cannot write {}: {}", described(object), short(error)))
    }

    fn find(&self, group: &str, kind: &str) -> Option<&Kind> {
        let mut kinds = self.kinds.iter();
        kinds.find(|known| known.group == group && known.kind == kind)
    }
}

/// The number of copies of an object during a conversion: there and back again, and merged.
const COPIES: usize = 5;

/// The approximate memory for the response to a review, whose objects are converted one at a time.
pub(in crate::webhook) fn weight(request: &RawValue) -> usize {
    let Ok(call) = ConversionRequest::read(request) else {
        return 0;
    };
    let objects = call.objects.iter();
    let needed = objects.map(|object| needed(&without_managed_fields(object.get())));
    2 * request.get().len() + needed.max().unwrap_or_default()
}

/// The approximate memory for the conversion of an object without managed fields.
fn needed(object: &str) -> usize {
    let head = serde_json::from_str::<Head<'_>>(object);
    let metadata = head.as_ref().map_or(0, weight_of_metadata);
    (json::weight(object) + metadata) * COPIES
}

/// The parsed object, if its conversion fits into this much memory.
fn whole(object: &RawValue, most: usize) -> Result<Value, String> {
    let text = without_managed_fields(object.get());
    let needed = needed(&text);
    if needed > most {
        let (needed, most) = (needed >> 20, most >> 20);
        return Err(format!(
            "converting its fields may take {needed} MiB of memory, but webhooks are limited to {most} MiB"
        ));
    }
    json::from_str(&text).map_err(short)
}

/// An object in another version, without its content.
fn emptied(object: &RawValue, desired: &str, most: usize) -> Result<Value, String> {
    let text = without_managed_fields(object.get());
    let head: Head<'_> = serde_json::from_str(&text).map_err(short)?;
    if weight_of_metadata(&head) > most {
        return Err("its metadata is too large".to_owned());
    }
    let metadata: Value = json::from_str(head.metadata.get()).map_err(short)?;
    Ok(json!({ "apiVersion": desired, "kind": head.kind, "metadata": metadata }))
}

/// The weight of metadata, whose annotations may contain JSON that is parsed as well.
fn weight_of_metadata(head: &Head<'_>) -> usize {
    json::weight(&head.metadata.get().replace(['"', '\\'], " "))
}

/// An object as text, with its original managed fields.
fn written(mut object: Value, managed: Option<&str>) -> serde_json::Result<Box<RawValue>> {
    let Some(managed) = managed else {
        return to_raw_value(&object);
    };
    let mut metadata = object["metadata"].take();
    if let Some(fields) = metadata.as_object_mut() {
        fields.remove("managedFields");
    }
    let others = serde_json::to_string(&metadata)?;
    let inner = others.trim_start_matches('{');
    let comma = if inner == "}" { "" } else { "," };
    let metadata = format!(r#"{{"managedFields":{managed}{comma}{inner}"#);
    object["metadata"] = Value::Null;
    let mut fields = BTreeMap::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        let text = match &**name {
            "metadata" => RawValue::from_string(metadata.clone())?,
            _ => to_raw_value(value)?,
        };
        fields.insert(name, text);
    }
    to_raw_value(&fields)
}

fn labels(kind: &Kind, version: &str) -> Labels {
    Labels {
        group: kind.group.clone(),
        version: version.to_owned(),
        kind: kind.kind.clone(),
    }
}

/// For messages: without content of the object, which may be secret.
fn described(object: &RawValue) -> String {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Object {
        api_version: String,
        kind: String,
        metadata: Metadata,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Metadata {
        name: String,
        namespace: Option<String>,
    }
    let Ok(object) = serde_json::from_str::<Object>(object.get()) else {
        return "an object".to_owned();
    };
    let [kind, name, version] = [object.kind, object.metadata.name, object.api_version].map(short);
    match object.metadata.namespace {
        Some(namespace) => format!("{kind} {}/{name} of {version}", short(namespace)),
        None => format!("{kind} {name} of {version}"),
    }
}
