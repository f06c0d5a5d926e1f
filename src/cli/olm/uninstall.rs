use clap::Args;

use super::manifests::{ManifestArgs, defines};
use crate::address::OLM;
use crate::cli::args::target::{TargetArgs, TimeoutArgs};
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::cluster::{self, CustomObjects, Deletion};
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::{ObjectId, Objects};

const EXAMPLES: &str = "\
Examples:
  rop olm uninstall crds.yaml olm.yaml
  rop olm uninstall crds.yaml olm.yaml --dry-run
  rop olm uninstall https://mirror.example.com/olm/v0.46.0/olm.yaml --sha256 SUM --yes";

/// Delete OLM, using the manifests it was installed from.
///
/// Deletes OLM's own Subscriptions, catalogs and the like first, then the CRDs while OLM can still clean up, then the other
/// objects. If other objects of OLM's kinds exist, such as the Subscriptions of your operators, lists their number and
/// requires `--yes`.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OLM]))]
pub(in crate::cli) struct UninstallArgs {
    #[command(flatten)]
    manifests: ManifestArgs,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(args: &UninstallArgs, invocation: &Invocation) -> Result<()> {
    let manifests = args.manifests.read(args.timeout.timeout, invocation)?;
    let kubectl = Kubectl::find(&args.target.target())?.within(args.timeout.timeout);
    let reached = args
        .target
        .reach_any(kubectl, "uninstall OLM", invocation)?;
    let kubectl = &reached.kubectl;
    let (mut custom, plain) = manifests.split();
    let crds: Objects = cluster::live_crds(kubectl, &plain.crds())?
        .into_iter()
        .collect();
    custom = custom.only(|object| crds.iter().any(|crd| defines(crd, object)));
    let own = Deletion::new(kubectl, &custom)?;
    let data = others(cluster::of_crds(kubectl, &crds)?, &own, &crds);
    if !data.is_empty() {
        let lines: String = data.iter().map(|data| format!("\n  {data}")).collect();
        if !(args.target.yes || invocation.dry_run) {
            return Err(Error::new(
                Code::ObjectsAtRisk,
                format!("deleting OLM would delete these objects, so nothing was deleted:{lines}"),
            )
            .hint("remove the operators first with `rop cleanup`, or confirm with `--yes`"));
        }
        invocation
            .ui
            .note(&format!("deleting OLM deletes these objects:{lines}"));
    }
    let rest = Deletion::new(kubectl, &plain)?;
    let effects = [own.effects(), rest.effects()].concat();
    if !(invocation.dry_run || effects.is_empty()) {
        let progress = invocation
            .ui
            .progress("waiting", "until all objects are deleted", None);
        let mut say = |text: &str| progress.say(text);
        for deletion in [&own, &rest] {
            cluster::delete(kubectl, deletion, args.timeout.timeout, &mut say)?;
        }
    }
    reached.report("olm uninstall", &effects, invocation)?;
    if effects.is_empty() {
        invocation.ui.done("unchanged", "nothing to delete");
    }
    Ok(())
}

/// The objects of OLM's kinds that are not in its manifests.
fn others(data: Vec<CustomObjects>, own: &Deletion, crds: &Objects) -> Vec<CustomObjects> {
    let own: Vec<ObjectId> = own.effects().into_iter().map(|effect| effect.id).collect();
    let data = data.into_iter().filter_map(|mut data| {
        let crd = crds
            .iter()
            .find(|crd| crd["metadata"]["name"] == *data.crd)?;
        let is_of = |id: &&ObjectId| {
            crd["spec"]["group"] == *id.group && crd["spec"]["names"]["kind"] == *id.kind
        };
        for id in own.iter().filter(is_of) {
            let name = match &id.namespace {
                Some(namespace) => format!("{namespace}/{}", id.name),
                None => id.name.clone(),
            };
            data.names.retain(|known| *known != name);
            data.count = data.count.saturating_sub(1);
        }
        (data.count > 0).then_some(data)
    });
    data.collect()
}
