use clap::Args;

use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::error::Result;
use crate::manifest::Sources;
use crate::plan::Tree;
use crate::project::Project;
use crate::record;
use crate::scaffold;
use crate::ui::Ui;

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
    say_what_it_lacks(&root.project, &invocation.ui);
    let nothing = Tree::default();
    let sources = Sources::read(&entered.view, &nothing, &nothing)?;
    let mut after =
        scaffold::deploy_folder(&entered.view, &sources, &root.project, &nothing, &nothing)?;
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

/// Says where the webhooks of a project are, which this folder does not have.
pub(in crate::cli) fn say_what_it_lacks(project: &Project, ui: &Ui) {
    if project.has_webhooks() {
        ui.note("the folder `deploy/` has no webhooks: use `rop deploy`, or `kubectl apply --server-side -k config/default`");
    }
}
