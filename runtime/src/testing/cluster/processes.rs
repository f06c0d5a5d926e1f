//! The processes of a cluster, and their files.

use std::fs::{self, DirBuilder, File};
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::lock;

/// Relative paths are relative to the folder of the files.
const ETCD_FLAGS: &str = "--data-dir=etcd --unsafe-no-fsync --listen-client-urls=unix://etcd.sock \
    --advertise-client-urls=http://127.0.0.1:1 --listen-peer-urls=unix://peer.sock";

/// The API server creates its own certificate, and signs tokens with its key. Without the admission plugin, a pod needs
/// no service account, which a controller of Kubernetes would create. Without API priority and fairness, it is ready a
/// second earlier.
const API_SERVER_FLAGS: &str = "--etcd-servers=unix://etcd.sock --cert-dir=. \
    --bind-address=127.0.0.1 --endpoint-reconciler-type=none \
    --service-cluster-ip-range=10.0.0.0/16 \
    --service-account-key-file=apiserver.key --service-account-signing-key-file=apiserver.key \
    --service-account-issuer=https://localhost --token-auth-file=tokens.csv \
    --authorization-mode=RBAC --disable-admission-plugins=ServiceAccount \
    --enable-priority-and-fairness=false";

/// The running programs, in the order of their start. Dropping them stops them and removes their files.
pub(super) struct Processes {
    assets: PathBuf,
    /// The working directory of kubectl.
    config: PathBuf,
    folder: PathBuf,
    port: u16,
    running: Mutex<Vec<(String, Child)>>,
}

impl Processes {
    /// Starts etcd and kube-apiserver, and waits until they are ready. The folder is named after the port of the API
    /// server.
    #[expect(clippy::disallowed_methods, reason = "programs take real time")]
    pub(super) fn start(assets: &Path, config: &Path, folder: &Path, timeout: Duration) -> Self {
        let port = free_port();
        let folder = PathBuf::from(format!("{}-{port}", folder.display()));
        let processes = Self {
            assets: fs::canonicalize(assets).expect("the folder that KUBEBUILDER_ASSETS names"),
            config: config.to_owned(),
            folder,
            port,
            running: Mutex::default(),
        };
        // Other users of this machine cannot enter it, so they can reach neither tokens and keys nor etcd.
        let mut folder = DirBuilder::new();
        let created = folder.recursive(true).mode(0o700).create(&processes.folder);
        created.expect("a folder");
        let token = secret();
        processes.write(
            "tokens.csv",
            &format!("{token},admin,admin,system:masters\n"),
        );
        processes.write_kubeconfig("admin", "default", &token);

        processes.run("etcd", "etcd", ETCD_FLAGS);
        let flags = format!("{API_SERVER_FLAGS} --secure-port={port}");
        processes.run("api-server", "kube-apiserver", &flags);
        // It is ready before it has created this namespace.
        let deadline = Instant::now() + timeout;
        let answers = |path: &str| processes.kubectl(&format!("get --raw={path}")).is_ok();
        while !(answers("/readyz") && answers("/api/v1/namespaces/default")) {
            if Instant::now() > deadline {
                let logs = [processes.log("etcd"), processes.log("api-server")].join("\n");
                panic!("no API server:\n{logs}");
            }
            thread::sleep(Duration::from_millis(100));
        }
        processes
    }

    /// The kubeconfig of the administrator.
    pub(super) fn admin(&self) -> PathBuf {
        self.folder.join("admin")
    }

    fn run(&self, name: &str, program: &str, flags: &str) {
        let command = self.command(name, &self.assets.join(program), flags);
        self.spawn(name, command);
    }

    /// A command in the folder, with the kubeconfig of that name and no other environment.
    pub(super) fn command(&self, name: &str, program: &Path, flags: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(flags.split_whitespace())
            .current_dir(&self.folder)
            .env_clear()
            .env("KUBECONFIG", self.folder.join(name));
        command
    }

    /// Starts a program, with a log file of that name.
    pub(super) fn spawn(&self, name: &str, mut command: Command) {
        let log = File::create(self.folder.join(format!("{name}.log"))).expect("a log");
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        let program = command.get_program().to_owned();
        let process = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
        lock(&self.running).push((name.to_owned(), process));
    }

    /// Panics if a program has exited, with the end of its log.
    pub(super) fn check(&self) {
        for (name, process) in lock(&self.running).iter_mut() {
            if let Ok(Some(status)) = process.try_wait() {
                let log = self.log(name);
                panic!("{name} exited ({status}); the end of its log:\n{log}");
            }
        }
    }

    /// The end of a program's log.
    pub(super) fn log(&self, name: &str) -> String {
        let log = fs::read_to_string(self.folder.join(format!("{name}.log"))).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Runs kubectl as the administrator, in `config/`. Returns its output, or its error.
    pub(super) fn kubectl(&self, arguments: &str) -> Result<String, String> {
        let mut command = Command::new(self.assets.join("kubectl"));
        command
            .args(arguments.split_whitespace())
            .current_dir(&self.config)
            .env("KUBECONFIG", self.admin())
            // kubectl caches the resources of an API server there, by port, and ports are reused.
            .env("HOME", &self.folder);
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("cannot run kubectl: {error}"));
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        self.check();
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Writes the kubeconfig of a user.
    pub(super) fn write_kubeconfig(&self, name: &str, namespace: &str, token: &str) {
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

impl Drop for Processes {
    fn drop(&mut self) {
        // Each program is stopped before the one that it depends on.
        for (_, process) in lock(&self.running).iter_mut().rev() {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A random token.
fn secret() -> String {
    let mut bytes = [0; 16];
    let random = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    random.expect("random bytes");
    format!("{:032x}", u128::from_ne_bytes(bytes))
}

pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}
