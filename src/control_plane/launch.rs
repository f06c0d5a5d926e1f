//! How the servers of a control plane are started.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Error, Result};

use super::kubeconfig::{self, Kubeconfig};
use super::ready::Ready;
use super::server::Server;
use super::watchdog::Watchdog;
use super::{CONTROLLER_MANAGER, Options, PROGRAMS};

// The servers run in the folder: relative paths here are relative to it.

/// A socket of our own needs no free port. etcd refuses to advertise one, but nobody reads what it
/// advertises.
const ETCD_FLAGS: &str = "--data-dir=etcd --listen-client-urls=unix://etcd.sock --unsafe-no-fsync \
    --advertise-client-urls=http://127.0.0.1:1 --listen-peer-urls=http://127.0.0.1:0";

/// It makes apiserver.crt and apiserver.key before it reads any other key, so the same key can sign
/// the tokens. Without the grace period an open watch holds up its end for a minute.
const API_SERVER_FLAGS: &str = "--etcd-servers=unix://etcd.sock --cert-dir=. \
    --bind-address=127.0.0.1 --advertise-address=127.0.0.1 \
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
    flags: String,
    ready: Ready,
    pub(super) watchdog: Watchdog,
}

impl Launcher {
    pub(super) fn new(options: &Options<'_>) -> Result<Self> {
        let absolute = |path: &Path| {
            std::path::absolute(path).context(|| format!("bad path `{}`", path.display()))
        };
        let (assets, dir) = (absolute(options.assets)?, absolute(options.dir)?);
        let wanted = PROGRAMS.into_iter();
        for program in wanted.chain(options.controllers.then_some(CONTROLLER_MANAGER)) {
            if !assets.join(program).is_file() {
                let folder = assets.display();
                return Err(Error::new(format!("`{folder}` holds no `{program}`")));
            }
        }
        // Without controllers nobody makes the ServiceAccounts that this plugin wants for pods.
        let plugins = match options.controllers {
            true => "",
            false => "--disable-admission-plugins=ServiceAccount",
        };
        let watchdog = Watchdog::new(&dir)?;
        kubeconfig::write(
            &dir.join("tokens.csv"),
            "admin,admin,admin,system:masters\n",
        )?;
        let flags = format!("{API_SERVER_FLAGS} {plugins} {}", options.flags);
        Ok(Self {
            assets,
            admin: dir.join("admin.kubeconfig"),
            dir,
            flags,
            ready: Ready::default(),
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
        self.run("etcd", ETCD_FLAGS, ready)
    }

    /// Starts the API server on the port that `port` gives, and asks for it again where it is taken.
    pub(super) fn start_api_server(&self, port: impl Fn() -> Result<u16>) -> Result<(Server, u16)> {
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
                token: "admin".to_owned(),
            };
            admin.write(&self.admin)?;
            let flags = format!("{} --secure-port={port}", self.flags);
            match self.run("kube-apiserver", &flags, ready) {
                Ok(server) => return Ok((server, port)),
                Err(error) if retries < RETRIES && is_taken(&error) => retries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn start_controller_manager(&self, port: u16) -> Result<Server> {
        // It has no port to ask, but this is one of its works.
        let ready = || self.answers(port, "/api/v1/namespaces/default/serviceaccounts/default");
        self.run(CONTROLLER_MANAGER, CONTROLLER_MANAGER_FLAGS, ready)
    }

    fn run(&self, name: &str, flags: &str, ready: impl Fn() -> bool) -> Result<Server> {
        let program = self.assets.join(name);
        Server::start(&program, flags, &self.dir, &self.watchdog, ready)
    }
}

fn is_taken(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.contains("address already in use"))
}
