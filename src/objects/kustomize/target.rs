//! What a patch or a replacement is for, as files say it.

use serde::Deserialize;

/// Objects: each part is a regular expression or a selector, or says nothing.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Target {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) label_selector: String,
    pub(super) annotation_selector: String,
}
