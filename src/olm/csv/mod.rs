//! The `ClusterServiceVersion` of a bundle: the base, completed from the manifests.
//!
//! Fields of the base are kept, also unknown ones.

mod descriptors;
mod examples;
mod images;
mod install;
mod owned;
mod permissions;
mod resources;
mod webhooks;

use serde_json::{Map, Value, json};

use crate::error::Result;
use crate::manifest::{KindMarkers, RulesOfKinds};
use crate::objects::Objects;
use crate::olm::kinds::CSV;

pub(super) use examples::others;
pub use images::Digests;
pub(super) use images::operator_image;
pub(super) use owned::without_crd;
pub(super) use permissions::Permissions;
pub(super) use webhooks::left_out as webhooks_left_out;

/// What a `ClusterServiceVersion` is made of.
pub(super) struct Sources<'a> {
    /// The name of the package.
    pub(super) package: &'a str,
    pub(super) version: &'a str,
    /// The base, which a person edits.
    pub(super) base: Map<String, Value>,
    /// The operator's manifests, with its image.
    pub(super) objects: &'a Objects,
    /// The same, with what its webhooks need of them.
    pub(super) all: &'a Objects,
    /// Samples of its kinds.
    pub(super) samples: &'a Objects,
    /// The oldest Kubernetes that it runs on.
    pub(super) kubernetes: &'a str,
    /// What the markers above the types say.
    pub(super) markers: &'a [KindMarkers],
    /// What each kind needs, as far as markers say so.
    pub(super) rules: &'a RulesOfKinds,
    /// Whether it works in its own namespace alone.
    pub(super) namespaced: bool,
}

impl Sources<'_> {
    /// The `ClusterServiceVersion`.
    ///
    /// # Errors
    /// The manifests have no Deployment of the operator.
    pub(super) fn csv(mut self, permissions: &Permissions) -> Result<Value> {
        let mut fields = std::mem::take(&mut self.base);
        fields.insert(
            "apiVersion".to_owned(),
            "operators.coreos.com/v1alpha1".into(),
        );
        fields.insert("kind".to_owned(), CSV.into());
        let metadata = object(&mut fields, "metadata");
        let name = format!("{}.v{}", self.package, self.version);
        metadata.insert("name".to_owned(), name.into());
        // Not a namespace of a cluster: the one that it is installed in takes its place.
        metadata.entry("namespace").or_insert("placeholder".into());
        self.annotate(object(metadata, "annotations"))?;
        let spec = object(&mut fields, "spec");
        self.specify(spec, permissions)?;
        Ok(fields.into())
    }

    fn annotate(&self, annotations: &mut Map<String, Value>) -> Result<()> {
        let examples = examples::text(self.samples, self.objects);
        annotations.insert("alm-examples".to_owned(), examples.into());
        let defaults = [
            ("capabilities", "Basic Install"),
            ("containerImage", images::operator_image(self.objects)?),
            (
                "operatorframework.io/suggested-namespace",
                self.objects.namespace()?,
            ),
        ];
        for (key, value) in defaults {
            annotations.entry(key).or_insert(value.into());
        }
        Ok(())
    }

    fn specify(&self, spec: &mut Map<String, Value>, permissions: &Permissions) -> Result<()> {
        let written = taken(spec, "customresourcedefinitions");
        let kinds = owned::definitions(written, self, permissions);
        spec.insert("customresourcedefinitions".to_owned(), kinds);
        let install = json!({
            "strategy": "deployment",
            "spec": {
                "clusterPermissions": permissions.in_cluster(),
                "deployments": install::deployments(self.objects),
                "permissions": permissions.in_namespace(),
            },
        });
        spec.insert("install".to_owned(), without_empty(install));
        spec.entry("installModes")
            .or_insert_with(|| modes(self.namespaced, self.objects));
        spec.entry("minKubeVersion")
            .or_insert(self.kubernetes.into());
        let given = taken(spec, "relatedImages");
        let images = images::related(given, self.objects)?;
        spec.insert("relatedImages".to_owned(), images);
        spec.insert("version".to_owned(), self.version.into());
        let webhooks = webhooks::definitions(self.all);
        if webhooks.is_empty() {
            spec.shift_remove("webhookdefinitions");
        } else {
            spec.insert("webhookdefinitions".to_owned(), webhooks.into());
        }
        Ok(())
    }
}

/// The value of a field, which keeps its place among the others.
fn taken(fields: &mut Map<String, Value>, name: &str) -> Value {
    fields.get_mut(name).map(Value::take).unwrap_or_default()
}

/// The object in a field, which is made if there is none.
fn object<'a>(fields: &'a mut Map<String, Value>, name: &str) -> &'a mut Map<String, Value> {
    let value = fields.entry(name).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("it was made")
}

/// Which namespaces the operator can watch. Conversion serves the whole cluster.
fn modes(namespaced: bool, objects: &Objects) -> Value {
    let converts = objects.iter().any(webhooks::is_converted);
    let modes = [
        ("OwnNamespace", namespaced),
        ("SingleNamespace", namespaced),
        ("MultiNamespace", false),
        ("AllNamespaces", !namespaced),
    ]
    .map(|(mode, supported)| {
        let supported = supported && (mode == "AllNamespaces" || !converts);
        json!({ "type": mode, "supported": supported })
    });
    Value::from(modes.to_vec())
}

/// An object without lists that are empty.
fn without_empty(mut value: Value) -> Value {
    if let Some(fields) = value["spec"].as_object_mut() {
        fields.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
    }
    value
}
