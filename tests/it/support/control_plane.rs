//! A Kubernetes API for tests: etcd, kube-apiserver and, where asked for,
//! kube-controller-manager, from the folder that `KUBEBUILDER_ASSETS` names
//! (`tools/control-plane/build` makes one). No node takes part, so Pods stay
//! Pending.

mod api;

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rop::control_plane::{self, CONTROLLER_MANAGER, Kubeconfig, Options};
use serde_json::{Value, json};

use super::memory::temporary;
use super::net::Upstream;
use super::say::say;
pub(crate) use api::Api;

/// Some clusters want a permission for owner references that block a deletion, so this one does.
const FLAGS: &str = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement \
    --audit-policy-file=audit-policy.yaml --audit-log-path=audit.log --audit-log-maxsize=100000";

const AUDIT_POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: RequestResponse, verbs: [create, update, patch, delete]}
- {level: Metadata}
";

/// A control plane, which runs from when it is first asked for something: what a test builds before that takes minutes
/// on a busy machine, and all the time its servers would be busy with themselves. Dropping it leaves no process and no
/// file behind.
pub(crate) struct ControlPlane {
    assets: PathBuf,
    dir: PathBuf,
    controllers: bool,
    running: OnceLock<Running>,
}

/// Its servers, and a connection to them.
struct Running {
    plane: control_plane::ControlPlane,
    api: Api,
}

impl ControlPlane {
    /// etcd and the API server. `None`, with a line on stderr, where `KUBEBUILDER_ASSETS` is not set.
    pub(crate) fn new() -> Option<Self> {
        Some(Self::of(assets()?, false))
    }

    /// The same with kube-controller-manager, or without it and with a line on
    /// stderr where the assets do not hold it: see [`Self::has_controllers`].
    pub(crate) fn with_controllers() -> Option<Self> {
        let assets = assets()?;
        let controllers = assets.join(CONTROLLER_MANAGER).is_file();
        if !controllers {
            say(
                "skipped: tests of controllers, as KUBEBUILDER_ASSETS holds no kube-controller-manager",
            );
        }
        Some(Self::of(assets, controllers))
    }

    fn of(assets: PathBuf, controllers: bool) -> Self {
        Self {
            assets,
            dir: temporary().keep(),
            controllers,
            running: OnceLock::new(),
        }
    }

    fn running(&self) -> &Running {
        self.running.get_or_init(|| {
            fs::write(self.dir.join("audit-policy.yaml"), AUDIT_POLICY).expect("a policy");
            let options = Options {
                assets: &self.assets,
                dir: &self.dir,
                controllers: self.controllers,
                flags: FLAGS,
            };
            let plane = control_plane::ControlPlane::start(&options);
            let plane = plane.unwrap_or_else(|error| panic!("{error:?}"));
            Running {
                api: Api::new(&plane),
                plane,
            }
        })
    }

    fn plane(&self) -> &control_plane::ControlPlane {
        &self.running().plane
    }

    fn plane_mut(&mut self) -> &mut control_plane::ControlPlane {
        self.running();
        &mut self.running.get_mut().expect("it runs").plane
    }

    /// Whether garbage collection, Deployments and the like are at work.
    pub(crate) fn has_controllers(&self) -> bool {
        self.controllers
    }

    /// Runs kubectl as the administrator, or as whom `--kubeconfig` says.
    pub(crate) fn kubectl(&self, args: &[&str]) -> Output {
        let output = self.plane().kubectl().args(args).output();
        output.expect("kubectl runs")
    }

