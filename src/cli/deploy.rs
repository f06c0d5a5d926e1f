use clap::Args;

use crate::cluster::{self, Kubectl, Mode, Objects};
use crate::error::Result;
use crate::project::Root;
use crate::project::name::Image;

use super::context::Context;
use super::target::{Reached, TargetArgs, TimeoutArgs, project_here, warn};

const EXAMPLES: &str = "\
Examples:
  rop deploy --image registry.example.com/app-operator:v0.1.0
  rop deploy --image app-operator:dev --context kind-test --timeout 5m
  rop deploy --namespace operators --dry-run";

/// Deploy the operator into a cluster, with its CRDs and its rights.
///
/// Applies `config/default` on the side of the server, with the image put in on the way: no file is
/// edited. Then waits until the CRDs are served and the pods are ready; where they do not get ready,
/// tells the pods' reasons and the last lines of their logs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DeployArgs {
    /// The image that the operator runs from [default: that of config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// The namespace that it runs in [default: that of config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    /// Take over fields that somebody else set.
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(args: &DeployArgs, context: &Context) -> Result<()> {
    let root = project_here(context)?;
    let kubectl = Kubectl::find(&args.target.target())?;
    let mut objects = manifests(&root, &kubectl, args.namespace.as_deref())?;
    if let Some(image) = &args.image {
        objects.set_image(image.as_str())?;
    }
    let reached = args.target.reach(kubectl, "deploy the operator", context)?;
    let Reached { kubectl, .. } = &reached;
    leave_foreign(kubectl, &mut objects, context)?;
    let mode = Mode {
        force_conflicts: args.force_conflicts,
    };
    let effects = cluster::foresee(kubectl, &objects, mode)
        .map_err(|e| e.context("the cluster refuses the manifests, so nothing was changed"))?;
    if !(context.dry_run || effects.is_empty()) {
        let progress = context.ui.progress("apply", "config/default", None);
        let warnings = cluster::apply(kubectl, &objects, mode)
            .map_err(|e| e.context("the cluster refuses the manifests"))?;
        drop(progress);
        warn(&warnings, context);
    }
    reached.report("deploy", &effects, context)?;
    if context.dry_run {
        return Ok(());
    }
    wait(kubectl, &objects, &args.timeout, context)?;
    let namespace = objects.namespace()?;
    context
        .ui
        .done("done", &format!("the operator runs in `{namespace}`"));
    Ok(())
}

/// What `config/default` says, in the namespace that was asked for.
pub(super) fn manifests(
    root: &Root,
    kubectl: &Kubectl,
    namespace: Option<&str>,
) -> Result<Objects> {
    let mut objects = Objects::render(kubectl, &root.path.join("config/default"))?;
    if let Some(namespace) = namespace {
        objects.set_namespace(namespace)?;
    }
    Ok(objects)
}

/// Leaves Namespaces of others alone, and says so.
pub(super) fn leave_foreign(
    kubectl: &Kubectl,
    objects: &mut Objects,
    context: &Context,
) -> Result<()> {
    for name in cluster::leave_foreign(kubectl, objects)? {
        context.ui.note(&format!(
            "the namespace `{name}` is not the operator's own, so it stays as it is"
        ));
    }
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
