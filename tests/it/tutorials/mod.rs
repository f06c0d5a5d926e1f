//! The tutorials that operator authors know, walked through with rop: each chapter of the book is
//! run against a real API server, and leads to one of the `examples/`.

mod app_operator;
mod appservice;
mod chapter;
mod concepts;
mod enterprise;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::world::tree;

/// How long anything may take, on a busy machine.
const SOON: Duration = Duration::from_mins(5);

/// A chapter led to the finished operator of this name in `examples/`, and to nothing else. With
/// `INSTA_UPDATE=always` in the environment, what the chapter made is taken over.
#[track_caller]
fn leads_to(world: &World, name: &str) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(name);
    let is_updating = std::env::var_os("INSTA_UPDATE").is_some_and(|mode| mode == "always");
    if is_updating {
        fs::create_dir_all(&example).expect("a folder");
    }
    let (made, there) = (world.tree(), tree(&example));
    let paths: BTreeSet<_> = made.keys().chain(there.keys()).collect();
    let differ = paths
        .into_iter()
        .filter(|path| made.get(*path) != there.get(*path));
    let differ: Vec<_> = differ.collect();
    if !is_updating {
        assert!(differ.is_empty(), "not as in examples/{name}: {differ:#?}");
    }
    for path in differ {
        let file = example.join(path);
        match made.get(path) {
            Some(text) => {
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(file, text).expect("a file");
            }
            None => fs::remove_file(file).expect("a file to remove"),
        }
    }
}

/// Does something while the pods of a namespace run. There is no kubelet, so nobody but the tests
/// can say that they do. Kubernetes' own controllers count them.
fn while_pods_run<T>(plane: &ControlPlane, namespace: &str, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    let status = json!({"status": {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
    }});
    let patch = ["--subresource=status", "--patch", &status.to_string()].map(str::to_owned);
    let play = || {
        while !done.load(Ordering::Relaxed) {
            let pods = plane.kubectl(&["get", "pods", "-n", namespace, "-o=name"]);
            for pod in String::from_utf8_lossy(&pods.stdout).split_whitespace() {
                let mut arguments = vec!["patch", pod, "-n", namespace];
                arguments.extend(patch.iter().map(String::as_str));
                // Gone by now, where a newer one has taken its place.
                let _ = plane.kubectl(&arguments);
            }
            thread::sleep(Duration::from_millis(500));
        }
    };
    thread::scope(|scope| {
        scope.spawn(play);
        // Also where the work panics.
        let _end = End(&done);
        work()
    })
}

/// An operator, about to be run as the kubelet would, which is not there either: under its service
/// account, and with nothing of this machine. It ends with the control plane at the latest.
fn deployed(plane: &ControlPlane, program: &Path, namespace: &str, account: &str) -> Command {
    let mut command = Command::new(program);
    command
        .arg("--health-probe-bind-address=127.0.0.1:0")
        .env_clear()
        .env("KUBECONFIG", plane.kubeconfig_for(namespace, account))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    plane.adopt(&mut command);
    command
}

/// Ends the play when it is dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
