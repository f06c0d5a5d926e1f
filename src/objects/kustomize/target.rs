//! What a patch or a replacement is for, as files say it.

use serde::Deserialize;

/// What only a regular expression has, except for the dot, which names have too.
const SYNTAX: [char; 12] = ['*', '+', '?', '|', '(', ')', '[', ']', '{', '}', '\\', '^'];

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

impl Target {
    /// Whether its parts are plain names: releases of kustomize differ in whether those of replacements may be more.
    pub(super) fn is_plain(&self) -> bool {
        let parts = [
            &self.group,
            &self.version,
            &self.kind,
            &self.name,
            &self.namespace,
        ];
        !parts.iter().any(|part| part.contains(SYNTAX))
    }
}
