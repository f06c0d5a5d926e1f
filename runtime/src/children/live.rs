//! A child as it is in the cluster, of whatever type.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::api::ApiResource;
use kube::core::DynamicResourceScope;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::{RawValue, to_raw_value};
use serde_json_borrow::Value;

use super::super::FIELD_MANAGER;
use super::fields::owned;

/// A child as it is in the cluster: what is kept of it, in place of kube's `DynamicObject`, which has
/// all of it. Children are most of what is read, so they are read without a copy of their text.
#[derive(Clone, Debug)]
pub struct Live {
    /// Without `managedFields`.
    pub metadata: ObjectMeta,
    /// Whether nobody has written it since it was created.
    pub is_new: bool,
    /// The sum of the fields that this operator owns, as they are, where it owns any.
    pub owned: Option<u64>,
    pub status: Option<Box<RawValue>>,
}

impl<'de> Deserialize<'de> for Live {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = Value::deserialize(deserializer)?;
        let owned = owned(&object, FIELD_MANAGER);
        let is_new = is_new(&object);
        let Value::Object(fields) = &mut object else {
            return Err(D::Error::custom("an object of the API is a JSON object"));
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
            metadata: metadata.map_err(D::Error::custom)?,
            is_new,
            owned,
            status: status.map_err(D::Error::custom)?,
        })
    }
}

fn is_new(object: &Value) -> bool {
    let metadata = object.get("metadata");
    let created = metadata.get("creationTimestamp");
    let writes = metadata.get("managedFields").as_array();
    matches!(writes, Some([write]) if !created.is_null() && write.get("time") == created)
}

impl Resource for Live {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(kind: &ApiResource) -> Cow<'_, str> {
        (&*kind.kind).into()
    }

    fn group(kind: &ApiResource) -> Cow<'_, str> {
        (&*kind.group).into()
    }

    fn version(kind: &ApiResource) -> Cow<'_, str> {
        (&*kind.version).into()
    }

    fn plural(kind: &ApiResource) -> Cow<'_, str> {
        (&*kind.plural).into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
