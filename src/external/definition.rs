//! One version of a kind, as its CRD has it.

use serde_json::{Map, Value, json};

use crate::error::{Code, Error, Result};

/// What a CRD is called.
pub(super) const CRD: &str = "CustomResourceDefinition";

/// The API that has CRDs, without its version.
pub(super) const API: &str = "apiextensions.k8s.io";

/// One version of a kind, as its CRD has it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The whole group.
    pub group: String,
    /// The kind, in `PascalCase`.
    pub kind: String,
    /// The resource in URLs.
    pub plural: String,
    /// The selected version.
    pub version: String,
    /// Whether objects live in a namespace.
    pub is_namespaced: bool,
    /// The CRD with all its versions, without what a cluster adds.
    pub manifest: Value,
    /// The names of the kind.
    pub(super) names: Value,
    /// What the CRD says of the version beside its schema.
    pub(super) settings: Map<String, Value>,
    pub(super) conversion: Value,
    pub(super) schema: Value,
}

/// A version of a kind, as its CRD lists it.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The selected version.
    pub name: &'a str,
    /// Whether the API server serves it.
    pub is_served: bool,
}

impl Definition {
    /// All versions of the CRD.
    pub fn versions(&self) -> impl Iterator<Item = Listed<'_>> {
        let versions = self.manifest["spec"]["versions"].as_array();
        versions.into_iter().flatten().map(|version| Listed {
            name: version["name"].as_str().unwrap_or_default(),
            is_served: version["served"] == true,
        })
    }

    /// The same kind in another version. `file` is what the CRD's file is called in messages.
    ///
    /// # Errors
    /// It has no such version.
    pub fn in_version(&self, version: &str, file: &str) -> Result<Self> {
        Self::of(&self.manifest, file, Some(version))
    }

    /// Takes a version of a CRD that is valid: the stored one if none is named.
    pub(super) fn of(crd: &Value, file: &str, version: Option<&str>) -> Result<Self> {
        let spec = &crd["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, kind) = (text(&spec["group"]), text(&spec["names"]["kind"]));
        let versions = spec["versions"].as_array().into_iter().flatten();
        let is_selected = |listed: &&Value| match version {
            Some(version) => listed["name"] == version,
            None => listed["storage"] == true,
        };
        let Some(found) = versions.clone().find(is_selected) else {
            let names: Vec<String> = versions.map(|listed| text(&listed["name"])).collect();
            let version = version.unwrap_or_default();
            return Err(Error::new(
                Code::UnknownVersion,
                format!("{group} {kind} has no version `{version}` in `{file}`"),
            )
            .hint(format!("use one of its versions: {}", names.join(", "))));
        };
        let mut settings = found.as_object().cloned().unwrap_or_default();
        settings.remove("schema");
        Ok(Self {
            plural: text(&spec["names"]["plural"]),
            version: text(&found["name"]),
            is_namespaced: spec["scope"] == "Namespaced",
            manifest: manifest(crd),
            names: spec["names"].clone(),
            settings,
            conversion: spec["conversion"].clone(),
            schema: found["schema"]["openAPIV3Schema"].clone(),
            group,
            kind,
        })
    }
}

/// A CRD without what a cluster adds to it.
fn manifest(crd: &Value) -> Value {
    let mut metadata = json!({ "name": crd["metadata"]["name"] });
    for key in ["annotations", "labels"] {
        let fields: Map<String, Value> = crd["metadata"][key]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| *name != "kubectl.kubernetes.io/last-applied-configuration")
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !fields.is_empty() {
            metadata[key] = fields.into();
        }
    }
    json!({
        "apiVersion": format!("{API}/v1"),
        "kind": CRD,
        "metadata": metadata,
        "spec": crd["spec"],
    })
}

pub(super) fn malformed(crd: &Value, file: &str, why: &str) -> Error {
    let name = crd["metadata"]["name"].as_str().unwrap_or("without a name");
    Error::new(
        Code::UnusableCrd,
        format!("invalid {CRD} {name} in `{file}`: {why}"),
    )
}
