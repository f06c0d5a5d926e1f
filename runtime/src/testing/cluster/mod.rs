//! An operator on a real API server.

mod processes;
mod requests;

use std::collections::BTreeSet;
use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};

use super::deployed::Deployed;
use processes::{Processes, free_port};
pub(super) use requests::is_too_early;
pub use requests::{becomes, create, create_invalid, edit, eventually};

/// The label of the operator's Deployment, which kubebuilder also sets.
const SELECTOR: &str = "control-plane=controller-manager";

const TIMEOUT: Duration = Duration::from_secs(60);

/// The cluster that all running tests of the process share.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// A running etcd, kube-apiserver and operator. They are stopped on drop.
///
/// The operator runs as the service account of its Deployment, with the arguments and environment
/// of its container, so that a test fails if its role lacks a permission. Flags of this library
/// that depend on the pod are not passed on: ports, certificates and leader election. Variables
/// from a Secret or a `ConfigMap` are taken from the environment of the tests. The API server calls
/// the webhooks on a local port.
///
/// There are no nodes and no controllers of Kubernetes: a Deployment gets no pods, and children of
/// a deleted object are not garbage collected.
///
/// ```no_run
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::Api;
/// use rop_runtime::testing::{Cluster, becomes, create};
///
/// fn cluster() -> Option<Arc<Cluster>> {
///     # macro_rules! env { ($name:literal) => { "" } }
///     Cluster::of(env!("CARGO_BIN_EXE_app-operator"))
///         .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
///         .files(env!("CARGO_TARGET_TMPDIR"))
///         .shared()
/// }
///
/// # async fn test() {
/// // #[tokio::test]
/// // async fn a_greeting_is_kept() {
/// let Some(cluster) = cluster() else { return };
/// let maps: Api<ConfigMap> = Api::namespaced(cluster.client().await, "default");
/// let name = create(&maps, &ConfigMap::default()).await.unwrap();
/// becomes(&maps, &name, "/data/greeting", "hello").await;
/// # }
/// ```
pub struct Cluster {
    processes: Processes,
    timeout: Duration,
}

/// Configures a [`Cluster`].
#[must_use]
pub struct ClusterBuilder {
    operator: PathBuf,
    config: PathBuf,
    files: PathBuf,
    timeout: Duration,
}

impl Cluster {
    /// Returns a builder for a cluster with this program as the operator.
    pub fn of(operator: impl Into<PathBuf>) -> ClusterBuilder {
        ClusterBuilder {
            operator: operator.into(),
            config: "config".into(),
            files: env::temp_dir(),
            timeout: TIMEOUT,
        }
    }

    /// Returns a client with all permissions. It must not outlive the test, because it depends on
    /// its async runtime.
    ///
    /// # Panics
    /// Panics if the files of the cluster were changed.
    pub async fn client(&self) -> Client {
        crate::install_crypto_provider();
        let kubeconfig = Kubeconfig::read_from(self.processes.admin()).expect("a kubeconfig");
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        Client::try_from(config.expect("a valid kubeconfig")).expect("a client")
    }

    fn start(builder: &ClusterBuilder, assets: &Path) -> Self {
        let name = builder.operator.file_stem().unwrap_or_default();
        let folder = builder.files.join(name);
        let processes = Processes::start(assets, &builder.config, &folder, builder.timeout);
        let cluster = Self {
            processes,
            timeout: builder.timeout,
        };
        cluster.apply(&builder.config);
        cluster.run_operator(&builder.operator);
        cluster
    }

    /// Applies `config/external` and `config/default`.
    fn apply(&self, config: &Path) {
        // On deployment, other operators have already installed their CRDs.
        if config.join("external").is_dir() {
            let applied = self.kubectl("apply --server-side -f external");
            applied.expect("config/external is accepted");
            self.wait_for_crds();
        }
        let apply = || self.kubectl("apply --server-side -k default");
        let mut refused = apply().err().unwrap_or_default();
        // On deployment, the namespaces of its roles already exist.
        let missing = missing_namespaces(&refused);
        if !missing.is_empty() {
            for namespace in missing {
                let created = self.kubectl(&format!("create namespace {namespace}"));
                created.expect("a namespace");
            }
            refused = apply().err().unwrap_or_default();
        }
        let refused: Vec<_> = refused.lines().filter(|line| !is_unserved(line)).collect();
        assert!(refused.is_empty(), "config/default: {refused:#?}");
        self.wait_for_crds();
    }

