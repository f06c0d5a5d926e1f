use std::path::Path;

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::yaml;

use super::object::ObjectId;
use super::{Kubectl, object};

/// The label that the operator's Deployment is known by.
const MANAGER: (&str, &str) = ("control-plane", "controller-manager");

/// The annotation that names the container that people mean.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// Manifests, in the order in which they are applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects(Vec<Value>);

impl Objects {
    /// What kustomize makes of a folder.
    ///
    /// # Errors
    /// It cannot render the folder.
    pub fn render(kubectl: &Kubectl, folder: &Path) -> Result<Self> {
        Self::parse(&kubectl.kustomize(folder)?)
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
            let object: Option<Value> =
                yaml::from_str(&document).context(|| "a manifest is no YAML")?;
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

    /// Those that `wanted` picks.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&Value) -> bool) -> Self {
        Self(
            self.0
                .iter()
                .filter(|object| wanted(object))
                .cloned()
                .collect(),
        )
    }

    /// The CRDs.
    #[must_use]
    pub fn crds(&self) -> Self {
        self.only(is_crd)
    }

    /// All but the CRDs.
    #[must_use]
    pub fn without_crds(&self) -> Self {
        self.only(|object| !is_crd(object))
    }

    /// As kubectl reads them.
    pub(super) fn to_list(&self) -> String {
        object::list(self.iter())
    }

    /// The Deployments of the operator.
    pub fn deployments(&self) -> impl Iterator<Item = &Value> {
        self.iter().filter(|object| is_manager(object))
    }

    /// Lets the operator run from an image.
    ///
    /// # Errors
    /// There is no Deployment of the operator, or one whose container cannot be told.
    pub fn set_image(&mut self, image: &str) -> Result<()> {
        let mut found = false;
        for deployment in self.0.iter_mut().filter(|object| is_manager(object)) {
            let id = ObjectId::of(deployment);
            let container = manager_container(deployment).ok_or_else(|| {
                Error::new(format!("which container of the {id} is the operator?")).hint(format!(
                    "name it in the pod's annotation `{DEFAULT_CONTAINER}`"
                ))
            })?;
            container["image"] = image.into();
            found = true;
        }
        match found {
            true => Ok(()),
            false => Err(no_deployment()),
        }
    }

    /// The namespace that the operator runs in.
    ///
    /// # Errors
    /// There is no Deployment of the operator, or it is in no namespace.
    pub fn namespace(&self) -> Result<&str> {
        let deployment = self.deployments().next().ok_or_else(no_deployment)?;
        deployment["metadata"]["namespace"].as_str().ok_or_else(|| {
            Error::new(format!(
                "the {} is in no namespace",
                ObjectId::of(deployment)
            ))
            .hint("name one with `namespace:` in config/default/kustomization.yaml")
        })
    }

    /// Puts everything that is in the operator's namespace into another.
    ///
    /// # Errors
    /// As [`Self::namespace`].
    pub fn set_namespace(&mut self, namespace: &str) -> Result<()> {
        let old = self.namespace()?.to_owned();
        for object in &mut self.0 {
            if object["kind"] == "Namespace" && object["metadata"]["name"] == *old {
                object["metadata"]["name"] = namespace.into();
            }
            move_references(object, &old, namespace);
        }
        Ok(())
    }
}

fn no_deployment() -> Error {
    let (key, value) = MANAGER;
    Error::new("config/default has no Deployment of the operator")
        .hint(format!("it is known by the label `{key}: {value}`"))
}

/// Whether the object is a CRD.
pub(super) fn is_crd(object: &Value) -> bool {
    object["kind"] == "CustomResourceDefinition"
}

fn is_manager(object: &Value) -> bool {
    let (key, value) = MANAGER;
    object["kind"] == "Deployment" && object["metadata"]["labels"][key] == value
}

/// The container that the pod names, or the only one.
fn manager_container(deployment: &mut Value) -> Option<&mut Value> {
    let template = &mut deployment["spec"]["template"];
    let name = template["metadata"]["annotations"][DEFAULT_CONTAINER].clone();
    let containers = template["spec"]["containers"].as_array_mut()?;
    match (&name, &mut containers[..]) {
        (Value::Null, [only]) => Some(only),
        (name, containers) => containers.iter_mut().find(|c| c["name"] == *name),
    }
}

/// Sets each field `namespace` that names the old one: that of the object, of a binding's subjects,
/// of the Service that a webhook calls.
fn move_references(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "namespace" && text == old => {
                        new.clone_into(text);
                    }
                    value => move_references(value, old, new),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                move_references(item, old, new);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
apiVersion: v1
kind: Namespace
metadata:
  name: a-system
---
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    control-plane: controller-manager
  name: a
  namespace: a-system
spec:
  template:
    metadata:
      annotations:
        kubectl.kubernetes.io/default-container: manager
    spec:
      containers:
      - image: other:1
        name: proxy
      - image: a:latest
        name: manager
---
kind: RoleBinding
metadata:
  name: b
  namespace: a-system
subjects:
- kind: ServiceAccount
  name: a
  namespace: a-system
- kind: ServiceAccount
  name: x
  namespace: other
";

    fn objects() -> Objects {
        Objects::parse(TEXT).expect("YAML")
    }

    #[test]
    fn reads_what_it_writes() {
        let objects = objects();
        assert_eq!(objects.0.len(), 3);
        let text = objects.to_yaml().expect("YAML");
        assert_eq!(Objects::parse(&text).expect("YAML"), objects);
        assert_eq!(
            Objects::parse("---\n---\n# nothing\n").expect("YAML"),
            Objects::default()
        );
    }

    #[test]
    fn sets_the_image_of_the_operator_alone() {
        let mut objects = objects();
        objects.set_image("b:1").expect("an image");
        let expected = TEXT.replace("a:latest", "b:1");
        assert_eq!(objects, Objects::parse(&expected).expect("YAML"));
    }

    #[test]
    fn says_where_the_operator_is_not_found() {
        for text in [
            TEXT.replace("controller-manager", "else"),
            TEXT.replace("name: manager", "name: other"),
            TEXT.replace("kubectl.kubernetes.io/default-container", "x"),
        ] {
            let mut objects = Objects::parse(&text).expect("YAML");
            let error = objects.set_image("b:1").expect_err(&text);
            assert!(!error.hints().is_empty());
        }
    }

    #[test]
    fn moves_what_is_in_its_namespace() {
        let mut objects = objects();
        objects.set_namespace("new").expect("a namespace");
        let expected = TEXT.replace("a-system", "new");
        assert_eq!(objects, Objects::parse(&expected).expect("YAML"));
        assert_eq!(objects.namespace().expect("a namespace"), "new");
    }
}
