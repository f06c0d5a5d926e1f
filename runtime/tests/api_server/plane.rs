//! A real API server: etcd and kube-apiserver, from the folder that `KUBEBUILDER_ASSETS` names.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use kube::config::AuthInfo;
use kube::{Client, Config};
use tokio::time::sleep;

/// The number of started servers.
static STARTED: AtomicU8 = AtomicU8::new(0);

const ETCD_FLAGS: &str = "--data-dir=etcd --listen-client-urls=unix://etcd.sock --unsafe-no-fsync \
    --advertise-client-urls=http://127.0.0.1:1 --listen-peer-urls=http://127.0.0.1:0";

const API_SERVER_FLAGS: &str = "--etcd-servers=unix://etcd.sock --cert-dir=. \
    --bind-address=127.0.0.1 --endpoint-reconciler-type=none \
    --service-account-key-file=apiserver.key --service-account-signing-key-file=apiserver.key \
    --service-account-issuer=https://localhost --token-auth-file=tokens.csv \
    --authorization-mode=RBAC --service-cluster-ip-range=10.0.0.0/16 \
    --disable-admission-plugins=ServiceAccount --enable-priority-and-fairness=false";

/// A real API server. Dropping it ends its processes and removes its files.
pub(crate) struct Plane {
    servers: Vec<Child>,
    dir: PathBuf,
    pub(crate) client: Client,
    /// The minor version of Kubernetes 1.
    pub(crate) minor: u32,
}

impl Drop for Plane {
    fn drop(&mut self) {
        for server in self.servers.iter_mut().rev() {
            let _ = server.kill();
            let _ = server.wait();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// A random token.
fn random() -> String {
    let mut bytes = [0; 16];
    let source = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    source.expect("random bytes");
    format!("{:032x}", u128::from_le_bytes(bytes))
}

impl Plane {
    /// Starts a server. `None`, with a line on stderr, if there are no programs.
    pub(crate) async fn start() -> Option<Self> {
        let Some(assets) = env::var_os("KUBEBUILDER_ASSETS").filter(|path| !path.is_empty()) else {
            let is_ci = env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "KUBEBUILDER_ASSETS is not set");
            let _ = writeln!(std::io::stderr(), "skipped: KUBEBUILDER_ASSETS is not set");
            return None;
        };
        let assets = PathBuf::from(assets);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("rop-api-server-{}-{number}", std::process::id());
        let dir = env::temp_dir().join(name);
        fs::create_dir_all(&dir).expect("a folder");
        // Other users of the machine may read these files, and see the port.
        let token = random();
        let file = fs::File::create(dir.join("tokens.csv")).expect("a file");
        file.set_permissions(fs::Permissions::from_mode(0o600))
            .expect("a file of our own");
        let line = format!("{token},admin,admin,system:masters\n");
        (&file).write_all(line.as_bytes()).expect("a file");
        let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = port.expect("a free port").port();
        let start = |program: &str, flags: &str| {
            let mut command = Command::new(assets.join(program));
            let log = fs::File::create(dir.join(format!("{program}.log"))).expect("a log");
            command.args(flags.split_whitespace()).current_dir(&dir);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log);
            let server = command.spawn();
            server.unwrap_or_else(|error| panic!("cannot run {program}: {error}"))
        };
        let mut etcd = start("etcd", ETCD_FLAGS);
        while !dir.join("etcd.sock").exists() {
            check("etcd", &mut etcd, &dir);
            sleep(Duration::from_millis(50)).await;
        }
        let flags = format!("{API_SERVER_FLAGS} --secure-port={port}");
        let api_server = start("kube-apiserver", &flags);
        let url = format!("https://127.0.0.1:{port}")
            .parse()
            .expect("an address");
        let mut config = Config::new(url);
        // Its certificate is self-signed, on this machine.
        config.accept_invalid_certs = true;
        config.auth_info = AuthInfo {
            token: Some(token.into()),
            ..AuthInfo::default()
        };
        let mut plane = Self {
            servers: vec![etcd, api_server],
            client: Client::try_from(config).expect("a client"),
            dir,
            minor: 0,
        };
        plane.is_ready().await;
        let version = plane.client.apiserver_version().await.expect("a version");
        plane.minor = version.minor.parse().expect("a number");
        Some(plane)
    }

    async fn is_ready(&mut self) {
        let mut tries = 0;
        loop {
            let ask = |path: &str| {
                let request = hyper::Request::get(path).body(Vec::new());
                self.client.request_text(request.expect("a request"))
            };
            if ask("/readyz").await.is_ok() && ask("/api/v1/namespaces/default").await.is_ok() {
                return;
            }
            for (program, server) in ["etcd", "kube-apiserver"].iter().zip(&mut self.servers) {
                check(program, server, &self.dir);
            }
            tries += 1;
            assert!(
                tries < 600,
                "the API server does not become ready: {}",
                log(&self.dir, "kube-apiserver")
            );
            sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Panics if a program has exited.
fn check(program: &str, server: &mut Child, dir: &Path) {
    if let Ok(Some(status)) = server.try_wait() {
        panic!("{program} has ended ({status}): {}", log(dir, program));
    }
}

/// The last lines of a log.
fn log(dir: &Path, program: &str) -> String {
    let log = fs::read_to_string(dir.join(format!("{program}.log"))).unwrap_or_default();
    let lines: Vec<_> = log.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
