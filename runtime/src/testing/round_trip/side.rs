//! One of the two versions.

use serde_json::Value;

use crate::testing::api_server::custom::Custom;
use crate::webhook::Converted;

/// One of the two versions.
pub(super) struct Side {
    pub(super) version: String,
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) custom: Custom,
    /// The annotation with the fields of this version that the other version cannot represent.
    pub(super) annotation: String,
    /// The declared fields that the other version cannot represent.
    pub(super) only: Vec<String>,
    /// The method of the test that declares them.
    pub(super) method: &'static str,
    pub(super) convert: Convert,
    /// The user's conversion of an object of this version.
    pub(super) plain: Plain,
    /// An object of this version as its type serializes it.
    pub(super) written: Plain,
}

pub(super) type Plain = Box<dyn Fn(&Value) -> Result<Value, String>>;

/// Converts an object of this version to the other one.
pub(super) type Convert = Box<dyn Fn(&Value) -> Converted>;

impl Side {
    /// The differences between two objects of this version, except for `apiVersion`, `kind` and `metadata`.
    pub(super) fn lost(&self, was: &Value, is: &Value) -> Vec<super::lost::Lost> {
        super::lost::lost(self.custom.schema(), was, is)
    }
}
