//! The control plane of a session, with what the operator needs in it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cluster::{self, Mode};
use crate::control_plane::{ControlPlane, Kubeconfig, free_port};
use crate::disk::{View, read_text};
use crate::error::{Context, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::Objects;
use crate::project::layout::{DEFAULT, EXTERNAL_CRDS, SAMPLES};
use crate::project::{ProjectKind, Root};
use crate::ui::Ui;

use super::identity::Identity;
use super::operator::Operator;
use super::unserved;
use super::webhooks::{is_unanswered, is_unknown, redirect};

/// How long the API server may take until it serves the project's kinds, and the operator until it answers.
const SOON: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(200);

/// What the flags of metrics begin with.
const METRICS: &str = "--metrics-";

/// A control plane that a project is installed in.
pub(super) struct Cluster<'a> {
    plane: ControlPlane,
    root: &'a Root,
    ui: &'a Ui,
    /// Where the operator serves its webhooks.
    port: u16,
    /// Where it serves its metrics.
    metrics: u16,
    installed: Installed,
}

/// What a project has in the cluster.
struct Installed {
    /// The CRDs of kinds of other operators.
    external: Objects,
    identity: Identity,
    /// Whether the API server calls the operator.
    has_webhooks: bool,
}

impl<'a> Cluster<'a> {
    /// Installs a project: all of config/default but the operator, which runs here.
    pub(super) fn new(mut plane: ControlPlane, root: &'a Root, ui: &'a Ui) -> Result<Self> {
        let port = free_port()?;
        let installed = install(&plane, root, port, None, ui)
            // kubectl only says that nobody answers.
            .map_err(|error| plane.ended().unwrap_or(error))?;
        Ok(Self {
            plane,
            root,
            ui,
            port,
            metrics: free_port()?,
            installed,
        })
    }

    /// The kubeconfig of the administrator.
    pub(super) fn admin(&self) -> &Path {
        self.plane.admin()
    }

    /// What is wrong if the control plane has ended by itself.
    pub(super) fn ended(&mut self) -> Option<Error> {
        self.plane.ended()
    }

    /// Installs what has changed. `root` is the project as it is now.
    pub(super) fn apply_manifests(&mut self, root: &Root) -> Result<()> {
        let before = Some(&self.installed.external);
        self.installed = install(&self.plane, root, self.port, before, self.ui)?;
        Ok(())
    }

    /// Applies the samples, where there are any. An operator that has just started may not answer for them yet, and
    /// policies may not know their CRDs. Returns whether it did: an operator that has ended will not answer.
    pub(super) fn apply_samples(&self, mut operator: Option<&mut Operator>) -> Result<bool> {
        let samples = self.root.path.join(SAMPLES);
        if !samples.join("kustomization.yaml").is_file() {
            return Ok(true);
        }
        let mut kubectl = self.plane.kubectl();
        if self.root.project.namespaced {
            kubectl.args(["--namespace", &self.installed.identity.namespace]);
        }
        let kubectl = Kubectl::from(&kubectl);
        let objects = Objects::render(&View::of(&self.root.path)?, SAMPLES, |_| Ok(&kubectl))?;
        let deadline = Instant::now() + SOON;
        loop {
            let Err(error) = apply(&kubectl, &objects, SAMPLES) else {
                return Ok(true);
            };
            let needs_operator = self.installed.has_webhooks && is_unanswered(&error);
            let runs = operator
                .as_deref_mut()
                .map(|operator| operator.ended().is_none());
            if needs_operator && runs != Some(true) {
                return Ok(false);
            }
            if !(needs_operator || is_unknown(&error)) || Instant::now() > deadline {
                return Err(error);
            }
            thread::sleep(POLL);
        }
    }

    /// Where the operator serves its metrics, unless its arguments say it.
    pub(super) fn metrics(&self, arguments: &[OsString]) -> Option<SocketAddr> {
        let is_set = arguments.iter().any(|argument| {
            let argument = argument.to_string_lossy();
            argument.starts_with(METRICS)
        });
        (!is_set).then(|| (Ipv4Addr::LOCALHOST, self.metrics).into())
    }

