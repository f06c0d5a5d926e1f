//! Conversion between the versions of a custom kind by the webhook in its CRD.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::client_config::{Call, ClientConfig};
use super::failure::Failure;
use super::schema::{Schema, prune};
use super::target::api_version;

/// Converts the objects of a kind.
#[derive(Debug)]
pub(super) struct Converter {
    group: String,
    kind: String,
    path: String,
    /// The storage version.
    stored: String,
    /// The schemas of all versions, including those that are not served.
    schemas: BTreeMap<String, Arc<Schema>>,
    /// The converted objects of lists and watches, by version and uid: a real API server has a cache for each version.
    cached: Mutex<BTreeMap<(String, String), Value>>,
}

impl Converter {
    /// The converter of a CRD. `None` if its versions only differ by name.
    pub(super) fn of(crd: &Value, schemas: BTreeMap<String, Arc<Schema>>) -> Option<Self> {
        let spec = &crd["spec"];
        let conversion = &spec["conversion"];
        if conversion["strategy"] != "Webhook" {
            return None;
        }
        let client = ClientConfig::deserialize(&conversion["webhook"]["clientConfig"]).ok()?;
        let mut versions = spec["versions"].as_array()?.iter();
        let stored = versions.find(|version| version["storage"] == true)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Some(Self {
            group: text(&spec["group"]),
            kind: text(&spec["names"]["kind"]),
            path: client.path().to_owned(),
            stored: text(&stored["name"]),
            schemas,
            cached: Mutex::default(),
        })
    }

    /// The storage version.
    pub(super) fn stored(&self) -> &str {
        &self.stored
    }

    /// The schema of a version, served or not.
    pub(super) fn schema(&self, version: &str) -> Option<&Arc<Schema>> {
        self.schemas.get(version)
    }

    /// Converts an object to another version.
    ///
    /// # Errors
    /// If the webhook fails, or its response is invalid: see `webhook_converter.go` of the API server.
    pub(super) fn convert(
        &self,
        object: &Value,
        to: &str,
        call: Option<&Call>,
    ) -> Result<Value, Failure> {
        let failed = |why: String| {
            let from = object["apiVersion"].as_str().unwrap_or_default();
            let kind = &self.kind;
            Failure::internal(format!(
                "conversion webhook for {from}, Kind={kind} failed: {why}"
            ))
        };
        let api_version = api_version(&self.group, to);
        let review = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "request": {
                // Constant, because there is only one call at a time.
                "uid": "00000000-0000-4000-8000-000000000000",
                "desiredAPIVersion": api_version,
                "objects": [object],
            },
        });
        let answer = match call {
            Some(call) => call(&self.path, &review),
            None => Err("no endpoints available for service".to_owned()),
        };
        let mut answer = answer.map_err(failed)?;
        let response = answer.get_mut("response").map(Value::take);
        let converted = converted_object(&review, response.unwrap_or_default()).map_err(failed)?;
        let is_wanted = converted["apiVersion"] == *api_version && converted["kind"] == *self.kind;
        if !is_wanted {
            let (version, kind) = (&converted["apiVersion"], &converted["kind"]);
            return Err(failed(format!(
                "returned {version} {kind} in the place of {api_version} {}",
                self.kind
            )));
        }
        let mut converted = with_metadata_of(object, converted).map_err(failed)?;
        if let Some(schema) = self.schemas.get(to) {
            prune::prune(schema, &mut converted);
        }
        Ok(converted)
    }

    /// Like [`convert`](Self::convert), for lists and watches, which convert each object once.
    ///
    /// # Errors
    /// If the conversion fails. Until it succeeds, the API server rebuilds the watch cache of this version.
    pub(super) fn cached(
        &self,
        object: &Value,
        to: &str,
        call: Option<&Call>,
    ) -> Result<Value, Failure> {
        let metadata = &object["metadata"];
        let uid = metadata["uid"].as_str().unwrap_or_default().to_owned();
        let key = (to.to_owned(), uid);
        let lock = || self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key)
            && known["metadata"]["resourceVersion"] == metadata["resourceVersion"]
        {
            return Ok(known.clone());
        }
        let converted = self.convert(object, to, call).map_err(|_| {
            let details = json!({ "retryAfterSeconds": 1 });
            let text = "storage is (re)initializing";
            Failure::new(429, "TooManyRequests", text).with_details(details)
        })?;
        lock().insert(key, converted.clone());
        Ok(converted)
    }
}

/// The object in the response to a review with one object.
fn converted_object(review: &Value, mut response: Value) -> Result<Value, String> {
    if response["uid"] != review["request"]["uid"] {
        return Err(format!("the answer has the uid {}", response["uid"]));
    }
    if response["result"]["status"] != "Success" {
        let message = response["result"]["message"].as_str();
        return Err(message.unwrap_or("without a reason").to_owned());
    }
    match response["convertedObjects"]
        .as_array_mut()
        .map(|all| &mut **all)
    {
        Some([only]) => Ok(only.take()),
        Some(all) => Err(format!("expected 1 converted object, got {}", all.len())),
        None => Err("expected 1 converted object, got none".to_owned()),
    }
}

/// A converted object with the metadata of the original: a conversion only changes labels and annotations.
fn with_metadata_of(original: &Value, mut converted: Value) -> Result<Value, String> {
    for field in ["name", "namespace", "uid"] {
        if original["metadata"][field] != converted["metadata"][field] {
            let [before, after] = [original, &converted].map(|object| &object["metadata"][field]);
            return Err(format!("metadata.{field} must be {before}, not {after}"));
        }
    }
    let given = converted["metadata"].take();
    let mut metadata = original["metadata"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for field in ["labels", "annotations"] {
        metadata.remove(field);
        if given[field]
            .as_object()
            .is_some_and(|all: &Map<_, _>| !all.is_empty())
        {
            metadata.insert(field.to_owned(), given[field].clone());
        }
    }
    converted["metadata"] = Value::Object(metadata);
    Ok(converted)
}
