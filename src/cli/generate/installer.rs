use clap::Args;

use crate::cli::args::operator::manifests;
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::error::Result;
use crate::kubectl::{Kubectl, Target};
use crate::output::{Installer, Manifests, Output};
use crate::plan::Tree;
use crate::project::name::Image;

use super::check::{Check, access, check};

const EXAMPLES: &str = "\
Examples:
  rop generate installer --image registry.example.com/app-operator:v0.1.0
  rop generate installer --image registry.example.com/app-operator:v0.1.0 --check
  kubectl apply --server-side -f dist/install.yaml";

const CHECK: Check<'_> = Check {
    command: "generate installer --check",
    fine: "dist/install.yaml is up to date",
    drift: "the installer is out of date",
    hint: "run `rop generate installer` with the same flags and commit what it writes",
};

/// Write everything to install the operator into one file, `dist/install.yaml`.
///
/// It is `config/default`, rendered as kustomize does it, with the image substituted. Install it with `kubectl apply
/// --server-side -f dist/install.yaml`. No cluster is contacted.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct InstallerArgs {
    /// Image of the operator [default: that of config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// Namespace of the operator [default: that of config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    /// Write nothing; print what differs and exit with 3 if anything does.
    #[arg(long)]
    check: bool,

    /// Overwrite a file that conflicts.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &InstallerArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_on_disk(access(args.check))?;
    let kubectl = || Kubectl::find(&Target::default());
    let mut objects = manifests(&entered.view, args.namespace.as_deref(), kubectl)?;
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
    match args.check {
        true => check(&change, &[], &CHECK, invocation),
        false => invocation.carry_out(&change).map(drop),
    }
}
