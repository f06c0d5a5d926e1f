//! An untyped object of a response.

use std::borrow::Cow;
use std::sync::OnceLock;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::Resource;
use kube::api::ApiResource;
use kube::core::DynamicResourceScope;
use kube::core::error_boundary::InvalidObject;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::children::Live;
use crate::json;
use crate::short::short;
use crate::user_code;

/// An untyped object of a response.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    metadata: ObjectMeta,
    text: Box<RawValue>,
    live: OnceLock<Box<Live>>,
}

/// The metadata that a watch needs.
#[derive(serde::Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    deletion_timestamp: Option<Time>,
    finalizers: Option<Vec<String>>,
    name: Option<String>,
    namespace: Option<String>,
    resource_version: Option<String>,
    uid: Option<String>,
}

#[derive(serde::Deserialize)]
struct Object {
    metadata: Option<Metadata>,
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = json::text(deserializer)?;
        // The other fields can be nested to any depth.
        let object: Object = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let metadata = object.metadata.unwrap_or_default();
        let metadata = ObjectMeta {
            deletion_timestamp: metadata.deletion_timestamp,
            finalizers: metadata.finalizers,
            name: metadata.name,
            namespace: metadata.namespace,
            resource_version: metadata.resource_version,
            uid: metadata.uid,
            ..ObjectMeta::default()
        };
        Ok(Self {
            metadata,
            text,
            live: OnceLock::new(),
        })
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl Raw {
    /// An object of which only the metadata matters.
    pub(crate) fn of(metadata: ObjectMeta) -> Self {
        Self {
            metadata,
            text: RawValue::NULL.to_owned(),
            live: OnceLock::new(),
        }
    }

    /// Only its metadata, as in the response to a metadata-only request.
    pub(super) fn metadata_alone(&self) -> Self {
        #[derive(serde::Deserialize)]
        struct Whole<'a> {
            #[serde(borrow)]
            metadata: &'a RawValue,
        }
        let text = serde_json::from_str(self.text()).and_then(|whole: Whole<'_>| {
            let metadata = whole.metadata.get();
            RawValue::from_string(format!(
                r#"{{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{metadata}}}"#
            ))
        });
        Self {
            metadata: self.metadata.clone(),
            text: text.unwrap_or_else(|_| self.text.clone()),
            live: OnceLock::new(),
        }
    }

    /// The JSON of the object as the API server sent it.
    pub(crate) fn text(&self) -> &str {
        self.text.get()
    }

    /// The data that is cached for a child, parsed once for all controllers that own its type.
    pub(crate) fn live(&self) -> &Live {
        self.live.get_or_init(|| Box::new(Live::from(self)))
    }

    /// Parses the object.
    ///
    /// # Errors
    /// If it does not match the type: the reason, and the object's metadata.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Box<InvalidObject>> {
        let text = self.text();
        let read = user_code::call("reading an object", None, || Some(Self::parse(text)))
            .unwrap_or_else(|| Err("its type panicked while reading it".to_owned()));
        read.map_err(|error| {
            Box::new(InvalidObject {
                error,
                metadata: self.metadata.clone(),
            })
        })
    }

    fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        json::from_others(text).map_err(|error| {
            let error = error.to_string();
            // The position means nothing to a reader without this text, and changes often.
            let (why, _) = error.rsplit_once(" at line ").unwrap_or((&error, ""));
            short(why)
        })
    }
}

impl Resource for Raw {
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

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    /// A type whose author forgot a case.
    #[derive(Debug)]
    struct Unlucky;

    impl<'de> Deserialize<'de> for Unlucky {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let map = ConfigMap::deserialize(deserializer)?;
            assert!(map.data.is_none(), "a bug");
            Ok(Self)
        }
    }

    #[test]
    fn a_type_that_panics_is_one_that_cannot_be_read() {
        let read = |data: serde_json::Value| {
            let map = json!({ "metadata": { "name": "a" }, "data": data });
            let raw: Raw = serde_json::from_value(map).unwrap();
            raw.read::<Unlucky>()
        };
        assert!(read(json!(null)).is_ok());
        let refused = read(json!({ "b": "c" })).unwrap_err();
        assert_eq!(refused.metadata.name.as_deref(), Some("a"));
        assert!(refused.error.contains("panicked"), "{}", refused.error);
    }
}
