//! The operator among the manifests: its image and its namespace.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::manager::{DEFAULT_CONTAINER, LABEL, container_index, is_manager};

use super::{ObjectId, Objects};

/// The label that the API server gives to each namespace.
const NAME_OF_NAMESPACE: &str = "kubernetes.io/metadata.name";

impl Objects {
    /// The Deployments of the operator.
    pub fn deployments(&self) -> impl Iterator<Item = &Value> {
        self.iter().filter(|object| is_manager(object))
    }

    /// The image that the operator runs from.
    pub fn image(&self) -> Option<&str> {
        self.deployments().find_map(|deployment| {
            let index = container_index(deployment)?;
            deployment["spec"]["template"]["spec"]["containers"][index]["image"].as_str()
        })
    }

    /// Lets the operator run from an image.
    ///
    /// # Errors
    /// There is no Deployment of the operator, or one whose container cannot be told.
    pub fn set_image(&mut self, image: &str) -> Result<()> {
        let mut found = false;
        for deployment in self.0.iter_mut().filter(|object| is_manager(object)) {
            let index = container_index(deployment).ok_or_else(|| {
                unknown_container(&ObjectId::of(deployment).to_string(), deployment)
            })?;
            deployment["spec"]["template"]["spec"]["containers"][index]["image"] = image.into();
            found = true;
        }
        if found { Ok(()) } else { Err(no_deployment()) }
    }

    /// Checks that each container of the operator has an image: a patch that names a container which
    /// does not exist adds one without.
    ///
    /// # Errors
    /// A container has none.
    pub fn check_containers(&self) -> Result<()> {
        for deployment in self.deployments() {
            let mut containers = deployment["spec"]["template"]["spec"]["containers"]
                .as_array()
                .into_iter()
                .flatten();
            if let Some(container) = containers.find(|container| container["image"].is_null()) {
                let (id, name) = (ObjectId::of(deployment), &container["name"]);
                let name = name.as_str().unwrap_or_default();
                return Err(Error::new(
                    Code::NoOperatorDeployment,
                    format!("container `{name}` of {id} has no image"),
                )
                .hint(format!(
                    "a patch in `config/` may refer to a container that does not exist: \
                    use the container name in config/manager/manager.yaml, set in the pod's \
                    annotation `{DEFAULT_CONTAINER}`, and run `rop generate manifests`"
                )));
            }
        }
        Ok(())
    }

    /// The namespace that the operator runs in.
    ///
    /// # Errors
    /// There is no Deployment of the operator, or it is in no namespace.
    pub fn namespace(&self) -> Result<&str> {
        let deployment = self.deployments().next().ok_or_else(no_deployment)?;
        deployment["metadata"]["namespace"].as_str().ok_or_else(|| {
            Error::new(
                Code::NoOperatorDeployment,
                format!("{} has no namespace", ObjectId::of(deployment)),
            )
            .hint("set `namespace:` in config/default/kustomization.yaml")
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
        }
        self.move_references(&old, namespace);
        Ok(())
    }

    /// Sets each reference to a namespace.
    pub(crate) fn move_references(&mut self, old: &str, new: &str) {
        self.change(|object| move_references(object, old, new));
    }
}

/// The error if none of a Deployment's containers is known to be the operator.
pub(crate) fn unknown_container(id: &str, deployment: &Value) -> Error {
    let template = &deployment["spec"]["template"];
    let containers = template["spec"]["containers"].as_array().into_iter();
    let names: Vec<_> = containers
        .flatten()
        .filter_map(|container| container["name"].as_str())
        .map(|name| format!("`{}`", name.escape_debug()))
        .collect();
    let names = match &names[..] {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let message = format!(
        "cannot tell which container of {id} is the operator: it has {names}, and the pod's annotation \
         `{DEFAULT_CONTAINER}` names none of them"
    );
    Error::new(Code::NoOperatorDeployment, message).hint(format!(
        "set the container in the pod's annotation `{DEFAULT_CONTAINER}`, in `config/manager/manager.yaml`"
    ))
}

fn no_deployment() -> Error {
    let (key, value) = LABEL;
    Error::new(
        Code::NoOperatorDeployment,
        "config/default has no Deployment of the operator",
    )
    .hint(format!("label the Deployment with `{key}: {value}`"))
}

/// Sets each field `namespace` that names the old one: that of the object, of a binding's subjects,
/// of the Service that a webhook calls. A selector of namespaces names them too.
fn move_references(value: &mut Value, old: &str, new: &str) {
    match value {
        Value::Object(fields) => {
            if fields
                .get("key")
                .is_some_and(|key| key == NAME_OF_NAMESPACE)
            {
                let mut values = fields
                    .get_mut("values")
                    .and_then(Value::as_array_mut)
                    .into_iter()
                    .flatten();
                if let Some(value) = values.find(|value| *value == old) {
                    *value = new.into();
                }
            }
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
---
kind: ValidatingWebhookConfiguration
metadata:
  name: c
webhooks:
- clientConfig:
    service:
      name: c
      namespace: a-system
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values:
      - a-system
      - kube-system
";

    fn objects() -> Objects {
        Objects::parse(TEXT).expect("YAML")
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
