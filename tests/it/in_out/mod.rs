//! Into a cluster and out of it, against a real API server: `install`, `deploy`, `run` and the ways
//! back.

mod data;
mod failures;
mod installer;
mod makefile;
mod namespace;
mod policies;
mod production;
mod refused;
mod rollout;
mod run;
mod working;

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::shared::Shared;
use crate::support::{Outcome, World, kubectl};

const NAMESPACE: &str = "app-operator-system";
const DEPLOYMENT: &str =
    "/apis/apps/v1/namespaces/app-operator-system/deployments/app-operator-controller-manager";
const CRD: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/appservices.app.example.com";
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const OBJECTS: &str = "/apis/app.example.com/v1alpha1/namespaces/default/appservices";

/// The file of the CRD in a project.
const CRD_FILE: &str = "config/crd/bases/app.example.com_appservices.yaml";

/// A control plane that one test has at a time.
struct Cluster {
    plane: Arc<ControlPlane>,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Cluster {
    type Target = ControlPlane;

    fn deref(&self) -> &ControlPlane {
        &self.plane
    }
}

/// The cluster of all tests that bring it CRDs and nothing else. Each finds it without any.
fn cluster() -> Option<Cluster> {
    static PLANE: Shared<ControlPlane> = Shared::new();
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let plane = PLANE.get(ControlPlane::new)?;
    plane.api().delete(CRDS);
    eventually("the end of all CRDs", Duration::from_mins(1), || {
        (plane.api().get(CRDS)["items"] == json!([])).then_some(())
    });
    Some(Cluster { plane, _turn: turn })
}

/// rop in the project of `world`, about to work on a cluster.
pub(crate) fn command(world: &World, kubeconfig: &Path, arguments: &str) -> Command {
    let mut command = world.command(".");
    command
        .args(arguments.split_whitespace())
        .env("KUBECONFIG", kubeconfig);
    if let Some(kubectl) = kubectl() {
        command.env("KUBECTL", kubectl);
    }
    command
}

/// Runs rop in the project of `world`, as the administrator of a cluster.
#[must_use = "look at how the command ended"]
pub(crate) fn rop(world: &World, plane: &ControlPlane, arguments: &str) -> Outcome {
    world.run(&mut command(world, plane.kubeconfig(), arguments))
}

/// The same as whom a kubeconfig names.
#[must_use = "look at how the command ended"]
pub(crate) fn rop_as(world: &World, kubeconfig: &Path, arguments: &str) -> Outcome {
    world.run(&mut command(world, kubeconfig, arguments))
}

/// An object of the kind that projects have here.
fn create(plane: &ControlPlane, name: &str, finalizers: &[&str]) {
    plane.api().create(
        OBJECTS,
        &json!({
            "apiVersion": "app.example.com/v1alpha1", "kind": "AppService",
            "metadata": {"name": name, "finalizers": finalizers},
            "spec": {"image": "nginx", "replicas": 1},
        }),
    );
}

/// The image in the operator's Deployment.
fn image(plane: &ControlPlane) -> Value {
    plane.api().get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]["image"].clone()
}

/// A kubectl that does something else for one command, and for all others what the real one does.
/// `{}` in the script is the real one.
pub(crate) fn fake_kubectl(world: &World, script: &str) -> PathBuf {
    let real = kubectl().expect("a kubectl");
    let text = world.path().join("../home/text");
    let path = world.path().join("../home/kubectl");
    let script = script.replace("{}", &real.to_string_lossy());
    std::fs::write(&text, format!("#!/bin/sh\n{script}\n")).expect("a script");
    // A script that this process had written itself could still be open in a child of another test.
    let install = Command::new("install")
        .args([OsStr::new("-m"), OsStr::new("755")])
        .args([&text, &path])
        .status();
    assert!(install.expect("install runs").success());
    path
}
