//! A kustomization, as far as it is rendered here.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The file of a folder. A field that is not here takes kustomize.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Kustomization {
    api_version: String,
    kind: String,
    pub(super) resources: Vec<String>,
    pub(super) components: Vec<String>,
    pub(super) configurations: Vec<String>,
    pub(super) patches: Vec<Patch>,
    pub(super) namespace: Option<String>,
    pub(super) name_prefix: String,
    pub(super) name_suffix: String,
    pub(super) labels: Vec<Labels>,
    pub(super) images: Vec<Image>,
}

const GROUP: &str = "kustomize.config.k8s.io";

impl Default for Kustomization {
    fn default() -> Self {
        Self {
            api_version: format!("{GROUP}/v1beta1"),
            kind: "Kustomization".to_owned(),
            resources: Vec::new(),
            components: Vec::new(),
            configurations: Vec::new(),
            patches: Vec::new(),
            namespace: None,
            name_prefix: String::new(),
            name_suffix: String::new(),
            labels: Vec::new(),
            images: Vec::new(),
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
        self.api_version == format!("{GROUP}/{version}")
    }

    /// Whether it changes what another folder has.
    pub(super) fn is_component(&self) -> bool {
        self.kind == "Component"
    }
}

/// A patch: of the object that it names, or of all that a target selects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Patch {
    pub(super) path: Option<String>,
    #[serde(rename = "patch")]
    pub(super) text: Option<String>,
    pub(super) target: Option<Target>,
}

/// Objects: each part is a regular expression, or says nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Target {
    pub(super) group: Option<String>,
    pub(super) version: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
}

/// Labels for all objects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Labels {
    pub(super) pairs: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) include_selectors: bool,
    #[serde(default)]
    pub(super) include_templates: bool,
}

/// Another name, tag or digest for an image.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) new_name: Option<String>,
    pub(super) new_tag: Option<String>,
    pub(super) digest: Option<String>,
}