    /// Starts the operator as its own service account, with the rights that its role gives it.
    pub(super) fn run(&self, program: &Path, arguments: &[OsString]) -> Result<Operator> {
        let identity = &self.installed.identity;
        let Identity {
            namespace,
            service_account,
            environment,
            ..
        } = identity;
        let kubectl = Kubectl::from(&self.plane.kubectl());
        let kubeconfig = Kubeconfig {
            server: format!("https://127.0.0.1:{}", self.plane.port()),
            authority: Some(self.plane.authority()),
            namespace: namespace.clone(),
            token: kubectl.token(service_account, namespace)?,
        };
        let path = self.plane.dir().join("operator.kubeconfig");
        kubeconfig.write(&path)?;
        let flag = format!("--webhook-port={}", self.port);
        let port = self.installed.has_webhooks.then_some(flag);
        let metrics = self.metrics(arguments).map(|address| {
            let address = format!("{METRICS}bind-address={address}");
            [address, format!("{METRICS}secure=false")]
        });
        let mut command = Command::new(program);
        command
            .arg("--health-probe-bind-address=127.0.0.1:0")
            .args(port)
            .args(metrics.into_iter().flatten())
            .args(identity.arguments_beside(arguments))
            .args(arguments)
            .current_dir(&self.root.path)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .env("KUBECONFIG", path);
        self.plane.adopt(&mut command);
        Operator::start(command)
    }
}

/// Installs a project. `before` are the CRDs of kinds of other operators that are there.
fn install(
    plane: &ControlPlane,
    root: &Root,
    port: u16,
    before: Option<&Objects>,
    ui: &Ui,
) -> Result<Installed> {
    let kubectl = Kubectl::from(&plane.kubectl());
    let external = external_crds(root)?;
    if before != Some(&external) {
        if before.is_some() {
            ui.done("apply", EXTERNAL_CRDS);
        }
        if !external.is_empty() {
            apply(&kubectl, &external, EXTERNAL_CRDS)?;
            cluster::wait_until_served(&kubectl, &external, SOON, &mut |_| ())?;
        }
        for gone in before
            .into_iter()
            .flat_map(|before| removed(before, &external))
        {
            ui.note(&format!(
                "the CRD {gone} is kept until `rop dev` restarts: deleting it would delete its \
                objects"
            ));
        }
    }
    let objects = Objects::render(&View::of(&root.path)?, DEFAULT, |_| Ok(&kubectl))?;
    let identity = Identity::of(&objects)?;
    // There are no nodes that its pods could run on.
    let rest = objects.only(|object| object["kind"] != "Deployment");
    let (mut rest, kinds) = unserved::leave_out(&rest, &kubectl.api_versions()?);
    for kind in kinds {
        ui.note(&format!(
            "skipped {kind}: the control plane does not serve this kind"
        ));
    }
    let has_webhooks = redirect(&mut rest, &identity.namespace, port);
    // Where the operator is deployed, somebody else has made them.
    let namespaces = rest.given_namespaces();
    if !namespaces.is_empty() {
        apply(&kubectl, &namespaces, DEFAULT)?;
    }
    apply(&kubectl, &rest, DEFAULT)?;
    cluster::wait_until_served(&kubectl, &rest.crds(), SOON, &mut |_| ())?;
    Ok(Installed {
        external,
        identity,
        has_webhooks,
    })
}

/// The CRDs of kinds of other operators. Where the operator is deployed, these have installed them.
fn external_crds(root: &Root) -> Result<Objects> {
    let paths: BTreeSet<String> = root
        .project
        .external_kinds()
        .map(ProjectKind::crd)
        .collect();
    let mut manifests = String::new();
    for path in paths {
        let text = read_text(&root.path.join(&path));
        manifests += "---\n";
        manifests += &text.unreadable(path)?;
        manifests += "\n";
    }
    Objects::parse(&manifests)
}

/// The names of the objects that are not there any more.
fn removed<'a>(before: &'a Objects, after: &'a Objects) -> impl Iterator<Item = &'a str> {
    let name = |object: &'a Value| object["metadata"]["name"].as_str();
    let kept: BTreeSet<&str> = after.iter().filter_map(name).collect();
    let names = before.iter().filter_map(name);
    names.filter(move |name| !kept.contains(name))
}

/// Applies without asking first: nobody else works there, and it is to be quick.
fn apply(kubectl: &Kubectl, objects: &Objects, what: &str) -> Result<()> {
    let mode = Mode {
        force_conflicts: true,
    };
    cluster::apply_unasked(kubectl, objects, mode)
        .map(drop)
        .map_err(|e| e.context(format!("the control plane rejected {what}")))
}
