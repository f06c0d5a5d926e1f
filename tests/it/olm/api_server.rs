//! What a real API server says of bundles, with OLM's own CRDs.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::generated::{csv, with_everything};
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::tools::go_module;

/// The module that has OLM's CRDs.
pub(super) const OLM: &str = "github.com/operator-framework/api@v0.34.0";

/// A control plane that serves OLM's kinds.
pub(crate) fn with_olm() -> Option<ControlPlane> {
    let crds = go_module(OLM)?.join("crds");
    Some(install(ControlPlane::new()?, &crds))
}

/// The same with kube-controller-manager.
pub(super) fn with_olm_and_controllers() -> Option<ControlPlane> {
    let crds = go_module(OLM)?.join("crds");
    let plane = ControlPlane::with_controllers()?;
    plane.has_controllers().then(|| install(plane, &crds))
}

fn install(plane: ControlPlane, crds: &Path) -> ControlPlane {
    for entry in fs::read_dir(crds).expect("CRDs") {
        let path = entry.expect("a file").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let applied = plane.apply(&fs::read_to_string(&path).expect("a CRD"));
            assert!(
                applied.status.success(),
                "{}",
                String::from_utf8_lossy(&applied.stderr)
            );
        }
    }
    plane.wait_for_crds();
    plane
}

#[test]
fn takes_all_of_a_bundle() {
    let Some(plane) = with_olm() else {
        return;
    };
    let namespaced = World::new();
    namespaced
        .rop("init --domain example.com --namespaced --api app/AppService")
        .ok();
    for (index, world) in [with_everything(), namespaced].into_iter().enumerate() {
        world.rop("bundle --image example.com/app:v1").ok();
        let namespace = format!("olm-{index}");
        plane.kubectl_ok(&["create", "namespace", &namespace]);
        let mut csv = csv(&world);
        csv["metadata"]["namespace"] = json!(namespace);
        let deployments = csv["spec"]["install"]["spec"]["deployments"].clone();
        let examples = csv["metadata"]["annotations"]["alm-examples"].clone();
        accepts(&plane, &namespace, &csv.to_string());
        for described in deployments.as_array().expect("deployments") {
            let deployment = json!({
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": described["name"], "labels": described["label"]},
                "spec": described["spec"],
            });
            accepts(&plane, &namespace, &deployment.to_string());
        }
        let files = world.tree();
        let manifests = files
            .iter()
            .filter(|(path, _)| path.starts_with("bundle/manifests/"));
        for (path, text) in manifests.filter(|(path, _)| !path.contains("clusterserviceversion")) {
            let object: Value = serde_yaml::from_str(text).expect(path);
            accepts(&plane, &namespace, &object.to_string());
        }
        plane.wait_for_crds();
        let examples: Vec<Value> =
            serde_json::from_str(examples.as_str().expect("a text")).expect("JSON");
        for example in examples
            .iter()
            .filter(|example| example["apiVersion"] == "app.example.com/v1alpha1")
        {
            accepts(&plane, &namespace, &example.to_string());
        }
        plane.kubectl_ok(&["delete", "crd", "appservices.app.example.com"]);
    }
}

/// Applies an object. Fields that the API server does not know are errors.
#[track_caller]
fn accepts(plane: &ControlPlane, namespace: &str, object: &str) {
    let path = plane.dir().join("object.json");
    fs::write(&path, object).expect("a file");
    let path = path.to_string_lossy();
    let apply = ["apply", "--server-side", "--validate=strict"];
    let arguments = [&apply[..], &["--namespace", namespace, "-f", &path]].concat();
    let output = plane.kubectl(&arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}\n{object:.2000}");
}
