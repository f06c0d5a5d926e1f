//! A throw-away Kubernetes API on this machine: etcd, kube-apiserver and, where wanted,
//! kube-controller-manager. No node takes part, so pods stay pending.

mod kubeconfig;
mod launch;
pub mod programs;
mod ready;
mod server;
mod watchdog;

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::error::{Code, Context, Error, Result};

pub use kubeconfig::Kubeconfig;
use launch::Launcher;
use server::Server;
pub(crate) use server::terminate;

/// The programs that there must be.
pub const PROGRAMS: [&str; 3] = ["etcd", "kube-apiserver", "kubectl"];

/// The program that Kubernetes' own controllers are in. The archives for tests do not hold it.
pub const CONTROLLER_MANAGER: &str = "kube-controller-manager";

/// What a control plane is started from.
#[derive(Debug)]
pub struct Options<'a> {
    /// Where the programs are, as `KUBEBUILDER_ASSETS` names it.
    pub assets: &'a Path,
    /// The folder of the servers' files, which is removed with them. It must be there; others are kept out of it.
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
    launcher: Launcher,
    port: u16,
}

impl ControlPlane {
    /// Starts the servers and waits until they are ready.
    ///
    /// # Errors
    /// A program is not there, or did not get ready: the end of its log says why.
    pub fn start(options: &Options<'_>) -> Result<Self> {
        let launcher = Launcher::new(options)?;
        let mut etcd = launcher.start_etcd()?;
        let (mut api_server, port) = launcher.start_api_server(&mut etcd, free_port)?;
        let controller_manager = if options.controllers {
            Some(launcher.start_controller_manager(&mut etcd, &mut api_server, port)?)
        } else {
            None
        };
        Ok(Self {
            controller_manager,
            api_server,
            etcd,
            launcher,
            port,
        })
    }

    /// The port of the API server on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of its files.
    pub fn dir(&self) -> &Path {
        &self.launcher.dir
    }

    /// The kubeconfig of the administrator.
    pub fn admin(&self) -> &Path {
        &self.launcher.admin
    }

    /// The administrator's token.
    pub fn token(&self) -> &str {
        &self.launcher.token
    }

    /// What vouches for the API server's certificate: itself.
    pub fn authority(&self) -> PathBuf {
        self.launcher.authority()
    }

    /// kubectl as the administrator.
    pub fn kubectl(&self) -> Command {
        self.launcher.kubectl()
    }

    /// What is wrong if a server has ended by itself.
    pub fn ended(&mut self) -> Option<Error> {
        let mut servers = [&mut self.etcd, &mut self.api_server]
            .into_iter()
            .chain(&mut self.controller_manager);
        servers.find_map(Server::ended)
    }

    /// Lets a command, about to be run, end with this process however that ends.
    pub fn adopt(&self, command: &mut Command) {
        command.process_group(self.launcher.watchdog.group());
    }

    /// Stops etcd, and starts it on the same data after a while.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn restart_etcd(&mut self, after: Duration) -> Result<()> {
        self.etcd.terminate()?;
        thread::sleep(after);
        self.etcd = self.launcher.start_etcd()?;
        Ok(())
    }

    /// Stops the API server, as an upgrade would, and starts it on the same port and data.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn restart_api_server(&mut self) -> Result<()> {
        self.api_server.terminate()?;
        self.start_api_server()
    }

    /// Kills the API server, as a node that fails would, and starts it on the same port and data.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn kill_api_server(&mut self) -> Result<()> {
        self.api_server.kill();
        self.start_api_server()
    }

    fn start_api_server(&mut self) -> Result<()> {
        let port = self.port;
        let etcd = &mut self.etcd;
        (self.api_server, _) = self.launcher.start_api_server(etcd, || Ok(port))?;
        Ok(())
    }
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    Ok(address
        .context(Code::SystemError, || "no free port")?
        .port())
}
