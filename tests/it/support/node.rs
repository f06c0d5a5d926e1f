//! A node's part for the operator: its pods are processes of this machine, started as the pods say.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};

use super::control_plane::{ControlPlane, free_port};
use super::kubelet::{Over, pods, ready, tell, without_flags};
use super::tools::install;

/// Flags whose addresses are those of this machine.
const ADDRESSES: [&str; 3] = [
    "--health-probe-bind-address",
    "--metrics-bind-address",
    "--webhook-port",
];

/// Who applies manifests.
const APPLIERS: [&str; 2] = ["kubectl", "helm"];

/// A node for the pods of an operator, and for those in the namespace `default`, which only become ready.
pub(crate) struct Node<'a> {
    plane: &'a ControlPlane,
    program: &'a Path,
    namespace: &'a str,
    /// Processes by the uid of their pod.
    running: RefCell<BTreeMap<String, Process>>,
}

/// The process of a pod.
struct Process {
    child: Child,
    health: u16,
}

impl<'a> Node<'a> {
    /// Does something while a node runs the pods of an operator.
    pub(crate) fn while_it_runs<T>(
        plane: &'a ControlPlane,
        program: &'a Path,
        namespace: &'a str,
        work: impl FnOnce() -> T,
    ) -> T {
        let is_over = AtomicBool::new(false);
        // The work may need it before there are pods.
        fs::write(Self::metrics_port(plane), "0").expect("a file");
        let play = || {
            let running = RefCell::default();
            let node = Self {
                plane,
                program,
                namespace,
                running,
            };
            while !is_over.load(Ordering::Relaxed) {
                node.turn();
                thread::sleep(Duration::from_millis(200));
            }
        };
        thread::scope(|scope| {
            scope.spawn(play);
            let _over = Over(&is_over);
            work()
        })
    }

    /// A kubectl that leads to the metrics of the pod that was started last: no kubelet forwards a port.
    pub(crate) fn kubectl(plane: &ControlPlane, kubectl: &Path) -> PathBuf {
        let script = format!(
            "#!/bin/sh\nfor word; do\n  if [ \"$word\" = port-forward ]; then\n    \
             echo \"Forwarding from 127.0.0.1:$(cat {}) -> 8443\"\n    exec sleep 600\n  fi\ndone\nexec {} \"$@\"\n",
            Self::metrics_port(plane).display(),
            kubectl.display(),
        );
        install(plane.dir(), "forwarding-kubectl", &script);
        plane.dir().join("forwarding-kubectl")
    }

    fn metrics_port(plane: &ControlPlane) -> PathBuf {
        plane.dir().join("metrics-port")
    }

    fn turn(&self) {
        let api = self.plane.api();
        for pod in &pods(api, "default") {
            tell(api, pod, &ready());
        }
        let pods = pods(api, self.namespace);
        let uid = |pod: &Value| pod["metadata"]["uid"].as_str().expect("a uid").to_owned();
        let all: Vec<String> = pods.iter().map(uid).collect();
        self.running.borrow_mut().retain(|uid, process| {
            let stays = all.contains(uid);
            if !stays {
                process.terminate();
            }
            stays
        });
        for pod in &pods {
            let mut running = self.running.borrow_mut();
            let process = running.entry(uid(pod)).or_insert_with(|| self.start(pod));
            let ended = process.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "the operator ended: {ended:?}");
            if process.is_ready() {
                tell(api, pod, &ready());
            }
        }
    }

    fn start(&self, pod: &Value) -> Process {
        let spec = &pod["spec"];
        let container = &spec["containers"][0];
        let account = spec["serviceAccountName"].as_str().expect("an account");
        let [health, metrics, webhook] = [(); 3].map(|()| free_port());
        let mut command: Command = without_flags(self.plane, self.program, self.namespace, account);
        let arguments = container["args"].as_array().into_iter().flatten();
        let arguments = arguments.filter_map(Value::as_str);
        command.args(
            arguments.filter(|argument| !ADDRESSES.iter().any(|flag| argument.starts_with(flag))),
        );
        for variable in container["env"].as_array().into_iter().flatten() {
            let field = &variable["valueFrom"]["fieldRef"]["fieldPath"];
            let value = if *field == "metadata.namespace" {
                Some(self.namespace)
            } else {
                variable["value"].as_str()
            };
            command.env(
                variable["name"].as_str().expect("a name"),
                value.expect("a value"),
            );
        }
        command
            .arg(format!("--health-probe-bind-address=127.0.0.1:{health}"))
            .arg(format!("--metrics-bind-address=127.0.0.1:{metrics}"));
        if self.redirect_webhooks(webhook) {
            command.arg(format!("--webhook-port={webhook}"));
        }
        let child = command.spawn().expect("the operator starts");
        fs::write(Self::metrics_port(self.plane), metrics.to_string()).expect("a file");
        Process { child, health }
    }

    /// Lets the API server call a port of this machine instead of the Service, as the one who applied the configurations:
    /// so applying them again is no conflict. Returns whether there are any.
    fn redirect_webhooks(&self, port: u16) -> bool {
        let api = self.plane.api();
        let mut is_any = false;
        for kind in [
            "mutatingwebhookconfigurations",
            "validatingwebhookconfigurations",
        ] {
            let all = format!("/apis/admissionregistration.k8s.io/v1/{kind}");
            for mut object in api.get(&all)["items"]
                .as_array()
                .cloned()
                .unwrap_or_default()
            {
                is_any = true;
                let path = format!(
                    "{all}/{}",
                    object["metadata"]["name"].as_str().expect("a name")
                );
                let managers = object["metadata"]["managedFields"].take();
                let managers = managers.as_array().into_iter().flatten();
                let applier = managers
                    .filter_map(|entry| entry["manager"].as_str())
                    .find(|manager| APPLIERS.contains(manager))
                    .expect("who applied it")
                    .to_owned();
                object["apiVersion"] = "admissionregistration.k8s.io/v1".into();
                object["kind"] = match kind {
                    "mutatingwebhookconfigurations" => "MutatingWebhookConfiguration".into(),
                    _ => "ValidatingWebhookConfiguration".into(),
                };
                for webhook in object["webhooks"].as_array_mut().expect("webhooks") {
                    let path = webhook["clientConfig"]["service"]["path"].as_str();
                    let url = webhook["clientConfig"]["url"].as_str();
                    let path = path.or(url.and_then(|url| url.splitn(4, '/').nth(3)));
                    let path = path.expect("a path").trim_start_matches('/');
                    let url = format!("https://127.0.0.1:{port}/{path}");
                    webhook["clientConfig"] = json!({ "url": url });
                }
                let path = format!("{path}?force=true&fieldManager={applier}");
                let answer = api.send(
                    Method::PATCH,
                    &path,
                    "application/apply-patch+yaml",
                    &object,
                );
                let (code, answer) = answer.expect("an answer");
                assert_eq!(code, 200, "{answer}");
            }
        }
        is_any
    }
}

impl Process {
    /// What its readiness probe says.
    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.health)) else {
            return false;
        };
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let mut answer = String::new();
        let asked = stream.write_all(request.as_bytes());
        asked
            .and_then(|()| stream.read_to_string(&mut answer))
            .is_ok()
            && answer.starts_with("HTTP/1.1 200")
    }

    /// Ends it as a kubelet does.
    fn terminate(&mut self) {
        let mut kill = Command::new("kill");
        let _ = kill.arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