    /// The same; returns stdout, and panics with stderr where it fails.
    #[track_caller]
    pub(crate) fn kubectl_ok(&self, args: &[&str]) -> String {
        let output = self.kubectl(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kubectl {args:?}: {stderr}");
        String::from_utf8(output.stdout).expect("kubectl prints UTF-8")
    }

    /// Applies manifests server-side, as the administrator.
    pub(crate) fn apply(&self, yaml: &str) -> Output {
        let mut kubectl = self
            .plane()
            .kubectl()
            .args(["apply", "--server-side", "-f", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl runs");
        let mut stdin = kubectl.stdin.take().expect("stdin is piped");
        // Where kubectl stops reading early, its stderr says why.
        let _ = stdin.write_all(yaml.as_bytes());
        drop(stdin);
        kubectl.wait_with_output().expect("kubectl ends")
    }

    /// Applies a folder of kustomize, as the administrator. On a busy machine the API server may give up on a request,
    /// which it does after half a minute. Then all is applied again.
    #[track_caller]
    pub(crate) fn apply_folder(&self, folder: &Path) {
        let folder = folder.to_string_lossy();
        let arguments = ["apply", "--server-side", "-k", &*folder];
        let applied = self.kubectl(&arguments);
        let stderr = String::from_utf8_lossy(&applied.stderr);
        if stderr.contains("Error from server (Timeout)") {
            self.kubectl_ok(&arguments);
        } else {
            assert!(applied.status.success(), "kubectl {arguments:?}: {stderr}");
        }
    }

    /// Applies a folder of kustomize, and waits until the CRDs in it are served.
    #[track_caller]
    pub(crate) fn install(&self, folder: &Path) {
        self.apply_folder(folder);
        self.wait_for_crds();
    }

    /// Waits until all CRDs are served.
    #[track_caller]
    pub(crate) fn wait_for_crds(&self) {
        let established = "--for=condition=Established";
        self.kubectl_ok(&["wait", established, "crd", "--all", "--timeout=60s"]);
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Path {
        self.plane().admin()
    }

    /// Requests as the administrator, faster than by kubectl.
    pub(crate) fn api(&self) -> &Api {
        &self.running().api
    }

    /// Writes a kubeconfig with a token of a `ServiceAccount`, which must exist.
    #[track_caller]
    pub(crate) fn kubeconfig_for(&self, namespace: &str, service_account: &str) -> PathBuf {
        let url = format!("https://127.0.0.1:{}", self.plane().port());
        self.kubeconfig_through(&url, namespace, service_account)
    }

    /// The same, for an API server behind a proxy.
    #[track_caller]
    pub(crate) fn kubeconfig_through(
        &self,
        url: &str,
        namespace: &str,
        service_account: &str,
    ) -> PathBuf {
        let port = url.rsplit(':').next().expect("a port");
        let kubeconfig = Kubeconfig {
            server: url.to_owned(),
            authority: url.starts_with("https:").then(|| self.plane().authority()),
            namespace: namespace.to_owned(),
            token: self.token(namespace, service_account),
        };
        let path = format!("{namespace}.{service_account}.{port}.kubeconfig");
        let path = self.dir().join(path);
        kubeconfig.write(&path).expect("a kubeconfig");
        path
    }

    /// A token of a `ServiceAccount`, which must exist.
    #[track_caller]
    pub(crate) fn token(&self, namespace: &str, service_account: &str) -> String {
        let path =
            format!("/api/v1/namespaces/{namespace}/serviceaccounts/{service_account}/token");
        // Longer than any test takes: without a wish it is an hour.
        let request = json!({"spec": {"expirationSeconds": 24 * 60 * 60}});
        let answer = self.api().create(&path, &request);
        let token = answer["status"]["token"].as_str().expect("a token");
        token.to_owned()
    }

    /// Waits until garbage collection knows a kind: it looks for new ones every 30 seconds, and until then the children
    /// of such objects stay. The child of an owner that never was goes as soon as it does.
    #[track_caller]
    pub(crate) fn collects_garbage_of(&self, api_version: &str, kind: &str) {
        let owner = json!({
            "apiVersion": api_version, "kind": kind, "name": "nobody",
            "uid": "00000000-0000-0000-0000-000000000000",
        });
        let orphan = json!({"metadata": {"name": "orphan", "ownerReferences": [owner]}});
        let all = "/api/v1/namespaces/default/configmaps";
        self.api().create(all, &orphan);
        eventually("the end of an orphan", Duration::from_mins(2), || {
            let orphan = self.api().get(&format!("{all}/orphan"));
            orphan.is_null().then_some(())
        });
    }

    /// Another connection for such requests, beside all others.
    pub(crate) fn another_api(&self) -> Api {
        Api::new(self.plane())
    }

    /// What a proxy leads to.
    pub(crate) fn upstream(&self) -> Upstream {
        Upstream::new(self.plane().port(), &self.plane().authority())
    }

    /// A folder for files that are gone when the control plane is.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Lets a command, about to be run, end with the tests however they end.
    pub(crate) fn adopt(&self, command: &mut Command) {
        self.plane().adopt(command);
    }

    /// Stops etcd, and starts it on the same data after a while.
    pub(crate) fn restart_etcd(&mut self, after: Duration) {
        self.plane_mut().restart_etcd(after).expect("etcd starts");
    }

    /// Stops the API server, as an upgrade would, and starts it on the same
    /// port and data.
    pub(crate) fn restart_api_server(&mut self) {
        let started = self.plane_mut().restart_api_server();
        started.expect("the API server starts");
    }

    /// Kills the API server, and starts it on the same port and data.
    pub(crate) fn kill_api_server(&mut self) {
        let started = self.plane_mut().kill_api_server();
        started.expect("the API server starts");
    }

    /// The certificate that the API server shows, and its key. It is its own authority.
    pub(crate) fn certificate(&self) -> (PathBuf, PathBuf) {
        (self.plane().authority(), self.dir().join("apiserver.key"))
    }

    /// JSON lines, one for each request, written before it is answered, with
    /// bodies for writes alone; a watch has one when it begins and one when it
    /// ends.
    pub(crate) fn audit_log(&self) -> PathBuf {
        self.dir().join("audit.log")
    }

    /// The requests of the audit log, the oldest first. A line that is being written is left out.
    pub(crate) fn audited(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.audit_log()).expect("an audit log");
        let events = log.lines().map(serde_json::from_str);
        events.filter_map(Result::ok).collect()
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        // The servers remove it when they end.
        if self.running.get().is_none() {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

/// The programs of a control plane, or a line on stderr.
pub(crate) fn assets() -> Option<PathBuf> {
    let Some(assets) = env::var_os("KUBEBUILDER_ASSETS").filter(|path| !path.is_empty()) else {
        say(
            "skipped: tests on an API server, as KUBEBUILDER_ASSETS is not set (tools/control-plane/build makes one)",
        );
        return None;
    };
    Some(std::path::absolute(assets).expect("the path of the assets"))
}

/// The minor release of Kubernetes 1 that these programs are of.
pub(crate) fn minor(assets: &Path) -> u32 {
    let mut server = Command::new(assets.join("kube-apiserver"));
    let version = server.arg("--version").output().expect("a version").stdout;
    let version = String::from_utf8(version).expect("text");
    let minor = version.split('.').nth(1).map(str::parse);
    minor
        .and_then(Result::ok)
        .expect("a version such as `Kubernetes v1.37.2`")
}

/// The flags for all sorts of policies that a control plane of these programs serves as `v1`, and how many these are.
pub(crate) fn sorts_of_policies(assets: &Path) -> (&'static str, usize) {
    if minor(assets) >= 36 {
        ("--validating --mutating", 2)
    } else {
        ("--validating", 1)
    }
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener
        .local_addr()
        .expect("the listener's address")
        .port()
}

/// Polls `f` until it gives something, at least once after `timeout` too, so
/// that a slow machine is not mistaken for a failure.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, timeout: Duration, mut f: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + timeout;
    loop {
        let last = Instant::now() >= deadline;
        if let Some(value) = f() {
            return value;
        }
        assert!(!last, "not within {timeout:?}: {what}");
        thread::sleep(Duration::from_millis(100));
    }
}
