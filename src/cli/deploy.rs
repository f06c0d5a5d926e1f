use clap::Args;

use crate::cluster::{self, Kubectl, Objects};
use crate::error::Result;
use crate::project::name::Image;

use super::apply::{Application, apply};
use super::context::Context;
use super::operator::{OperatorArgs, leave_foreign};
use super::target::TimeoutArgs;

const EXAMPLES: &str = "\
Examples:
  rop deploy --image registry.example.com/app-operator:v0.1.0
  rop deploy --image app-operator:dev --context kind-test --timeout 5m
  rop deploy --namespace operators --dry-run";

/// Deploy the operator with its CRDs and RBAC.
///
/// Applies `config/default` with server-side apply, substituting the image in memory. Then waits until the
/// CRDs are served and the pods are ready; if they do not become ready, reports why, with the last lines of
/// their logs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DeployArgs {
    /// Image of the operator [default: that of config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// Take over fields of other field managers.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    operator: OperatorArgs,
}

pub(super) fn run(args: &DeployArgs, context: &Context) -> Result<()> {
    let (kubectl, mut objects) = args.operator.manifests(context)?;
    if let Some(image) = &args.image {
        objects.set_image(image.as_str())?;
    }
    let target = &args.operator.target;
    let reached = target.reach(kubectl, "deploy the operator", context)?;
    leave_foreign(&reached.kubectl, &mut objects, context)?;
    apply(&Application {
        command: "deploy",
        what: "the manifests",
        objects: &objects,
        force_conflicts: args.force_conflicts,
        reached: &reached,
        context,
    })?;
    if context.dry_run {
        return Ok(());
    }
    wait(&reached.kubectl, &objects, &args.operator.timeout, context)?;
    let namespace = objects.namespace()?;
    context
        .ui
        .done("done", &format!("the operator runs in `{namespace}`"));
    Ok(())
}

fn wait(
    kubectl: &Kubectl,
    objects: &Objects,
    timeout: &TimeoutArgs,
    context: &Context,
) -> Result<()> {
    let progress = context
        .ui
        .progress("wait", "until the operator is ready", None);
    let mut say = |text: &str| progress.say(text);
    cluster::wait_until_served(kubectl, &objects.crds(), timeout.timeout, &mut say)?;
    for deployment in objects.deployments() {
        cluster::wait_until_ready(kubectl, deployment, timeout.timeout, &mut say)?;
    }
    Ok(())
}
