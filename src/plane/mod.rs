//! A throw-away Kubernetes API on this machine: etcd, kube-apiserver and, where wanted,
//! kube-controller-manager. No node takes part, so pods stay pending.

mod kubeconfig;
mod lifeline;
mod server;

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::error::{Context, Error, Result};

pub use kubeconfig::Kubeconfig;
use lifeline::Lifeline;
use server::Server;
pub(crate) use server::terminate;

/// The programs that there must be.
pub const PROGRAMS: [&str; 3] = ["etcd", "kube-apiserver", "kubectl"];

/// The program that Kubernetes' own controllers are in. The archives for tests do not hold it.
pub const CONTROLLER_MANAGER: &str = "kube-controller-manager";

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
    --service-cluster-ip-range=10.0.0.0/16 --shutdown-watch-termination-grace-period=1s";

const CONTROLLER_MANAGER_FLAGS: &str = "--kubeconfig=admin.kubeconfig --leader-elect=false \
    --controllers=*,-node-ipam-controller --secure-port=0 \
    --service-account-private-key-file=apiserver.key";

/// How often the API server is started again because its port was taken.
const RETRIES: u32 = 5;

/// What a control plane is started from.
#[derive(Debug)]
pub struct Options<'a> {
    /// Where the programs are, as `KUBEBUILDER_ASSETS` names it.
    pub assets: &'a Path,
    /// The folder of the servers' files, which is removed with them. It must be there.
    pub dir: &'a Path,
    /// Whether Kubernetes' own controllers run as well.
    pub controllers: bool,
    /// More flags for the API server.
    pub flags: &'a str,
}

/// A running control plane. Dropping it ends its processes and removes its files, and so does the
/// end of this process, whatever ends it.
#[derive(Debug)]
pub struct ControlPlane {
    // Dropped from top to bottom: each server before the one that it talks to, and what watches
    // over them last.
    controller_manager: Option<Server>,
    api_server: Server,
    etcd: Server,
    site: Site,
    port: u16,
}

impl ControlPlane {
    /// Starts the servers and waits until they are ready.
    ///
    /// # Errors
    /// A program is not there, or did not get ready: the end of its log says why.
    pub fn start(options: &Options<'_>) -> Result<Self> {
        let site = Site::new(options)?;
        let etcd = site.start_etcd()?;
        let (api_server, port) = site.start_api_server(free_port)?;
        let controller_manager = match options.controllers {
            true => Some(site.start_controller_manager()?),
            false => None,
        };
        Ok(Self {
            controller_manager,
            api_server,
            etcd,
            site,
            port,
        })
    }

    /// Whether garbage collection, Deployments and the like are at work.
    pub fn has_controllers(&self) -> bool {
        self.controller_manager.is_some()
    }

    /// The port of the API server on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of its files.
    pub fn dir(&self) -> &Path {
        &self.site.dir
    }

    /// The kubeconfig of the administrator.
    pub fn admin(&self) -> &Path {
        &self.site.admin
    }

    /// What vouches for the API server's certificate: itself.
    pub fn authority(&self) -> PathBuf {
        self.site.authority()
    }

    /// kubectl as the administrator.
    pub fn kubectl(&self) -> Command {
        self.site.kubectl()
    }

    /// Lets a command, about to be run, end with this process however that ends.
    pub fn adopt(&self, command: &mut Command) {
        command.process_group(self.site.lifeline.group());
    }

    /// Stops etcd, and starts it on the same data after a while.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn restart_etcd(&mut self, after: Duration) -> Result<()> {
        self.etcd.terminate()?;
        thread::sleep(after);
        self.etcd = self.site.start_etcd()?;
        Ok(())
    }

    /// Stops the API server, as an upgrade would, and starts it on the same port and data.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn restart_api_server(&mut self) -> Result<()> {
        self.api_server.terminate()?;
        let port = self.port;
        (self.api_server, _) = self.site.start_api_server(|| Ok(port))?;
        Ok(())
    }
}

/// Where the programs and the servers' files are.
#[derive(Debug)]
struct Site {
    assets: PathBuf,
    dir: PathBuf,
    admin: PathBuf,
    flags: String,
    lifeline: Lifeline,
}

impl Site {
    fn new(options: &Options<'_>) -> Result<Self> {
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
        let lifeline = Lifeline::new(&dir)?;
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
            lifeline,
        })
    }

    fn authority(&self) -> PathBuf {
        self.dir.join("apiserver.crt")
    }

    fn kubectl(&self) -> Command {
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
    fn answers(&self, path: &str) -> bool {
        let mut kubectl = self.kubectl();
        kubectl.args(["get", "--request-timeout=5s", "--raw", path]);
        kubectl.output().is_ok_and(|output| output.status.success())
    }

    fn start_etcd(&self) -> Result<Server> {
        // Not tried: the path of a socket may have 108 bytes, and this one may be longer.
        let ready = || self.dir.join("etcd.sock").exists();
        self.run("etcd", ETCD_FLAGS, ready)
    }

    /// Starts the API server on the port that `port` gives, and asks for it again where it is taken.
    fn start_api_server(&self, port: impl Fn() -> Result<u16>) -> Result<(Server, u16)> {
        // It says that it is ready before it has made this namespace.
        let ready = || self.answers("/readyz") && self.answers("/api/v1/namespaces/default");
        let mut retries = 0;
        loop {
            let port = port()?;
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

    fn start_controller_manager(&self) -> Result<Server> {
        // It has no port to ask, but this is one of its works.
        let ready = || self.answers("/api/v1/namespaces/default/serviceaccounts/default");
        self.run(CONTROLLER_MANAGER, CONTROLLER_MANAGER_FLAGS, ready)
    }

    fn run(&self, name: &str, flags: &str, ready: impl Fn() -> bool) -> Result<Server> {
        let program = self.assets.join(name);
        Server::start(&program, flags, &self.dir, &self.lifeline, ready)
    }
}

fn is_taken(error: &Error) -> bool {
    error
        .chain()
        .any(|cause| cause.contains("address already in use"))
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    Ok(address.context(|| "there is no free port")?.port())
}
