use clap::Args;

use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::output::{DeployFolder, Manifests, Output};
use crate::record;
use crate::scaffold;

const EXAMPLES: &str = "\
Examples:
  rop generate deploy
  sed -i 's|REPLACE_IMAGE|registry.example.com/app-operator:v0.1.0|g' deploy/operator.yaml
  kubectl create -n app-operator -f deploy/service_account.yaml";

/// Write the folder `deploy/` of operator-sdk 0.x, for `kubectl create -f`.
///
/// It holds `service_account.yaml`, `role.yaml`, `role_binding.yaml`, `operator.yaml` with
/// `REPLACE_IMAGE` in the image's place, in `crds/` the CRD and a sample of each kind, and in `policies/`
/// the admission policies. Roles in the namespaces that markers name are in `namespaced_roles.yaml`. The operator watches the namespace that it is created in. From then on other
/// commands keep the CRDs, the policies and the role there in line; the rest is yours. Webhooks are not there.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct DeployArgs {
    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &DeployArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open(Access::Write)?;
    if let Some(note) = DeployFolder.note(&root.project) {
        invocation.ui.note(note);
    }
    let manifests = Manifests::on_disk(&root.project, &entered.view);
    let mut after = DeployFolder.tree(&manifests)?;
    scaffold::leave_to_user(&entered.view, &mut after);
    let (before, recorded) = record::grown(&entered.view, &after)?;
    after.extend(recorded);
    invocation
        .carry_out(&Transition {
            command: "generate deploy",
            view: &entered.view,
            before,
            after,
            force: args.force,
        })
        .map(drop)
}
