//! Generators, as a kustomization has them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// An object to create.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Generator {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    behavior: Option<Behavior>,
    #[serde(default)]
    pub(super) literals: Vec<String>,
    #[serde(default)]
    pub(super) files: Vec<String>,
    #[serde(default)]
    pub(super) envs: Vec<String>,
    pub(super) env: Option<String>,
    #[serde(default)]
    pub(super) options: GeneratorOptions,
    /// The type of a Secret.
    pub(super) r#type: Option<String>,
}

/// Changes to a generated object take kustomize.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Behavior {
    Create,
}

/// Options of a generator, or of all generators of a folder.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct GeneratorOptions {
    pub(super) labels: BTreeMap<String, String>,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) disable_name_suffix_hash: bool,
    pub(super) immutable: bool,
}
