//! How the servers of a control plane are started.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Code, Context, Error, Result};
use crate::hex::hex;

use super::kubeconfig::{self, Kubeconfig};
use super::ready::Ready;
use super::server::Server;
use super::watchdog::Watchdog;
use super::{CONTROLLER_MANAGER, Options, PROGRAMS};

// The servers run in the folder: relative paths here are relative to it.

/// Sockets of our own need no free port, and whoever else is on the machine cannot reach them. etcd refuses to
/// advertise one, but nobody reads what it advertises.
const ETCD_FLAGS: &str = "--data-dir=etcd --listen-client-urls=unix://etcd.sock --unsafe-no-fsync \
    --advertise-client-urls=http://127.0.0.1:1 --listen-peer-urls=unix://peer.sock";

/// It makes apiserver.crt and apiserver.key before it reads any other key, so the same key can sign
/// the tokens. From 1.37 on it refuses to advertise an address of this machine, which the reconciler of the Service
/// `kubernetes` wants. Without the grace period an open watch holds up its end for a minute.
const API_SERVER_FLAGS: &str = "--etcd-servers=unix://etcd.sock --cert-dir=. \
    --bind-address=127.0.0.1 --endpoint-reconciler-type=none \
    --service-account-key-file=apiserver.key --service-account-signing-key-file=apiserver.key \
    --service-account-issuer=https://localhost --token-auth-file=tokens.csv \
    --authorization-mode=RBAC --allow-privileged \
    --service-cluster-ip-range=10.0.0.0/16 --shutdown-watch-termination-grace-period=1s \
    --enable-priority-and-fairness=false";

const CONTROLLER_MANAGER_FLAGS: &str = "--kubeconfig=admin.kubeconfig --leader-elect=false \
    --controllers=*,-node-ipam-controller --secure-port=0 \
    --service-account-private-key-file=apiserver.key";

/// How often the API server is started again because its port was taken.
const RETRIES: u32 = 5;

/// Where the programs and the servers' files are.
#[derive(Debug)]
pub(super) struct Launcher {
    assets: PathBuf,
    pub(super) dir: PathBuf,
    pub(super) admin: PathBuf,
    /// That of the administrator.
    pub(super) token: String,
    flags: String,
    ready: Ready,
    pub(super) watchdog: Watchdog,
}

impl Launcher {
    pub(super) fn new(options: &Options<'_>) -> Result<Self> {
        let absolute = |path: &Path| {
            std::path::absolute(path).context(Code::UnreadableFile, || {
                format!("bad path `{}`", path.display())
            })
        };
        let (assets, dir) = (absolute(options.assets)?, absolute(options.dir)?);
        let programs = PROGRAMS.into_iter();
        for program in programs.chain(options.controllers.then_some(CONTROLLER_MANAGER)) {
            if !assets.join(program).is_file() {
                let folder = assets.display();
                return Err(Error::new(
                    Code::NoControlPlane,
                    format!("`{folder}` does not contain `{program}`"),
                ));
            }
        }
        // Without controllers nobody makes the ServiceAccounts that this plugin wants for pods.
        let plugins = if options.controllers {
            ""
        } else {
            "--disable-admission-plugins=ServiceAccount"
        };
        let watchdog = Watchdog::new(&dir)?;
        make_private(&dir)?;
        let token = secret()?;
        let line = format!("{token},admin,admin,system:masters\n");
        kubeconfig::write(&dir.join("tokens.csv"), &line)?;
        let flags = format!("{API_SERVER_FLAGS} {plugins} {}", options.flags);
        Ok(Self {
            assets,
            admin: dir.join("admin.kubeconfig"),
            dir,
            flags,
            ready: Ready::new(token.clone()),
            token,
            watchdog,
        })
    }

    pub(super) fn authority(&self) -> PathBuf {
        self.dir.join("apiserver.crt")
    }

    pub(super) fn kubectl(&self) -> Command {
        let mut command = Command::new(self.assets.join("kubectl"));
        command
            // The variable, unlike the flag, leaves `--kubeconfig` to the caller.
            .env("KUBECONFIG", &self.admin)
            // Its cache knows an API server by address, and ports come back.
            .env("HOME", &self.dir)
            .env_remove("KUBECACHEDIR");
        command
    }

    /// Whether the administrator can read this path of the API server.
    fn answers(&self, port: u16, path: &str) -> bool {
        self.ready.answers(&self.authority(), port, path)
    }

    pub(super) fn start_etcd(&self) -> Result<Server> {
        // Not tried: the path of a socket may have 108 bytes, and this one may be longer.
        let ready = || self.dir.join("etcd.sock").exists();
        self.run("etcd", ETCD_FLAGS, ready, &mut [])
    }

    /// Starts the API server on the port that `port` gives, and asks for it again where it is taken.
    pub(super) fn start_api_server(
        &self,
        etcd: &mut Server,
        port: impl Fn() -> Result<u16>,
    ) -> Result<(Server, u16)> {
        let mut retries = 0;
        loop {
            let port = port()?;
            // It says that it is ready before it has made this namespace.
            let ready = || {
                let paths = ["/readyz", "/api/v1/namespaces/default"];
                paths.iter().all(|path| self.answers(port, path))
            };
            let admin = Kubeconfig {
                server: format!("https://127.0.0.1:{port}"),
                authority: Some(self.authority()),
                namespace: "default".to_owned(),
                token: self.token.clone(),
            };
            admin.write(&self.admin)?;
            let flags = format!("{} --secure-port={port}", self.flags);
            match self.run("kube-apiserver", &flags, ready, &mut [etcd]) {
                Ok(server) => return Ok((server, port)),
                Err(error) if retries < RETRIES && is_taken(&error) => retries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn start_controller_manager(
        &self,
        etcd: &mut Server,
        api_server: &mut Server,
        port: u16,
    ) -> Result<Server> {
        // It has no port to ask, but this is one of its works.
        let ready = || self.answers(port, "/api/v1/namespaces/default/serviceaccounts/default");
        let flags = CONTROLLER_MANAGER_FLAGS;
        self.run(CONTROLLER_MANAGER, flags, ready, &mut [etcd, api_server])
    }

    fn run(
        &self,
        name: &str,
        flags: &str,
        ready: impl Fn() -> bool,
        below: &mut [&mut Server],
    ) -> Result<Server> {
        let program = self.assets.join(name);
        Server::start(&program, flags, &self.dir, &self.watchdog, ready, below)
    }
}

/// Keeps others out of a folder, and so from the socket of etcd and from keys and tokens.
#[expect(
    clippy::disallowed_methods,
    reason = "creates no directory of a project"
)]
fn make_private(folder: &Path) -> Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))
        .unwritable(|| format!("failed to restrict access to `{}`", folder.display()))
}

/// A token that nobody can guess.
fn secret() -> Result<String> {
    let mut bytes = [0; 32];
    let random = rustls::crypto::ring::default_provider().secure_random;
    let filled = random.fill(&mut bytes);
    filled.map_err(|_| {
        Error::new(
            Code::SystemError,
            "the operating system returned no random numbers",
        )
    })?;
    Ok(hex(&bytes))
}

fn is_taken(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.contains("address already in use"))
}
