//! A kubelet's part: the status of the pods of a Deployment, which no node takes here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::control_plane::ControlPlane;

/// A pod that runs and is ready.
pub(super) fn ready() -> Value {
    json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": [
        status(&json!({"running": {}}), true, 0),
    ]})
}

/// A pod whose container waits.
pub(super) fn waiting(reason: &str, message: &str, restarts: u32) -> Value {
    let state = json!({"waiting": {"reason": reason, "message": message}});
    json!({"phase": "Pending", "containerStatuses": [status(&state, false, restarts)]})
}

fn status(state: &Value, ready: bool, restarts: u32) -> Value {
    json!({
        "name": "manager", "image": "i", "imageID": "", "ready": ready, "started": ready,
        "restartCount": restarts, "state": state,
    })
}

/// Gives each pod of a namespace a status while `work` is under way.
pub(super) fn plays<T>(
    plane: &ControlPlane,
    namespace: &str,
    status: &Value,
    work: impl FnOnce() -> T,
) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let pods = format!("/api/v1/namespaces/{namespace}/pods");
            while !is_over.load(Ordering::Relaxed) {
                for pod in plane.api().get(&pods)["items"]
                    .as_array()
                    .into_iter()
                    .flatten()
                {
                    let name = pod["metadata"]["name"].as_str().expect("a name");
                    // It may be gone by now.
                    let _ = plane.api().send(
                        hyper::Method::PATCH,
                        &format!("{pods}/{name}/status"),
                        "application/merge-patch+json",
                        &json!({"status": status}),
                    );
                }
                thread::sleep(Duration::from_millis(200));
            }
        });
        let _over = Over(&is_over);
        work()
    })
}

/// Ends the play however the work ends.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
