use clap::Args;

use crate::cluster;
use crate::error::Result;
use crate::kubectl::Kubectl;
use crate::objects::Objects;
use crate::project::name::Image;

use super::apply::{Application, apply};
use super::args::operator::{OperatorArgs, leave_foreign};
use super::args::target::TimeoutArgs;
use super::invocation::Invocation;
use crate::address::CLUSTER;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop deploy --image registry.example.com/app-operator:v0.1.0
  rop deploy --image app-operator:dev --context kind-test --timeout 5m
  rop deploy --namespace operators --dry-run";

/// Deploy the operator with its CRDs and RBAC.
///
/// Applies `config/default` with server-side apply, substituting the image in memory. Then waits until the CRDs are
/// served and the pods are ready; if they do not become ready, reports why, with the last lines of their logs.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(super) struct DeployArgs {
    /// Operator image [default: the image in config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// Take over fields owned by other field managers.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) fn run(args: &DeployArgs, invocation: &Invocation) -> Result<()> {
    let (kubectl, mut objects) = args.operator.manifests(invocation)?;
    if let Some(image) = &args.image {
        objects.set_image(image.as_str())?;
    }
    let target = &args.operator.target;
    let reached = target.reach(kubectl, "deploy the operator", invocation)?;
    leave_foreign(&reached.kubectl, &mut objects, invocation)?;
    cluster::check_namespaces(&reached.kubectl, &objects)?;
    apply(&Application {
        command: "deploy",
        what: "the manifests",
        objects: &objects,
        force_conflicts: args.force_conflicts,
        reached: &reached,
        invocation,
    })?;
    if invocation.dry_run {
        return Ok(());
    }
    wait(
        &reached.kubectl,
        &objects,
        &args.operator.timeout,
        invocation,
    )?;
    let namespace = objects.namespace()?;
    invocation
        .ui
        .done("ready", &format!("the operator runs in `{namespace}`"));
    Ok(())
}

fn wait(
    kubectl: &Kubectl,
    objects: &Objects,
    timeout: &TimeoutArgs,
    invocation: &Invocation,
) -> Result<()> {
    let progress = invocation
        .ui
        .progress("waiting", "until the operator is ready", None);
    let mut say = |text: &str| progress.say(text);
    cluster::wait_until_served(kubectl, &objects.crds(), timeout.timeout, &mut say)?;
    for deployment in objects.deployments() {
        cluster::wait_until_ready(
            kubectl,
            deployment,
            timeout.timeout,
            "rop undeploy",
            &mut say,
        )?;
    }
    Ok(())
}
