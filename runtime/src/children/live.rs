//! A child as it is in the cluster, of whatever type.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::{RawValue, to_raw_value};
use serde_json_borrow::Value;

use super::fields::applied;
use crate::dynamic::dynamic;
use crate::informer::Raw;

/// A child as it is in the cluster: what is kept of it, in place of kube's `DynamicObject`, which has
/// all of it. Children are most of what is read, so they are read without a copy of their text.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    /// Without `managedFields`.
    pub(crate) metadata: ObjectMeta,
    /// For each manager that applied fields of it: the sum of those that it owns, as they are.
    pub(crate) applied: Vec<(String, u64)>,
    pub(crate) status: Option<Box<RawValue>>,
}

impl<'de> Deserialize<'de> for Live {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl From<&Raw> for Live {
    fn from(raw: &Raw) -> Self {
        raw.read().unwrap_or_else(|invalid| Self {
            metadata: invalid.metadata,
            applied: Vec::new(),
            status: None,
        })
    }
}

impl Live {
    fn read(mut object: Value) -> Result<Self, String> {
        let applied = applied(&object);
        let Value::Object(fields) = &mut object else {
            return Err("an object of the API is a JSON object".to_owned());
        };
        let status = fields.get("status").map(to_raw_value).transpose();
        let metadata = match fields.get_mut("metadata") {
            Some(Value::Object(metadata)) => {
                metadata.insert("managedFields", Value::Null);
                ObjectMeta::deserialize(&Value::Object(std::mem::take(metadata)))
            }
            _ => Ok(ObjectMeta::default()),
        };
        Ok(Self {
            metadata: metadata.map_err(|error| error.to_string())?,
            applied,
            status: status.map_err(|error| error.to_string())?,
        })
    }
}

dynamic!(Live);
