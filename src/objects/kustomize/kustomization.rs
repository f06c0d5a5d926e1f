//! A kustomization, as far as it is rendered here.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::generator::{Generator, GeneratorOptions};
use super::replacement::ListedReplacement;
use super::target::Target;

/// The file of a folder. A field that is not here takes kustomize.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Kustomization {
    api_version: String,
    kind: String,
    metadata: Value,
    pub(super) resources: Vec<String>,
    /// The former name of some resources.
    pub(super) bases: Vec<String>,
    pub(super) components: Vec<String>,
    pub(super) configurations: Vec<String>,
    pub(super) config_map_generator: Vec<Generator>,
    pub(super) secret_generator: Vec<Generator>,
    pub(super) generator_options: GeneratorOptions,
    /// A former name of patches: files or texts.
    pub(super) patches_strategic_merge: Vec<String>,
    pub(super) patches: Vec<Patch>,
    /// A former name of patches, which come later.
    #[serde(rename = "patchesJson6902")]
    pub(super) json_patches: Vec<Patch>,
    pub(super) namespace: Option<String>,
    pub(super) name_prefix: String,
    pub(super) name_suffix: String,
    pub(super) labels: Vec<Labels>,
    pub(super) common_labels: BTreeMap<String, String>,
    pub(super) common_annotations: BTreeMap<String, String>,
    pub(super) replicas: Vec<Replicas>,
    pub(super) images: Vec<Image>,
    pub(super) replacements: Vec<ListedReplacement>,
    pub(super) transformers: Vec<String>,
}

const GROUP: &str = "kustomize.config.k8s.io";

impl Default for Kustomization {
    fn default() -> Self {
        Self {
            api_version: String::new(),
            kind: "Kustomization".to_owned(),
            metadata: Value::Null,
            resources: Vec::new(),
            bases: Vec::new(),
            components: Vec::new(),
            configurations: Vec::new(),
            config_map_generator: Vec::new(),
            secret_generator: Vec::new(),
            generator_options: GeneratorOptions::default(),
            patches_strategic_merge: Vec::new(),
            patches: Vec::new(),
            json_patches: Vec::new(),
            namespace: None,
            name_prefix: String::new(),
            name_suffix: String::new(),
            labels: Vec::new(),
            common_labels: BTreeMap::new(),
            common_annotations: BTreeMap::new(),
            replicas: Vec::new(),
            images: Vec::new(),
            replacements: Vec::new(),
            transformers: Vec::new(),
        }
    }
}

impl Kustomization {
    /// Whether it is one that kustomize takes.
    pub(super) fn is_valid(&self) -> bool {
        let version = match &*self.kind {
            "Kustomization" => "v1beta1",
            "Component" => "v1alpha1",
            _ => return false,
        };
        self.api_version.is_empty() || self.api_version == format!("{GROUP}/{version}")
    }

    /// Whether it changes what another folder has.
    pub(super) fn is_component(&self) -> bool {
        self.kind == "Component"
    }

    /// Whether it only lists files and folders.
    pub(super) fn only_lists(&self) -> bool {
        let plain = Self {
            api_version: self.api_version.clone(),
            metadata: self.metadata.clone(),
            resources: self.resources.clone(),
            bases: self.bases.clone(),
            ..Self::default()
        };
        *self == plain
    }
}

/// A patch: of the object that it names, or of all that a target selects.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Patch {
    pub(super) path: Option<String>,
    #[serde(rename = "patch")]
    pub(super) text: Option<String>,
    pub(super) target: Option<Target>,
}

/// Labels for all objects.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Labels {
    pub(super) pairs: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) include_selectors: bool,
    #[serde(default)]
    pub(super) include_templates: bool,
}

/// The number of pods of a Deployment.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Replicas {
    pub(super) name: String,
    pub(super) count: i64,
}

/// Another name, tag or digest for an image.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) new_name: Option<String>,
    pub(super) new_tag: Option<String>,
    pub(super) digest: Option<String>,
}