    fn wait_for_crds(&self) {
        let crds = self.kubectl("get crd --output=name");
        if !crds.expect("an answer").is_empty() {
            let served = self.kubectl("wait --for=condition=Established crd --all");
            served.expect("the CRDs are served");
        }
    }

    /// Starts the operator as its Deployment would.
    fn run_operator(&self, program: &Path) {
        let found = self.list(&format!(
            "deployments --all-namespaces --selector={SELECTOR}"
        ));
        let deployment = found.first().unwrap_or(&Value::Null);
        let deployed = Deployed::of(deployment).expect("a Deployment of the operator");
        let namespace = deployment["metadata"]["namespace"]
            .as_str()
            .unwrap_or_default();
        let account = deployment["spec"]["template"]["spec"]["serviceAccountName"]
            .as_str()
            .unwrap_or("default");
        let token = self
            .kubectl(&format!("create token {account} -n {namespace}"))
            .expect("a token");
        self.processes
            .write_kubeconfig("operator", namespace, &token);

        let flags = "--health-probe-bind-address=127.0.0.1:0";
        let mut command = self.processes.command("operator", program, flags);
        let port = free_port();
        if self.redirect_webhooks(namespace, port) {
            command.arg(format!("--webhook-port={port}"));
        }
        let unknown = deployed
            .unknown
            .iter()
            .filter_map(|name| Some((name, env::var_os(name)?)));
        command
            .args(&deployed.arguments)
            .envs(deployed.environment)
            .envs(unknown);
        self.processes.spawn("operator", command);
    }

    /// Lets the API server call a local port instead of the Services in `namespace`, which have no pods. Returns
    /// whether there are any webhooks.
    fn redirect_webhooks(&self, namespace: &str, port: u16) -> bool {
        let kinds = "mutatingwebhookconfigurations,validatingwebhookconfigurations,crd";
        let mut is_any = false;
        for object in self.list(kinds) {
            let patch = redirected(&object, namespace, port);
            if patch.is_empty() {
                continue;
            }
            is_any = true;
            let kind = object["kind"].as_str().expect("a kind");
            let name = object["metadata"]["name"].as_str().expect("a name");
            let patch = Value::from(patch);
            let patched = self.kubectl(&format!("patch {kind} {name} --type=json --patch={patch}"));
            patched.expect("an accepted patch");
        }
        is_any
    }

    /// Lists objects with kubectl.
    fn list(&self, kinds: &str) -> Vec<Value> {
        let found = self.kubectl(&format!("get {kinds} --output=json"));
        let found = serde_json::from_str::<Value>(&found.expect("an answer"));
        match found.expect("a list")["items"].take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        }
    }

    fn kubectl(&self, arguments: &str) -> Result<String, String> {
        self.processes.kubectl(arguments)
    }
}

impl ClusterBuilder {
    /// Sets the folder with `default/`, which is applied, and optionally with the CRDs of other
    /// operators in `external/`. Defaults to `config` in the working directory.
    pub fn config(mut self, folder: impl Into<PathBuf>) -> Self {
        self.config = folder.into();
        self
    }

    /// Sets the folder for the files and logs of the cluster, which get a subfolder. Defaults to
    /// that of temporary files.
    pub fn files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = folder.into();
        self
    }

    /// Sets the timeout for the start of the cluster, [`becomes`] and [`eventually`]. Defaults to
    /// 60 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns the cluster that all running tests of the process share: the first one starts it,
    /// and it stops after the last. Returns `None`, and prints a line to stderr, if
    /// `KUBEBUILDER_ASSETS` does not name a folder with etcd, kube-apiserver and kubectl.
    ///
    /// # Panics
    /// Panics if a program of the cluster cannot run, or if the API server rejects
    /// `config/default`.
    #[must_use]
    pub fn shared(self) -> Option<Arc<Cluster>> {
        let Some(assets) = env::var_os("KUBEBUILDER_ASSETS").filter(|path| !path.is_empty()) else {
            // Unlike `eprintln!`, this is shown even if the test passes.
            let hint = "skipped: KUBEBUILDER_ASSETS is not set; `make test-cluster` sets it";
            let _ = writeln!(io::stderr(), "{hint}");
            return None;
        };
        let mut shared = lock(&SHARED);
        let running = shared.upgrade();
        let cluster =
            running.unwrap_or_else(|| Arc::new(Cluster::start(&self, Path::new(&assets))));
        *shared = Arc::downgrade(&cluster);
        Some(cluster)
    }
}

