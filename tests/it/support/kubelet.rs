//! A kubelet's part: the status of pods, which no node takes here, and the operator that is in one.
//! Kubernetes' own controllers count those that are ready.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};

use super::control_plane::{Api, ControlPlane};

/// A pod that is ready.
pub(crate) fn ready() -> Value {
    json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
}

/// A pod whose container `manager` waits.
pub(crate) fn waiting(reason: &str, message: &str, restarts: u32) -> Value {
    json!({"phase": "Pending", "containerStatuses": [{
        "name": "manager", "image": "i", "imageID": "", "ready": false, "started": false,
        "restartCount": restarts, "state": {"waiting": {"reason": reason, "message": message}},
    }]})
}

/// Does something while the pods of a namespace are ready.
pub(crate) fn while_pods_run<T>(
    plane: &ControlPlane,
    namespace: &str,
    work: impl FnOnce() -> T,
) -> T {
    while_pods_are(&ready(), plane, namespace, work)
}

/// Does something while each pod of a namespace has a status.
pub(crate) fn while_pods_are<T>(
    status: &Value,
    plane: &ControlPlane,
    namespace: &str,
    work: impl FnOnce() -> T,
) -> T {
    let is_over = AtomicBool::new(false);
    let play = || {
        while !is_over.load(Ordering::Relaxed) {
            for pod in &pods(plane.api(), namespace) {
                tell(plane.api(), pod, status);
            }
            thread::sleep(Duration::from_millis(200));
        }
    };
    thread::scope(|scope| {
        scope.spawn(play);
        let _over = Over(&is_over);
        work()
    })
}

/// Ends the play however the work ends.
pub(super) struct Over<'a>(pub(super) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn pods(api: &Api, namespace: &str) -> Vec<Value> {
    let list = api.get(&format!("/api/v1/namespaces/{namespace}/pods"));
    list["items"].as_array().cloned().unwrap_or_default()
}

/// Gives a pod a status, unless it is gone by now.
pub(crate) fn tell(api: &Api, pod: &Value, status: &Value) {
    let part = |name: &str| pod["metadata"][name].as_str().expect("a name");
    let path = format!(
        "/api/v1/namespaces/{}/pods/{}/status",
        part("namespace"),
        part("name")
    );
    let patch = json!({ "status": status });
    let _ = api.send(Method::PATCH, &path, "application/merge-patch+json", &patch);
}

/// An operator, about to be run as it would be in its pod: under its service account, and with nothing
/// of this machine. It ends with the control plane at the latest.
pub(crate) fn deployed(
    plane: &ControlPlane,
    program: &Path,
    namespace: &str,
    account: &str,
) -> Command {
    let mut command = without_flags(plane, program, namespace, account);
    command.arg("--health-probe-bind-address=127.0.0.1:0");
    command
}

/// The same, without the flag that says where probes are answered.
pub(super) fn without_flags(
    plane: &ControlPlane,
    program: &Path,
    namespace: &str,
    account: &str,
) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("KUBECONFIG", plane.kubeconfig_for(namespace, account))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    plane.adopt(&mut command);
    command
}
