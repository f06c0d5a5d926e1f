//! Replacements, as files have them.

use serde::Deserialize;

use super::target::Target;

/// A replacement, or a file with some.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum ListedReplacement {
    File(ReplacementFile),
    Inline(Box<Replacement>),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplacementFile {
    pub(super) path: String,
}

/// Fields of objects that get a value.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) source: Option<Origin>,
    pub(super) source_value: Option<String>,
    pub(super) targets: Vec<Fields>,
}

/// A field of one object.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Origin {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) namespace: String,
    /// The name, if it is empty.
    pub(super) field_path: String,
    pub(super) options: Options,
}

/// Fields of all objects that are selected and not rejected.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Fields {
    pub(super) select: Target,
    #[serde(default)]
    pub(super) reject: Vec<Target>,
    /// The name, if there are none.
    #[serde(default)]
    pub(super) field_paths: Vec<String>,
    #[serde(default)]
    pub(super) options: Options,
}

/// Which part of a text is meant, and whether a missing field is added.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    pub(super) delimiter: String,
    pub(super) index: i64,
    pub(super) create: bool,
}
