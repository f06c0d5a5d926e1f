//! Manifests as objects: rendered as kustomize does it, with the image and the namespace of the operator set. No
//! cluster takes part.

mod address;
mod copy;
mod id;
mod kustomize;
mod manager;
mod offline;

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Context, Error, Result};
use crate::kubectl::Kubectl;
use crate::yaml;

use kustomize::Unrendered;
pub(crate) use kustomize::{FILE_NAMES as KUSTOMIZATION_NAMES, Parsed};

pub use id::ObjectId;
pub(crate) use id::{find, name};
pub(crate) use manager::unknown_container;

/// Manifests, in the order in which they are applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects(Vec<Value>);

impl Objects {
    /// Renders a folder of a project as kustomize does. Only if it has fields that rop does not render, `kubectl` is
    /// called with them as the reason, and gives the kubectl that renders the folder.
    ///
    /// # Errors
    /// There is no kubectl, it cannot render the folder, or that would take a download or another program.
    pub fn render<K: Borrow<Kubectl>>(
        view: &View,
        folder: &str,
        kubectl: impl FnOnce(&str) -> Result<K>,
    ) -> Result<Self> {
        let mut objects = match kustomize::render(view, folder, &Parsed::default()) {
            Ok(objects) => Self(objects),
            Err(Unrendered::Refused(error)) => return Err(error),
            Err(Unrendered::Unknown(place)) => {
                let reason = format!("`{folder}` needs kubectl: rop does not render {place}");
                offline::check(view, folder)?;
                let path = view.root().join(folder);
                let kubectl = kubectl(&reason).map_err(|error| error.context(reason))?;
                Self::parse(&kubectl.borrow().kustomize(&path)?)?
            }
        };
        for policy in objects.0.iter_mut().filter(|object| is_policy(object)) {
            // kustomize takes what it does not know for something in the namespace.
            if let Some(metadata) = policy["metadata"].as_object_mut() {
                metadata.remove("namespace");
            }
        }
        Ok(objects)
    }

    /// The same of a project that need not be on disk: kubectl renders a copy of the manifests in `config/`.
    ///
    /// # Errors
    /// As [`Self::render`].
    pub fn render_copy<K: Borrow<Kubectl>>(
        view: &View,
        folder: &str,
        kubectl: impl FnOnce(&str) -> Result<K>,
    ) -> Result<Self> {
        let copy = copy::of(view, folder)?;
        let root = format!("{}/", copy.view.root().display());
        Self::render(&copy.view, folder, kubectl).map_err(|error| {
            let chain: Vec<_> = error.chain().map(|part| part.replace(&root, "")).collect();
            let new = Error::new(error.code(), chain.join(": "));
            error.hints().iter().fold(new, Error::hint)
        })
    }

    /// Whether a folder of a project has a kustomization.
    pub fn can_render(view: &View, folder: &str) -> bool {
        let mut paths = KUSTOMIZATION_NAMES
            .iter()
            .map(|name| format!("{folder}/{name}"));
        paths.any(|path| view.is_file(&path))
    }

    /// What kustomize makes of a folder of a project, without kustomize.
    ///
    /// # Errors
    /// The folder says more than is known here, or is refused: the error is where, or why.
    pub fn in_memory(view: &View, folder: &str) -> Result<Self, String> {
        Self::in_memory_with(view, folder, &Parsed::default())
    }

    /// The same, without parsing again what is in `parsed`.
    ///
    /// # Errors
    /// As [`Self::in_memory`].
    pub(crate) fn in_memory_with(
        view: &View,
        folder: &str,
        parsed: &Parsed,
    ) -> Result<Self, String> {
        kustomize::render(view, folder, parsed)
            .map(Self)
            .map_err(Unrendered::into_reason)
    }

