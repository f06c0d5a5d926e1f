// Owned by rop: its commands rewrite this file, so make changes elsewhere [af781abec17e]
//! A Kubernetes API server for tests, and the operator under its own service account.
//!
//! There are no nodes, and the controllers of Kubernetes do not run: a Deployment gets no pods, and
//! children of a deleted object stay.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs::{self, DirBuilder, File};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use kube::api::{Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, Resource, ResourceExt};
use rop_runtime::testing::Deployed;
use serde_json::{Value, json};

/// The namespace of the operator, and of the children of cluster-scoped objects.
pub const OPERATOR_NAMESPACE: &str = "instance-operator-system";

/// The namespace of the tests' other objects.
pub const NAMESPACE: &str = "default";

/// The service account of the operator.
const SERVICE_ACCOUNT: &str = "instance-operator-controller-manager";

const OPERATOR: &str = env!("CARGO_BIN_EXE_instance-operator");
const OPERATOR_FLAGS: &str = "--health-probe-bind-address=127.0.0.1:0";

/// Relative paths start at the folder of the cluster.
const ETCD_FLAGS: &str = "--data-dir=etcd --unsafe-no-fsync --listen-client-urls=unix://etcd.sock \
    --advertise-client-urls=http://127.0.0.1:1 --listen-peer-urls=unix://peer.sock";

/// It creates its own certificate, and signs tokens with the key of that. Without the admission plugin
/// a pod needs no service account, which a controller of Kubernetes would have to create. Without
/// priorities of requests it is ready a second earlier.
const API_SERVER_FLAGS: &str = "--etcd-servers=unix://etcd.sock --cert-dir=. \
    --bind-address=127.0.0.1 --endpoint-reconciler-type=none \
    --service-cluster-ip-range=10.0.0.0/16 \
    --service-account-key-file=apiserver.key --service-account-signing-key-file=apiserver.key \
    --service-account-issuer=https://localhost --token-auth-file=tokens.csv \
    --authorization-mode=RBAC --disable-admission-plugins=ServiceAccount \
    --enable-priority-and-fairness=false";

/// The limit for each wait, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// etcd, kube-apiserver and the operator, which end when it is dropped.
pub struct Cluster {
    assets: PathBuf,
    folder: PathBuf,
    port: u16,
    processes: Mutex<Vec<(String, Child)>>,
}

/// The cluster that all running tests share.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

/// The cluster, which all running tests share. `None` if `KUBEBUILDER_ASSETS` is not set.
pub fn cluster() -> Option<Arc<Cluster>> {
    let Some(assets) = env::var_os("KUBEBUILDER_ASSETS").filter(|path| !path.is_empty()) else {
        // Unlike `eprintln!`, this is shown although the test passes.
        let hint = "skipped: KUBEBUILDER_ASSETS is not set; `make test-cluster` sets it";
        let _ = writeln!(io::stderr(), "{hint}");
        return None;
    };
    let mut shared = lock(&SHARED);
    let running = shared.upgrade();
    let cluster = running.unwrap_or_else(|| Arc::new(Cluster::start(Path::new(&assets))));
    *shared = Arc::downgrade(&cluster);
    Some(cluster)
}

/// The cluster, if a test has it. Panics if one of its programs has ended: a wait for it would not end well.
fn running() -> Option<Arc<Cluster>> {
    let cluster = lock(&SHARED).upgrade()?;
    cluster.check();
    Some(cluster)
}

/// Locks, whatever has panicked before.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sample of `config/samples/`, which the API server will name.
pub fn sample<K: DeserializeOwned>(file: &str) -> K {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/samples");
    let yaml = fs::read_to_string(folder.join(file)).expect("a sample");
    let mut object: Value = serde_saphyr::from_str(&yaml).expect("a YAML document");
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    metadata.retain(|field, _| field == "labels" || field == "annotations");
    metadata.insert("generateName".to_owned(), json!("test-"));
    serde_json::from_value(object).expect("an object of the kind")
}

/// Creates an object and returns its name.
pub async fn create<K>(api: &Api<K>, object: &K) -> kube::Result<String>
where
    K: Clone + Debug + DeserializeOwned + Resource + Serialize,
{
    let created = api.create(&PostParams::default(), object).await?;
    Ok(created.name_any())
}

