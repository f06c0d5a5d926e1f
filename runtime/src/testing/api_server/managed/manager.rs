//! The managers of fields.

use serde_json::json;

/// A field manager, as its entry identifies it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Manager {
    pub(super) name: String,
    pub(super) operation: &'static str,
    /// Only set for updates.
    pub(super) api_version: String,
    pub(super) subresource: String,
}

impl Manager {
    /// A manager that applies.
    pub(crate) fn applying(name: &str, subresource: &str) -> Self {
        Self {
            name: name.to_owned(),
            operation: "Apply",
            api_version: String::new(),
            subresource: subresource.to_owned(),
        }
    }

    /// A manager that updates.
    pub(crate) fn updating(name: &str, api_version: &str, subresource: &str) -> Self {
        Self {
            name: name.to_owned(),
            operation: "Update",
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    /// Its name in the message of a conflict.
    pub(super) fn readable(&self) -> String {
        let mut text = format!("{:?}", self.name);
        if !self.subresource.is_empty() {
            text = format!("{text} with subresource {:?}", self.subresource);
        }
        if self.operation == "Update" {
            text = format!("{text} using {}", self.api_version);
        }
        text
    }

    /// The sort key of managers in entries of the same time, and in the causes of a conflict.
    pub(super) fn key(&self) -> String {
        let mut key = json!({ "manager": self.name, "operation": self.operation });
        for (name, value) in [
            ("apiVersion", &self.api_version),
            ("subresource", &self.subresource),
        ] {
            if !value.is_empty() {
                key[name] = json!(value);
            }
        }
        key.to_string()
    }
}
