//! A Kubernetes API for tests: etcd, kube-apiserver and, where asked for,
//! kube-controller-manager, from the folder that `KUBEBUILDER_ASSETS` names
//! (`tools/control-plane/build` makes one). No node takes part, so Pods stay
//! Pending.

mod api;
mod server;

use std::io::{self, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::json;
use server::{Lifeline, Server};
use tempfile::TempDir;

use super::net::Upstream;
pub(crate) use api::Api;

// The servers run in their directory: relative paths here are relative to it.

/// A socket of our own needs no free port. etcd refuses to advertise one, but
/// nobody reads what it advertises.
const ETCD: &str = "--data-dir=etcd --listen-client-urls=unix://etcd.sock --unsafe-no-fsync \
    --advertise-client-urls=http://127.0.0.1:1 --listen-peer-urls=http://127.0.0.1:0";

/// It makes apiserver.crt and apiserver.key before it reads any other key, so
/// the same key can sign the tokens. Without the grace period an open watch
/// holds up its end for a minute. Some clusters want a permission for owner
/// references that block a deletion, so this one does.
const API_SERVER: &str = "--etcd-servers=unix://etcd.sock --cert-dir=. \
    --bind-address=127.0.0.1 --advertise-address=127.0.0.1 \
    --service-account-key-file=apiserver.key --service-account-signing-key-file=apiserver.key \
    --service-account-issuer=https://localhost --token-auth-file=tokens.csv \
    --authorization-mode=RBAC --allow-privileged \
    --enable-admission-plugins=OwnerReferencesPermissionEnforcement \
    --service-cluster-ip-range=10.0.0.0/16 \
    --audit-policy-file=audit-policy.yaml --audit-log-path=audit.log --audit-log-maxsize=100000 \
    --shutdown-watch-termination-grace-period=1s";

const CONTROLLER_MANAGER: &str = "--kubeconfig=admin.kubeconfig --leader-elect=false \
    --controllers=*,-node-ipam-controller --secure-port=0 \
    --service-account-private-key-file=apiserver.key";

const AUDIT_POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: RequestResponse, verbs: [create, update, patch, delete]}
- {level: Metadata}
";

/// How often the API server is started again because its port was taken.
const RETRIES: u32 = 5;

/// A running control plane. Dropping it leaves no process and no file behind.
pub(crate) struct ControlPlane {
    // Dropped from top to bottom: each server before the one that it talks to,
    // and what watches over them last.
    controller_manager: Option<Server>,
    api_server: Server,
    etcd: Server,
    api: Api,
    site: Site,
    port: u16,
}

impl ControlPlane {
    /// Starts etcd and the API server and waits until they are ready. `None`,
    /// with a line on stderr, where `KUBEBUILDER_ASSETS` is not set.
    pub(crate) fn start() -> Option<Self> {
        Some(Self::launch(Site::new()?, false))
    }

    /// The same with kube-controller-manager, or without it and with a line on
    /// stderr where the assets do not hold it: see [`Self::has_controllers`].
    pub(crate) fn start_with_controllers() -> Option<Self> {
        let site = Site::new()?;
        let controllers = site.assets.join("kube-controller-manager").is_file();
        if !controllers {
            note("skipped: KUBEBUILDER_ASSETS holds no kube-controller-manager");
        }
        Some(Self::launch(site, controllers))
    }

    fn launch(site: Site, controllers: bool) -> Self {
        let etcd = site.start_etcd();
        let (api_server, port) = site.start_api_server(controllers, free_port);
        let controller_manager = controllers.then(|| site.start_controller_manager());
        Self {
            controller_manager,
            api_server,
            etcd,
            api: Api::new(port, &site.authority()),
            site,
            port,
        }
    }

    /// Whether garbage collection, Deployments and the like are at work.
    pub(crate) fn has_controllers(&self) -> bool {
        self.controller_manager.is_some()
    }