/// Creates an object that the API server rejects as invalid.
pub async fn create_invalid<K>(api: &Api<K>, object: &K)
where
    K: Clone + Debug + DeserializeOwned + Resource + Serialize,
{
    let created = api.create(&PostParams::default(), object).await;
    let is_invalid = matches!(&created, Err(kube::Error::Api(answer)) if answer.is_invalid());
    assert!(is_invalid, "{created:?}");
}
/// Merges a patch into an object.
pub async fn edit<K: Clone + Debug + DeserializeOwned>(api: &Api<K>, name: &str, patch: Value) {
    let patch = Patch::Merge(patch);
    let result = api.patch(name, &PatchParams::default(), &patch).await;
    result.expect("an accepted patch");
}

/// Waits until a field of an object, given as a JSON pointer, has a value. A field or object that does
/// not exist is null.
pub async fn becomes<K>(api: &Api<K>, name: &str, field: &str, value: impl Into<Value>)
where
    K: Clone + Debug + DeserializeOwned + Serialize,
{
    let (value, deadline) = (value.into(), Instant::now() + TIMEOUT);
    loop {
        let object = api.get_opt(name).await;
        let object = object.inspect_err(|_| drop(running())).expect("an answer");
        let object = serde_json::to_value(object).expect("a serialisable object");
        let seen = object.pointer(field).unwrap_or(&Value::Null);
        if *seen == value {
            return;
        }
        let cluster = running();
        if Instant::now() > deadline {
            let log = cluster.map(|cluster| cluster.log("operator"));
            let log = log.unwrap_or_default();
            panic!("{field} of {name} is {seen}, not {value}; the operator says:\n{log}");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

impl Cluster {
    fn start(assets: &Path) -> Self {
        let port = free_port();
        let folder = format!("{}-{port}", env!("CARGO_PKG_NAME"));
        let cluster = Self {
            assets: fs::canonicalize(assets).expect("the folder that KUBEBUILDER_ASSETS names"),
            folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder),
            port,
            processes: Mutex::default(),
        };
        // Others on this machine cannot enter it, and so reach neither tokens and keys nor etcd.
        let mut folder = DirBuilder::new();
        let created = folder.recursive(true).mode(0o700).create(&cluster.folder);
        created.expect("a folder");
        let token = secret();
        let tokens = format!("{token},admin,admin,system:masters\n");
        cluster.write("tokens.csv", &tokens);
        cluster.write_kubeconfig("admin", NAMESPACE, &token);

        cluster.run("etcd", &cluster.assets.join("etcd"), ETCD_FLAGS);
        let flags = format!("{API_SERVER_FLAGS} --secure-port={port}");
        cluster.run("api-server", &cluster.assets.join("kube-apiserver"), &flags);
        // It is ready before it has created this namespace.
        let deadline = Instant::now() + TIMEOUT;
        let is_ready = |cluster: &Self| {
            let answers = |path: &str| cluster.kubectl(&format!("get --raw={path}")).is_ok();
            answers("/readyz") && answers("/api/v1/namespaces/default")
        };
        while !is_ready(&cluster) {
            if Instant::now() > deadline {
                let logs = [cluster.log("etcd"), cluster.log("api-server")].join("\n");
                panic!("no API server:\n{logs}");
            }
            thread::sleep(Duration::from_millis(100));
        }

        let apply = || cluster.kubectl("apply --server-side -k config/default");
        let mut refused = apply().err().unwrap_or_default();
        // Where the operator is deployed, those whose namespaces its roles are in have made them.
        let absent = refused
            .lines()
            .filter_map(|line| line.split_once("namespaces \""));
        let absent: BTreeSet<&str> = absent
            .filter_map(|(_, rest)| rest.split('"').next())
            .collect();
        if !absent.is_empty() {
            for namespace in absent {
                let created = cluster.kubectl(&format!("create namespace {namespace}"));
                created.expect("a namespace");
            }
            refused = apply().err().unwrap_or_default();
        }
        let refused: Vec<_> = refused.lines().filter(|line| !is_unserved(line)).collect();
        assert!(refused.is_empty(), "config/default: {refused:#?}");
        let served = cluster.kubectl("wait --for=condition=Established crd --all");
        served.expect("the CRDs are served");
        let token = format!("create token {SERVICE_ACCOUNT} -n {OPERATOR_NAMESPACE}");
        let token = cluster.kubectl(&token).expect("a token");
        cluster.write_kubeconfig("operator", OPERATOR_NAMESPACE, &token);
        cluster.run_operator();
        cluster
    }

    /// Starts the operator with the arguments and the environment of its Deployment. What is in a Secret or a
    /// ConfigMap there is taken from the environment of the tests.
    fn run_operator(&self) {
        let name = "deployment --selector=control-plane=controller-manager";
        let found = self.kubectl(&format!("get {name} -n {OPERATOR_NAMESPACE} --output=json"));
        let found: Value = serde_json::from_str(&found.expect("an answer")).expect("a list");
        let deployed = Deployed::of(&found["items"][0]).expect("a Deployment of the operator");
        let mut command = self.command("operator", Path::new(OPERATOR), OPERATOR_FLAGS);
        let unknown = deployed.unknown.iter();
        let unknown = unknown.filter_map(|name| Some((name, env::var_os(name)?)));
        command
            .args(&deployed.arguments)
            .envs(deployed.environment)
            .envs(unknown);
        self.spawn("operator", command);
    }

    /// A client with all rights. It cannot outlive the test, whose async runtime drives it.
    pub async fn client(&self) -> Client {
        rop_runtime::install_crypto_provider();
        let kubeconfig = Kubeconfig::read_from(self.folder.join("admin")).expect("a kubeconfig");
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        Client::try_from(config.expect("a valid kubeconfig")).expect("a client")
    }

    /// Starts a program in the folder, with the kubeconfig and the log file of that name.
    fn run(&self, name: &str, program: &Path, flags: &str) {
        self.spawn(name, self.command(name, program, flags));
    }

    fn command(&self, name: &str, program: &Path, flags: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(flags.split_whitespace())
            .current_dir(&self.folder)
            .env_clear()
            .env("KUBECONFIG", self.folder.join(name));
        command
    }

    fn spawn(&self, name: &str, mut command: Command) {
        let log = File::create(self.folder.join(format!("{name}.log"))).expect("a log");
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        let program = command.get_program().to_owned();
        let process = command.spawn();
        let process = process.unwrap_or_else(|error| panic!("cannot run {program:?}: {error}"));
        lock(&self.processes).push((name.to_owned(), process));
    }

    /// Panics if a program has ended, with the end of its log.
    fn check(&self) {
        for (name, process) in lock(&self.processes).iter_mut() {
            if let Ok(Some(status)) = process.try_wait() {
                let log = self.log(name);
                panic!("the {name} has ended ({status}); its log ends with:\n{log}");
            }
        }
    }

    /// The end of a program's log.
    fn log(&self, name: &str) -> String {
        let log = fs::read_to_string(self.folder.join(format!("{name}.log"))).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Runs kubectl as the administrator. Returns its output, or its error.
    fn kubectl(&self, arguments: &str) -> Result<String, String> {
        let mut command = Command::new(self.assets.join("kubectl"));
        command
            .args(arguments.split_whitespace())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("KUBECONFIG", self.folder.join("admin"))
            // It caches there what an API server offers, by port, and ports are used again.
            .env("HOME", &self.folder);
        let output = command.output();
        let output = output.unwrap_or_else(|error| panic!("cannot run kubectl: {error}"));
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => {
                self.check();
                Err(String::from_utf8_lossy(&output.stderr).into_owned())
            }
        }
    }

    fn write_kubeconfig(&self, name: &str, namespace: &str, token: &str) {
        let server = format!("https://127.0.0.1:{}", self.port);
        let authority = self.folder.join("apiserver.crt");
        let kubeconfig = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "test", "namespace": namespace } }],
            "clusters": [{ "name": "test", "cluster": { "server": server, "certificate-authority": authority } }],
            "users": [{ "name": "test", "user": { "token": token } }],
        });
        self.write(name, &kubeconfig.to_string());
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).expect("a file");
    }
}

/// Whether kubectl says that a kind of an operator that is not here, such as cert-manager, is unknown.
fn is_unserved(line: &str) -> bool {
    line.contains("no matches for kind") || line == "ensure CRDs are installed first"
}

/// A token that nobody can guess.
fn secret() -> String {
    let mut bytes = [0; 16];
    let random = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    random.expect("random bytes");
    format!("{:032x}", u128::from_ne_bytes(bytes))
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Each is stopped before the one that it talks to.
        for (_, process) in lock(&self.processes).iter_mut().rev() {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}
