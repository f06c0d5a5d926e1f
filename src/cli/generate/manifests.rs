use std::path::Path;

use clap::Args;

use crate::error::Result;
use crate::manifest;
use crate::plan::{Class, Tree};
use crate::project::{self, Root};

use crate::cli::context::{Change, Context, difference, working_directory};

use super::check::{Check, check};

const EXAMPLES: &str = "\
Examples:
  rop generate manifests
  rop generate manifests --check";

const CHECK: Check<'_> = Check {
    command: "generate manifests --check",
    fine: "the manifests are what the code says",
    drift: "not what the code says",
    hint: "run `rop generate manifests` and commit what it writes",
};

/// Write the CRDs of the project's types, and the role of its RBAC markers.
///
/// The CRDs come from running the derive of the types in `api/`, the role from the comments
/// `+kubebuilder:rbac` in `src/`. Where the project has a flat folder `deploy/`, they go there too.
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ManifestsArgs {
    /// Write nothing; print what differs and exit with 3 where anything does.
    #[arg(long)]
    check: bool,

    /// Overwrite manifests that were edited.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &ManifestsArgs, context: &Context) -> Result<()> {
    let root = project::find(&working_directory()?)?;
    let _lock = context.enter(&root.path)?;
    let root = root.read()?;
    let after = manifests(&root, context)?;
    if args.check {
        return check(&root.path, &after, &CHECK, context);
    }
    let change = change(&root.path, after, args.force);
    context.carry_out(&change).map(drop)
}

/// Writes the manifests of a project whose code may have changed, and says whether any is another
/// now. What there is nothing to say about stays unsaid.
pub(in crate::cli) fn refresh(root: &Root, context: &Context) -> Result<bool> {
    let _lock = context.enter(&root.path)?;
    let after = manifests(root, context)?;
    if difference(&root.path, &after)?.is_empty() {
        return Ok(false);
    }
    context.carry_out(&change(&root.path, after, false))?;
    Ok(true)
}

/// The manifests that the code of a project asks for.
fn manifests(root: &Root, context: &Context) -> Result<Tree> {
    let mut after = Tree::default();
    context.ui.building("the types in `api/`");
    for crd in manifest::crds(root, context.ui.hides_progress())? {
        after.insert(crd);
    }
    let role = manifest::role(&root.path, &root.project, &Tree::default(), &after)?;
    after.insert(role);
    if manifest::flat_is_used(&root.path) {
        let flat = manifest::flat(&root.path, &root.project, &Tree::default(), &after)?;
        after.extend(flat.of_class(Class::Owned));
    }
    Ok(after)
}

fn change(root: &Path, after: Tree, force: bool) -> Change<'_> {
    Change {
        command: "generate manifests",
        root,
        before: Tree::default(),
        after,
        force,
    }
}