/// The running cluster, if a test uses it. Panics if one of its programs has exited: waiting for it would be useless.
fn running() -> Option<Arc<Cluster>> {
    let cluster = lock(&SHARED).upgrade()?;
    cluster.processes.check();
    Some(cluster)
}

/// Locks a mutex, even after a panic.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether kubectl reports that a kind is unknown, such as that of another operator: cert-manager.
fn is_unserved(line: &str) -> bool {
    line.contains("no matches for kind") || line == "ensure CRDs are installed first"
}

/// The missing namespaces in an error of kubectl.
fn missing_namespaces(refused: &str) -> BTreeSet<&str> {
    let lines = refused.lines();
    lines
        .filter_map(|line| line.split_once("namespaces \"")?.1.split('"').next())
        .collect()
}

/// The patch that lets the API server call a local port instead of the Services in `namespace`: for the webhooks of a
/// configuration, and for the conversion webhook of a CRD.
fn redirected(object: &Value, namespace: &str, port: u16) -> Vec<Value> {
    let webhooks = object["webhooks"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(index, webhook)| {
            let path = format!("/webhooks/{index}/clientConfig");
            (path, &webhook["clientConfig"])
        });
    let path = "/spec/conversion/webhook/clientConfig".to_owned();
    let conversion = &object["spec"]["conversion"]["webhook"]["clientConfig"];
    let clients = webhooks.chain([(path, conversion)]);
    clients
        .filter(|(_, client)| client["service"]["namespace"] == namespace)
        .map(|(field, client)| {
            let path = client["service"]["path"].as_str().unwrap_or("/");
            let url = format!("https://127.0.0.1:{port}{path}");
            json!({ "op": "replace", "path": field, "value": { "url": url } })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_webhooks_of_the_operator_are_redirected() {
        let service = |namespace: &str, path: &str| {
            let service = json!({ "namespace": namespace, "name": "a", "path": path });
            json!({ "clientConfig": { "service": service } })
        };
        let configuration = json!({ "webhooks": [
            service("other", "/mutate"),
            service("app-system", "/mutate"),
            { "clientConfig": { "url": "https://127.0.0.1:1/" } },
        ] });
        let here = json!({ "url": "https://127.0.0.1:9443/mutate" });
        assert_eq!(
            redirected(&configuration, "app-system", 9443),
            [json!({ "op": "replace", "path": "/webhooks/1/clientConfig", "value": here })]
        );
        let crd = |namespace| json!({ "spec": { "conversion": { "webhook": service(namespace, "/convert") } } });
        let here = json!({ "url": "https://127.0.0.1:9443/convert" });
        let field = "/spec/conversion/webhook/clientConfig";
        assert_eq!(
            redirected(&crd("app-system"), "app-system", 9443),
            [json!({ "op": "replace", "path": field, "value": here })]
        );
        assert_eq!(
            redirected(&crd("other"), "app-system", 9443),
            [Value::Null; 0]
        );
        assert_eq!(redirected(&json!({}), "app-system", 9443), [Value::Null; 0]);
    }

    #[test]
    fn namespaces_that_do_not_exist_are_created() {
        let refused = "Error from server (NotFound): namespaces \"shop\" not found\n\
            Error from server (NotFound): namespaces \"bank\" not found\n\
            Error from server (NotFound): namespaces \"shop\" not found\n\
            error: other\n";
        let missing: Vec<_> = missing_namespaces(refused).into_iter().collect();
        assert_eq!(missing, ["bank", "shop"]);
    }
}
