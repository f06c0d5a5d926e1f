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
    /// The annotation that holds what an object had in this version.
    pub(super) annotation: String,
    /// What the other version cannot hold, by the word of the test.
    pub(super) only: Vec<String>,
    /// The method by which the test says so.
    pub(super) method: &'static str,
    pub(super) convert: Convert,
    /// What the conversion of the user's alone makes of an object of this version.
    pub(super) plain: Plain,
    /// An object of this version as its type writes it.
    pub(super) written: Plain,
}

pub(super) type Plain = Box<dyn Fn(&Value) -> Result<Value, String>>;

/// Converts an object of this version to the other one.
pub(super) type Convert = Box<dyn Fn(&Value) -> Converted>;

impl Side {
    /// What differs between two objects of this version, but for what every object has.
    pub(super) fn lost(&self, was: &Value, is: &Value) -> Vec<super::lost::Lost> {
        super::lost::lost(self.custom.schema(), was, is)
    }
}
