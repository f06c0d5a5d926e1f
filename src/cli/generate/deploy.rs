use clap::Args;

use crate::address::COMPAT;
use crate::cli::help::examples;
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

/// Generate the directory `deploy/` of operator-sdk 0.x, for `kubectl create -f`.
///
/// Contains `service_account.yaml`, `role.yaml`, `role_binding.yaml`, `operator.yaml` with the placeholder
/// `REPLACE_IMAGE`, the CRDs and samples in `crds/`, the admission policies in `policies/`, and the Roles of markers
/// with `namespace=` in `namespaced_roles.yaml`. The operator watches its own namespace.
///
/// Other commands keep its CRDs, policies and role up to date; the other files are yours. It does not include webhooks.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[COMPAT]))]
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
    scaffold::check_templates(&entered.view, &root.project)?;
    scaffold::leave_to_user(&entered.view, &mut after, DeployFolder.is_in(&entered.view))?;
    let (before, recorded) = record::extended(&entered.view, &after)?;
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
