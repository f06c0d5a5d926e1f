//! The objects of tests in a cluster, as operator-sdk creates them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::test::Test;

/// The container whose log has the results.
pub(crate) const CONTAINER: &str = "scorecard-test";

/// The image that unpacks the bundle: that of operator-sdk v1.42.3.
pub(crate) const DEFAULT_UNTAR_IMAGE: &str = "quay.io/operator-framework/scorecard-untar@sha256:\
    2e728c5e67a7f4dec0df157a322dd5671212e8ae60f69137463bd4fdfbff8747";

/// What the pods of a run have in common.
#[derive(Clone, Debug)]
pub(crate) struct Pods<'a> {
    pub(crate) namespace: &'a str,
    /// The name of the run and of its `ConfigMap`.
    pub(crate) run: &'a str,
    pub(crate) service_account: &'a str,
    pub(crate) untar_image: &'a str,
    /// Whether they follow the Pod Security Standard "restricted".
    pub(crate) is_restricted: bool,
}

impl Pods<'_> {
    /// The `ConfigMap` with the packed bundle.
    pub(crate) fn config_map(&self, archive: &[u8]) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": self.metadata(self.run),
            "binaryData": { "bundle.tar.gz": STANDARD.encode(archive) },
        })
    }

    fn metadata(&self, name: &str) -> Value {
        json!({
            "name": name,
            "namespace": self.namespace,
            "labels": { "app": "scorecard-test", "testrun": self.run },
        })
    }

    /// The pod of a test: the `number` is its place in the run.
    pub(crate) fn pod(&self, test: &Test, number: usize) -> Value {
        let namespace = json!({ "fieldRef": { "fieldPath": "metadata.namespace" } });
        let mut container = json!({
            "name": CONTAINER,
            "image": test.image,
            "imagePullPolicy": "IfNotPresent",
            "command": test.entrypoint,
            "env": [{ "name": "SCORECARD_NAMESPACE", "valueFrom": namespace }],
            "volumeMounts": [{ "name": "scorecard-untar", "mountPath": "/bundle", "readOnly": true }],
        });
        let untar = json!({
            "name": "scorecard-untar",
            "image": self.untar_image,
            "imagePullPolicy": "IfNotPresent",
            "args": ["tar", "xvzf", "/scorecard/bundle.tar.gz", "-C", "/scorecard-bundle"],
            "volumeMounts": [
                { "name": "scorecard-bundle", "mountPath": "/scorecard", "readOnly": true },
                { "name": "scorecard-untar", "mountPath": "/scorecard-bundle" },
            ],
        });
        let mut volumes = json!([
            { "name": "scorecard-bundle", "configMap": { "name": self.run } },
            { "name": "scorecard-untar", "emptyDir": {} },
        ]);
        if !test.mount_path.is_empty() {
            push(
                &mut volumes,
                json!({ "name": "scorecard-storage", "emptyDir": {} }),
            );
            let mount = json!({ "name": "scorecard-storage", "mountPath": test.mount_path });
            push(&mut container["volumeMounts"], mount);
            let variable = json!({ "name": "SCORECARD_STORAGE", "value": test.mount_path });
            push(&mut container["env"], variable);
        }
        let mut pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": self.metadata(&format!("{}-{number}", self.run)),
            "spec": {
                "serviceAccountName": self.service_account,
                "restartPolicy": "Never",
                "initContainers": [untar],
                "containers": [container],
                "volumes": volumes,
            },
        });
        if self.is_restricted {
            restrict(&mut pod["spec"]);
        }
        pod
    }
}

fn push(list: &mut Value, item: Value) {
    if let Some(list) = list.as_array_mut() {
        list.push(item);
    }
}

fn restrict(spec: &mut Value) {
    spec["securityContext"] =
        json!({ "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" } });
    for list in ["initContainers", "containers"] {
        spec[list][0]["securityContext"] = json!({
            "runAsNonRoot": true,
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"] },
        });
    }
}
