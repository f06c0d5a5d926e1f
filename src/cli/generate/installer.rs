use clap::Args;

use crate::cli::context::{Change, Context, Opened};
use crate::cli::operator::manifests;
use crate::cluster::{Kubectl, Target};
use crate::error::Result;
use crate::plan::{File, Tree};
use crate::project::name::Image;

use super::check::{Check, access, check};

/// Where it is, as kubebuilder has it.
const INSTALLER: &str = "dist/install.yaml";

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

/// Write all that a cluster needs of the operator into one file, `dist/install.yaml`.
///
/// It is what `config/default` says, with the image put in. Whoever has the file needs nothing else:
/// `kubectl apply --server-side -f dist/install.yaml`. kubectl renders it, and no cluster takes part.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct InstallerArgs {
    /// The image that the operator runs from [default: that of config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// The namespace that it runs in [default: that of config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    /// Write nothing; print what differs and exit with 3 where anything does.
    #[arg(long)]
    check: bool,

    /// Overwrite a file that is in the way.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &InstallerArgs, context: &Context) -> Result<()> {
    let Opened { entered, root } = context.open_on_disk(access(args.check))?;
    let kubectl = Kubectl::find(&Target::default())?;
    let mut objects = manifests(&root, &kubectl, args.namespace.as_deref())?;
    if let Some(image) = &args.image {
        objects.set_image(image.as_str())?;
    }
    let mut after = Tree::default();
    after.insert(File::owned(INSTALLER, objects.to_yaml()?));
    let change = Change {
        command: "generate installer",
        view: &entered.view,
        before: Tree::default(),
        after,
        force: args.force,
    };
    match args.check {
        true => check(&change, &[], &CHECK, context),
        false => context.carry_out(&change).map(drop),
    }
}
