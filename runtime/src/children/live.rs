//! A child as it is in the cluster, of whatever type.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::api::ApiResource;
use kube::core::DynamicResourceScope;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde_json::value::{RawValue, to_raw_value};
use serde_json_borrow::Value;

use super::fields::applied;

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

/// A child with all of it, for a controller that keeps it so.
#[derive(Clone, Debug)]
pub(crate) struct Whole<C> {
    pub(crate) live: Live,
    /// Nothing if it cannot be read as its type.
    pub(crate) object: Option<C>,
}

impl<'de, C: DeserializeOwned> Deserialize<'de> for Whole<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = serde_json::Value::deserialize(deserializer)?;
        let text = object.to_string();
        Ok(Self {
            live: serde_json::from_str(&text).map_err(D::Error::custom)?,
            object: serde_json::from_value(object).ok(),
        })
    }
}

/// What a watch reads of a child.
pub(crate) trait Seen: Send {
    /// What is kept of every child.
    fn live(&self) -> &Live;
}

impl Seen for Live {
    fn live(&self) -> &Live {
        self
    }
}

impl<C: Send> Seen for Whole<C> {
    fn live(&self) -> &Live {
        &self.live
    }
}

/// Implements `Resource` for a type that has the metadata of one.
macro_rules! resource {
    ($type:ty, $metadata:ident $(. $rest:ident)* $(, $parameter:ident)?) => {
        impl$(<$parameter>)? Resource for $type {
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
                &self.$metadata $(. $rest)*
            }

            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.$metadata $(. $rest)*
            }
        }
    };
}

resource!(Live, metadata);
resource!(Whole<C>, live.metadata, C);
