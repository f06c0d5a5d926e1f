use clap::Args;

use crate::cli::args::operator::{kubectl_to_render, manifests};
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::error::Result;
use crate::output::{Installer, Manifests, Output};
use crate::plan::Tree;
use crate::project::name::Image;

use super::check::{Check, Drift, access};

const EXAMPLES: &str = "\
Examples:
  rop generate installer --image registry.example.com/app-operator:v0.1.0
  rop generate installer --image registry.example.com/app-operator:v0.1.0 --check
  kubectl apply --server-side -f dist/install.yaml";

const CHECK: Check<'_> = Check {
    command: "generate installer --check",
    fine: "dist/install.yaml is up to date",
    drift: "the installer is out of date",
    hint: "run `rop generate installer` with the same flags and commit the result",
};

/// Generate `dist/install.yaml`, a single file that installs the operator.
///
/// Renders `config/default` in memory and substitutes the image; no cluster is contacted. Install the operator with
/// `kubectl apply --server-side -f dist/install.yaml`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct InstallerArgs {
    /// Operator image [default: the image in config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// Operator namespace [default: the namespace in config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite `dist/install.yaml` even if you edited it.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &InstallerArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_on_disk(access(args.check))?;
    let mut objects = manifests(
        &entered.view,
        args.namespace.as_deref(),
        kubectl_to_render(invocation),
    )?;
    if let Some(image) = &args.image {
        objects.set_image(image.as_str())?;
    }
    let manifests = Manifests::rendered(&root.project, &entered.view, &objects);
    let change = Transition {
        command: "generate installer",
        view: &entered.view,
        before: Tree::default(),
        after: Installer.tree(&manifests)?,
        force: args.force,
    };
    if args.check {
        Drift::of(&change)?.report(&CHECK, invocation)
    } else {
        invocation.carry_out(&change).map(drop)
    }
}