    /// Runs kubectl as the administrator, or as whom `--kubeconfig` says.
    pub(crate) fn kubectl(&self, args: &[&str]) -> Output {
        let output = self.site.kubectl().args(args).output();
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
            .site
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

    /// Applies a folder of kustomize, and waits until the CRDs in it are served.
    #[track_caller]
    pub(crate) fn install(&self, folder: &Path) {
        self.kubectl_ok(&["apply", "--server-side", "-k", &folder.to_string_lossy()]);
        let established = "--for=condition=Established";
        self.kubectl_ok(&["wait", established, "crd", "--all", "--timeout=60s"]);
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.site.admin
    }

    /// Requests as the administrator, faster than by kubectl.
    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// Writes a kubeconfig with a token of a `ServiceAccount`, which must exist.
    #[track_caller]
    pub(crate) fn kubeconfig_for(&self, namespace: &str, service_account: &str) -> PathBuf {
        let url = format!("https://127.0.0.1:{}", self.port);
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
        let path =
            format!("/api/v1/namespaces/{namespace}/serviceaccounts/{service_account}/token");
        let answer = self.api.create(&path, &json!({"spec": {}}));
        let token = answer["status"]["token"].as_str().expect("a token");
        let port = url.rsplit(':').next().expect("a port");
        let path = self
            .site
            .path(&format!("{namespace}.{service_account}.{port}.kubeconfig"));
        self.site.write_kubeconfig(&path, url, namespace, token);
        path
    }

    /// What a proxy leads to.
    pub(crate) fn upstream(&self) -> Upstream {
        Upstream::new(self.port, &self.site.authority())
    }

    /// A folder for files that are gone when the control plane is.
    pub(crate) fn dir(&self) -> &Path {
        self.site.dir.path()
    }

    /// Lets a command, about to be run, end with the tests however they end.
    pub(crate) fn adopt(&self, command: &mut Command) {
        command.process_group(self.site.lifeline.group());
    }

    /// Stops etcd, and starts it on the same data after a while.
    pub(crate) fn restart_etcd(&mut self, after: Duration) {
        self.etcd.terminate();
        thread::sleep(after);
        self.etcd = self.site.start_etcd();
    }

    /// Stops the API server, as an upgrade would, and starts it on the same
    /// port and data.
    pub(crate) fn restart_api_server(&mut self) {
        self.api_server.terminate();
        let controllers = self.has_controllers();
        (self.api_server, _) = self.site.start_api_server(controllers, || self.port);
    }

    /// The certificate that the API server shows, and its key. It is its own authority.
    pub(crate) fn certificate(&self) -> (PathBuf, PathBuf) {
        (
            self.site.path("apiserver.crt"),
            self.site.path("apiserver.key"),
        )
    }

    /// JSON lines, one for each request, written before it is answered, with
    /// bodies for writes alone; a watch has one when it begins and one when it
    /// ends.
    pub(crate) fn audit_log(&self) -> PathBuf {
        self.site.path("audit.log")
    }
}

/// Where the binaries and the servers' files are.
struct Site {
    assets: PathBuf,
    admin: PathBuf,
    lifeline: Lifeline,
    dir: TempDir,
}

impl Site {
    fn new() -> Option<Self> {
        let Some(assets) = env::var_os("KUBEBUILDER_ASSETS").filter(|path| !path.is_empty()) else {
            note("skipped: KUBEBUILDER_ASSETS is not set (tools/control-plane/build makes one)");
            return None;
        };
        let assets = std::path::absolute(assets).expect("the path of the assets");
        let dir = tempfile::Builder::new().prefix("rop-").tempdir();
        let dir = dir.expect("a temporary directory");
        let site = Self {
            assets,
            admin: dir.path().join("admin.kubeconfig"),
            lifeline: Lifeline::new(dir.path()),
            dir,
        };
        let tokens = "admin,admin,admin,system:masters\n";
        write(&site.path("tokens.csv"), tokens);
        write(&site.path("audit-policy.yaml"), AUDIT_POLICY);
        Some(site)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What vouches for the API server's certificate.
    fn authority(&self) -> PathBuf {
        self.path("apiserver.crt")
    }

    fn write_kubeconfig(&self, path: &Path, url: &str, namespace: &str, token: &str) {
        let authority = match url.starts_with("https:") {
            true => format!(", certificate-authority: '{}'", self.authority().display()),
            false => String::new(),
        };
        let content = format!(
            "apiVersion: v1
kind: Config
current-context: test
contexts: [{{name: test, context: {{cluster: test, user: test, namespace: '{namespace}'}}}}]
users: [{{name: test, user: {{token: '{token}'}}}}]
clusters:
- name: test
  cluster: {{server: '{url}'{authority}}}
"
        );
        write(path, &content);
    }

    fn kubectl(&self) -> Command {
        let mut command = Command::new(self.assets.join("kubectl"));
        // The variable, unlike the flag, leaves `--kubeconfig` to the caller.
        command.env("KUBECONFIG", &self.admin);
        // Its cache knows an API server by address, and ports come back.
        command
            .env("HOME", self.dir.path())
            .env_remove("KUBECACHEDIR");
        command
    }

    /// Whether the administrator can read this path of the API server.
    fn answers(&self, path: &str) -> bool {
        let args = ["get", "--request-timeout=5s", "--raw", path];
        let output = self.kubectl().args(args).output();
        output.expect("kubectl runs").status.success()
    }

    fn start_etcd(&self) -> Server {
        let ready = || UnixStream::connect(self.path("etcd.sock")).is_ok();
        let started = self.start("etcd", ETCD, ready);
        started.unwrap_or_else(|log| panic!("{log}"))
    }

    /// Starts the API server on the port that `port` gives, and asks for it
    /// again where it is taken.
    fn start_api_server(&self, controllers: bool, port: impl Fn() -> u16) -> (Server, u16) {
        // Without controllers nobody makes the ServiceAccounts that this plugin
        // wants for Pods.
        let plugins = if controllers {
            ""
        } else {
            "--disable-admission-plugins=ServiceAccount"
        };
        // It says that it is ready before it has made this namespace.
        let ready = || self.answers("/readyz") && self.answers("/api/v1/namespaces/default");
        let mut retries = 0;
        loop {
            let port = port();
            let url = format!("https://127.0.0.1:{port}");
            self.write_kubeconfig(&self.admin, &url, "default", "admin");
            let flags = format!("{API_SERVER} --secure-port={port} {plugins}");
            match self.start("kube-apiserver", &flags, ready) {
                Ok(server) => return (server, port),
                Err(log) if retries < RETRIES && log.contains("address already in use") => {
                    retries += 1;
                }
                Err(log) => panic!("{log}"),
            }
        }
    }

    fn start_controller_manager(&self) -> Server {
        // It has no port to ask, but this is one of its works.
        let ready = || self.answers("/api/v1/namespaces/default/serviceaccounts/default");
        let started = self.start("kube-controller-manager", CONTROLLER_MANAGER, ready);
        started.unwrap_or_else(|log| panic!("{log}"))
    }

    fn start(&self, name: &str, flags: &str, ready: impl Fn() -> bool) -> Result<Server, String> {
        let program = self.assets.join(name);
        Server::start(&program, flags, self.dir.path(), &self.lifeline, ready)
    }
}

fn write(path: &Path, content: &str) {
    fs::write(path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener
        .local_addr()
        .expect("the listener's address")
        .port()
}

/// Past the capture of the test harness, which hides what passing tests print.
fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
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
