// Owned by rop: its commands rewrite this file, so make changes elsewhere [c2c17f268ae8]
//! A child as it is in the cluster, of whatever type.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::api::ApiResource;
use kube::core::DynamicResourceScope;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Value};

/// A child as it is in the cluster. It is kube's `DynamicObject` again, which serde reads twice: once to
/// tell its flattened fields apart, and once more to fill them. Children are most of what is read.
#[derive(Clone, Debug)]
pub struct Live {
    pub metadata: ObjectMeta,
    /// All but the metadata.
    pub data: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Live {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut data = Map::deserialize(deserializer)?;
        let metadata = data.remove("metadata").unwrap_or_default();
        let metadata = serde_json::from_value(metadata).map_err(D::Error::custom)?;
        Ok(Self { metadata, data })
    }
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