    /// Reads YAML documents.
    ///
    /// # Errors
    /// One of them is no YAML.
    pub fn parse(text: &str) -> Result<Self> {
        let mut objects = Vec::new();
        let mut document = String::new();
        for line in text.lines().chain(["---"]) {
            if line.trim_end() != "---" {
                document.push_str(line);
                document.push('\n');
                continue;
            }
            let object: Option<Value> = yaml::from_str(&document)
                .context(Code::MalformedFile, || "invalid YAML in a manifest")?;
            objects.extend(object.filter(Value::is_object));
            document.clear();
        }
        Ok(Self(objects))
    }

    /// YAML documents: the same objects always give the same text.
    ///
    /// # Errors
    /// As the library says.
    pub fn to_yaml(&self) -> Result<String> {
        let documents = self.0.iter().map(yaml::to_string);
        Ok(documents.collect::<Result<Vec<_>>>()?.join("---\n"))
    }

    /// The objects.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The selected objects.
    #[must_use]
    pub fn only(&self, is_selected: impl Fn(&Value) -> bool) -> Self {
        Self(
            self.0
                .iter()
                .filter(|object| is_selected(object))
                .cloned()
                .collect(),
        )
    }

    /// Changes each object.
    pub fn change(&mut self, change: impl FnMut(&mut Value)) {
        self.0.iter_mut().for_each(change);
    }

    /// Whether a CRD among them defines the kind of an object.
    pub fn define(&self, object: &Value) -> bool {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        self.iter().filter(|object| is_crd(object)).any(|crd| {
            let spec = &crd["spec"];
            let versions = spec["versions"].as_array();
            spec["group"] == group
                && spec["names"]["kind"] == object["kind"]
                && versions
                    .into_iter()
                    .flatten()
                    .any(|served| served["name"] == version)
        })
    }

    /// Returns only the CRDs.
    #[must_use]
    pub fn crds(&self) -> Self {
        self.only(is_crd)
    }

    /// All but the CRDs.
    #[must_use]
    pub fn without_crds(&self) -> Self {
        self.only(|object| !is_crd(object))
    }

    /// The namespaces that the objects are in and that none of them makes, as objects.
    #[must_use]
    pub fn given_namespaces(&self) -> Self {
        let created: BTreeSet<&str> = self
            .iter()
            .filter(|object| object["kind"] == "Namespace")
            .filter_map(|object| object["metadata"]["name"].as_str())
            .collect();
        let named: BTreeSet<&str> = self
            .iter()
            .filter_map(|object| object["metadata"]["namespace"].as_str())
            .collect();
        let namespace =
            |name| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        Self(named.difference(&created).map(namespace).collect())
    }

    /// As kubectl reads them.
    pub(crate) fn to_list(&self) -> String {
        list(self.iter())
    }
}

impl FromIterator<Value> for Objects {
    fn from_iter<I: IntoIterator<Item = Value>>(objects: I) -> Self {
        Self(objects.into_iter().collect())
    }
}

/// Objects as kubectl reads them.
pub(crate) fn list<'a>(objects: impl IntoIterator<Item = &'a Value>) -> String {
    let items: Vec<&Value> = objects.into_iter().collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// Whether the object is a CRD.
pub(crate) fn is_crd(object: &Value) -> bool {
    object["kind"] == "CustomResourceDefinition"
}

/// Whether the object is an admission policy, or puts one into effect.
pub(crate) fn is_policy(object: &Value) -> bool {
    let kind = object["kind"].as_str().unwrap_or_default();
    let kind = kind.strip_suffix("Binding").unwrap_or(kind);
    kind == "MutatingAdmissionPolicy" || kind == "ValidatingAdmissionPolicy"
}

/// Whether the object has the API server ask somebody before it writes.
pub(crate) fn is_webhook_configuration(object: &Value) -> bool {
    let kind = object["kind"].as_str().unwrap_or_default();
    kind.ends_with("WebhookConfiguration")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let text = "kind: A\n---\nkind: B\nmetadata:\n  name: \"on\"\n";
        let objects = Objects::parse(text).expect("YAML");
        assert_eq!(objects.0.len(), 2);
        assert_eq!(objects.to_yaml().expect("YAML"), text);
        let nothing = Objects::parse("---\n---\n# nothing\n").expect("YAML");
        assert!(nothing.is_empty());
    }
}
