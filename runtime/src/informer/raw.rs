//! An object as the API server sends it, of whatever type.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::error_boundary::InvalidObject;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde_json_borrow::Value;

use crate::dynamic::dynamic;

/// An object as the API server sends it: its text, and as much of its metadata as a watch needs. Requests and
/// watches are compiled for this once, and not for each type; one object that is not as its type holds up no
/// other.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    metadata: ObjectMeta,
    text: String,
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not serde_json's `RawValue`: kube cannot read it where `object` of an event comes before `type`.
        let object = Value::deserialize(deserializer)?;
        let metadata = object.get("metadata");
        let text = |field: &str| metadata.get(field).as_str().map(str::to_owned);
        let finalizers = metadata.get("finalizers").iter_array();
        let finalizers = finalizers.map(|all| all.filter_map(|one| Some(one.as_str()?.to_owned())));
        let metadata = ObjectMeta {
            finalizers: finalizers.map(Iterator::collect),
            name: text("name"),
            namespace: text("namespace"),
            resource_version: text("resourceVersion"),
            uid: text("uid"),
            ..ObjectMeta::default()
        };
        let text = serde_json::to_string(&object).map_err(D::Error::custom)?;
        Ok(Self { metadata, text })
    }
}

impl Raw {
    /// The object as its type.
    ///
    /// # Errors
    /// It is not as its type: why, and which it is.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Box<InvalidObject>> {
        serde_json::from_str(&self.text).map_err(|error| {
            let error = error.to_string();
            // Nobody sees this text, and what is before the place changes often.
            let (why, _) = error.rsplit_once(" at line ").unwrap_or((&error, ""));
            Box::new(InvalidObject {
                error: why.to_owned(),
                metadata: self.metadata.clone(),
            })
        })
    }
}

dynamic!(Raw);
