//! A live child of any type.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::de::{Deserialize, Error};
use serde_json::value::{RawValue, to_raw_value};
use serde_json_borrow::Value;

use super::fields::applied;
use crate::informer::Raw;
use crate::json;

/// A live child of any type.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    /// Without `managedFields`.
    pub(crate) metadata: ObjectMeta,
    /// For each manager that applied fields: the hash of the fields that it owns, with their current values. Empty if
    /// the child is too large or too deep to be parsed.
    pub(crate) applied: Vec<(String, u64)>,
    pub(crate) status: Option<Box<RawValue>>,
}

impl From<&Raw> for Live {
    fn from(raw: &Raw) -> Self {
        Self::read(raw.text()).unwrap_or_else(|_| Self {
            metadata: raw.meta().clone(),
            applied: Vec::new(),
            status: None,
        })
    }
}

impl Live {
    fn read(text: &str) -> serde_json::Result<Self> {
        let Ok(mut object) = json::from_others::<Value>(text) else {
            return Self::read_deep(text);
        };
        let applied = applied(&object);
        let Value::Object(fields) = &mut object else {
            return Err(serde_json::Error::custom(
                "an object of the API is a JSON object",
            ));
        };
        let status = fields.get("status").map(to_raw_value).transpose()?;
        let metadata = match fields.get_mut("metadata") {
            Some(Value::Object(metadata)) => {
                metadata.insert("managedFields", Value::Null);
                ObjectMeta::deserialize(&Value::Object(std::mem::take(metadata)))
            }
            _ => Ok(ObjectMeta::default()),
        };
        Ok(Self {
            metadata: metadata.map_err(serde_json::Error::custom)?,
            applied,
            status,
        })
    }

    /// Reads the metadata and the status of a child that is too large or too deep to be parsed.
    fn read_deep(text: &str) -> serde_json::Result<Self> {
        let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text)?;
        let metadata = fields.get("metadata").map(|metadata| {
            let mut metadata: BTreeMap<String, Box<RawValue>> =
                serde_json::from_str(metadata.get())?;
            metadata.remove("managedFields");
            serde_json::from_str(&serde_json::to_string(&metadata)?)
        });
        Ok(Self {
            metadata: metadata.transpose()?.unwrap_or_default(),
            applied: Vec::new(),
            status: fields.remove("status"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_child_that_is_too_deep_is_known_whose_it_is() {
        let (open, close) = (r#"{"f:a":"#.repeat(900), "}".repeat(900));
        let deep = format!("{open}1{close}");
        let child = format!(
            r#"{{
                "metadata": {{
                    "name": "web",
                    "labels": {{ "a": "b" }},
                    "managedFields": [{{ "manager": "me", "operation": "Apply", "fieldsV1": {deep} }}]
                }},
                "spec": {deep},
                "status": {{ "ready": true }}
            }}"#
        );
        let raw: Raw = serde_json::from_str(&child).expect("a child");
        let live = raw.live();
        assert_eq!(live.metadata.labels.as_ref().expect("labels")["a"], "b");
        assert_eq!(live.metadata.managed_fields, None);
        assert_eq!(
            live.status.as_ref().expect("a status").get(),
            r#"{ "ready": true }"#
        );
        assert!(live.applied.is_empty());
    }
}
