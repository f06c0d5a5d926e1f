//! The control plane of a session, with what the operator needs in it.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::cluster::{self, Kubectl, Mode, Objects};
use crate::control_plane::{ControlPlane, Kubeconfig};
use crate::error::Result;
use crate::project::Root;
use crate::project::layout::{DEFAULT, SAMPLES};

use super::identity::Identity;
use super::operator::Operator;

/// How long the API server may take until it serves the project's kinds.
const SOON: Duration = Duration::from_secs(30);

/// A control plane that a project is installed in.
pub(super) struct Cluster<'a> {
    plane: ControlPlane,
    root: &'a Root,
    identity: Identity,
}

impl<'a> Cluster<'a> {
    /// Installs a project: all of config/default but the operator, which runs here.
    pub(super) fn new(plane: ControlPlane, root: &'a Root) -> Result<Self> {
        let identity = install(&plane, root)?;
        Ok(Self {
            plane,
            root,
            identity,
        })
    }

    /// The kubeconfig of the administrator.
    pub(super) fn admin(&self) -> &Path {
        self.plane.admin()
    }

    /// Installs what has changed.
    pub(super) fn apply_manifests(&self) -> Result<()> {
        install(&self.plane, self.root).map(drop)
    }

    /// Applies the samples, where there are any.
    pub(super) fn apply_samples(&self) -> Result<()> {
        let samples = self.root.path.join(SAMPLES);
        if !samples.join("kustomization.yaml").is_file() {
            return Ok(());
        }
        let mut kubectl = self.plane.kubectl();
        if self.root.project.namespaced {
            kubectl.args(["--namespace", &self.identity.namespace]);
        }
        let kubectl = Kubectl::from(&kubectl);
        apply(&kubectl, &Objects::render(&kubectl, &samples)?, SAMPLES)
    }

    /// Starts the operator as its own service account, with the rights that its role gives it.
    pub(super) fn run(&self, program: &Path, arguments: &[OsString]) -> Result<Operator> {
        let Identity {
            namespace,
            service_account,
            environment,
        } = &self.identity;
        let kubectl = Kubectl::from(&self.plane.kubectl());
        let kubeconfig = Kubeconfig {
            server: format!("https://127.0.0.1:{}", self.plane.port()),
            authority: Some(self.plane.authority()),
            namespace: namespace.clone(),
            token: kubectl.token(service_account, namespace)?,
        };
        let path = self.plane.dir().join("operator.kubeconfig");
        kubeconfig.write(&path)?;
        let mut command = Command::new(program);
        command
            .arg("--health-probe-bind-address=127.0.0.1:0")
            .args(arguments)
            .current_dir(&self.root.path)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .env("KUBECONFIG", path);
        self.plane.adopt(&mut command);
        Operator::start(command)
    }
}

fn install(plane: &ControlPlane, root: &Root) -> Result<Identity> {
    let kubectl = Kubectl::from(&plane.kubectl());
    let objects = Objects::render(&kubectl, &root.path.join(DEFAULT))?;
    let identity = Identity::of(&objects)?;
    // There are no nodes that its pods could run on.
    let rest = objects.only(|object| object["kind"] != "Deployment");
    apply(&kubectl, &rest, DEFAULT)?;
    cluster::wait_until_served(&kubectl, &rest.crds(), SOON, &mut |_| ())?;
    Ok(identity)
}

/// Applies without asking first: nobody else works there, and it is to be quick.
fn apply(kubectl: &Kubectl, objects: &Objects, what: &str) -> Result<()> {
    let mode = Mode {
        force_conflicts: true,
    };
    cluster::apply_unasked(kubectl, objects, mode)
        .map(drop)
        .map_err(|e| e.context(format!("the control plane refuses {what}")))
}
