//! The control plane of a session, with what the operator needs in it.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Context, Error, Result};
use crate::plane::{ControlPlane, Kubeconfig};
use crate::project::Root;

use super::manifests::{Identity, without_deployment};
use super::operator::Operator;

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
        let samples = self.root.path.join("config/samples");
        if !samples.join("kustomization.yaml").is_file() {
            return Ok(());
        }
        let mut kubectl = self.plane.kubectl();
        kubectl.args(["apply", "--server-side", "--force-conflicts", "-k"]);
        kubectl.arg(samples);
        if self.root.project.namespaced {
            kubectl.args(["--namespace", &self.identity.namespace]);
        }
        output(kubectl, "").map(drop)
    }

    /// Starts the operator as its own service account, with the rights that its role gives it.
    pub(super) fn run(&self, program: &Path, arguments: &[OsString]) -> Result<Operator> {
        let Identity {
            namespace,
            service_account,
            environment,
        } = &self.identity;
        let mut kubectl = self.plane.kubectl();
        kubectl.args(["create", "token", service_account, "-n", namespace]);
        // As long as the API server gives one.
        kubectl.arg("--duration=24h");
        let kubeconfig = Kubeconfig {
            server: format!("https://127.0.0.1:{}", self.plane.port()),
            authority: Some(self.plane.authority()),
            namespace: namespace.clone(),
            token: output(kubectl, "")?.trim().to_owned(),
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
    let mut kubectl = plane.kubectl();
    kubectl
        .arg("kustomize")
        .arg(root.path.join("config/default"));
    let (manifests, identity) = without_deployment(&output(kubectl, "")?)?;
    let mut kubectl = plane.kubectl();
    kubectl.args(["apply", "--server-side", "--force-conflicts", "-f", "-"]);
    output(kubectl, &manifests)?;
    if !root.project.resources.is_empty() {
        let mut kubectl = plane.kubectl();
        kubectl.args(["wait", "--for=condition=Established", "crd", "--all"]);
        output(kubectl, "")?;
    }
    Ok(identity)
}

/// What a command prints when it is told `input`.
fn output(mut command: Command, input: &str) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = || format!("failed to run `{program}`");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Where it stops reading early, its stderr says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().context(failed)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words: Vec<_> = command
        .get_args()
        .take(2)
        .map(|word| word.to_string_lossy())
        .collect();
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::new(said).context(format!("`kubectl {}` failed", words.join(" "))))
}
