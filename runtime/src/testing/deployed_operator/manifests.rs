//! The manifests of an operator: `config/default`, as kubectl renders it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::deployed::container_index;
use super::REVISION;
use super::cluster::DisposableCluster;

/// What the name of the Deployment ends with.
const MANAGER: &str = "-controller-manager";

/// The rendered manifests.
pub(super) struct Manifests {
    /// What names of objects start with, without its dash.
    pub(super) name: String,
    /// The namespace of the operator.
    pub(super) namespace: String,
    /// The namespaces that must exist before: of the operator, and of its roles.
    pub(super) namespaces: BTreeSet<String>,
    objects: Vec<Value>,
}

impl Manifests {
    /// Renders `config/default`.
    pub(super) fn render(cluster: &DisposableCluster) -> Self {
        let rendered = cluster
            .kubectl("kustomize config/default", "")
            .unwrap_or_else(|error| panic!("config/default: {error}"));
        let objects = serde_saphyr::from_multiple(&rendered);
        Self::of(objects.expect("kustomize renders YAML"))
    }

    fn of(objects: Vec<Value>) -> Self {
        let mut deployments = objects.iter().filter(|object| is_operator(object));
        let deployment = deployments.next().expect("a Deployment of the operator");
        let name = text(deployment, "name");
        let name = name.strip_suffix(MANAGER).unwrap_or(&name).to_owned();
        let namespace = text(deployment, "namespace");
        let namespaces = objects
            .iter()
            .map(|object| text(object, "namespace"))
            .filter(|namespace| !namespace.is_empty());
        Self {
            name,
            namespace,
            namespaces: namespaces.collect(),
            objects,
        }
    }

    /// The Deployment of the operator, for kubectl.
    pub(super) fn deployment(&self) -> String {
        format!("deployment/{}{MANAGER}", self.name)
    }

    /// The objects as JSON, with an image and with a revision of the pods.
    pub(super) fn with(&self, image: Option<&str>, revision: &str) -> String {
        let mut objects = self.objects.clone();
        for object in objects.iter_mut().filter(|object| is_operator(object)) {
            let container = container_index(object).expect("a container of the operator");
            let template = &mut object["spec"]["template"];
            template["metadata"]["annotations"][REVISION] = revision.into();
            if let Some(image) = image {
                template["spec"]["containers"][container]["image"] = image.into();
            }
        }
        list(objects)
    }

    /// The CRDs as JSON, if there are any.
    pub(super) fn crds(&self) -> Option<String> {
        let crds: Vec<_> = self.crd_objects().cloned().collect();
        (!crds.is_empty()).then(|| list(crds))
    }

    /// All that a removal deletes, as JSON: with the namespaces that were created.
    pub(super) fn all(&self, namespaces: &[String]) -> String {
        let objects = self.objects.iter().cloned();
        let namespaces = namespaces.iter().map(|name| namespace(name));
        let all = objects.chain(namespaces).chain([self.metrics_reader()]);
        list(all.collect())
    }

    /// Gives the tests access to the metrics, as JSON: a service account, and a binding.
    pub(super) fn metrics_access(&self) -> String {
        let account = json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": { "name": self.reader(), "namespace": self.namespace },
        });
        list(vec![account, self.metrics_reader()])
    }

    /// The name of the service account that reads metrics, and of its binding.
    pub(super) fn reader(&self) -> String {
        format!("{}-e2e-metrics", self.name)
    }

    fn metrics_reader(&self) -> Value {
        let rbac = "rbac.authorization.k8s.io";
        let role = format!("{}-metrics-reader", self.name);
        let subject =
            json!({ "kind": "ServiceAccount", "name": self.reader(), "namespace": self.namespace });
        json!({
            "apiVersion": format!("{rbac}/v1"),
            "kind": "ClusterRoleBinding",
            "metadata": { "name": self.reader() },
            "roleRef": { "apiGroup": rbac, "kind": "ClusterRole", "name": role },
            "subjects": [subject],
        })
    }

    /// Panics if the cluster has the namespace of the operator or one of its CRDs: it may be in use.
    pub(super) fn assert_absent(&self, cluster: &DisposableCluster) {
        let crds = self.crd_objects().cloned();
        let objects = list(crds.chain([namespace(&self.namespace)]).collect());
        let get = "get --ignore-not-found --output=name --filename=-";
        let found = cluster
            .kubectl(get, &objects)
            .unwrap_or_else(|error| panic!("the cluster cannot be reached: {error}"));
        assert!(
            found.is_empty(),
            "the cluster already has the operator or a part of it, and is not changed: use a new cluster\n{found}"
        );
    }

    fn crd_objects(&self) -> impl Iterator<Item = &Value> {
        let objects = self.objects.iter();
        objects.filter(|object| object["kind"] == "CustomResourceDefinition")
    }
}

/// Whether an object is the Deployment of the operator.
fn is_operator(object: &Value) -> bool {
    object["kind"] == "Deployment" && text(object, "name").ends_with(MANAGER)
}

fn text(object: &Value, field: &str) -> String {
    let text = object["metadata"][field].as_str();
    text.unwrap_or_default().to_owned()
}

fn namespace(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } })
}

fn list(items: Vec<Value>) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_that_of_the_operator() {
        let deployment = json!({
            "kind": "Deployment",
            "metadata": { "name": "app-controller-manager", "namespace": "app-system" },
            "spec": { "template": {
                "metadata": { "annotations": { "kubectl.kubernetes.io/default-container": "manager" } },
                "spec": { "containers": [
                    { "name": "proxy", "image": "proxy:1" },
                    { "name": "manager", "image": "app:latest" },
                ] },
            } },
        });
        let role = json!({ "kind": "Role", "metadata": { "name": "app", "namespace": "vault" } });
        let manifests = Manifests::of(vec![deployment, role]);
        assert_eq!(manifests.name, "app");
        assert_eq!(manifests.namespace, "app-system");
        let namespaces: Vec<_> = manifests.namespaces.iter().collect();
        assert_eq!(namespaces, ["app-system", "vault"]);

        let objects: Value = serde_json::from_str(&manifests.with(Some("app:e2e"), "2")).unwrap();
        let template = &objects["items"][0]["spec"]["template"];
        assert_eq!(template["metadata"]["annotations"][REVISION], "2");
        let containers = &template["spec"]["containers"];
        assert_eq!(containers[0]["image"], "proxy:1");
        assert_eq!(containers[1]["image"], "app:e2e");
    }
}
