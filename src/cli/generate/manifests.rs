use clap::Args;

use crate::error::Result;
use crate::manifest;
use crate::plan::{Class, Tree};
use crate::project::{self, Root};
use crate::template;

use crate::cli::context::{Change, Context, as_built, difference, working_directory};

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
/// Where PROJECT names another runtime than Cargo.toml does, Cargo.toml follows.
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
    let change = change(&root, args.force, context)?;
    match args.check {
        true => check(&change, &CHECK, context),
        false => context.carry_out(&change).map(drop),
    }
}

/// Writes the manifests of a project whose code may have changed, and says whether any is another
/// now. What there is nothing to say about stays unsaid.
pub(in crate::cli) fn refresh(root: &Root, context: &Context) -> Result<bool> {
    let _lock = context.enter(&root.path)?;
    let change = change(root, false, context)?;
    if difference(change.root, &change.before, &change.after)?.is_empty() {
        return Ok(false);
    }
    context.carry_out(&change)?;
    Ok(true)
}

/// The manifests that the code of a project asks for, and what follows the runtime that PROJECT
/// names.
fn change<'a>(root: &'a Root, force: bool, context: &Context) -> Result<Change<'a>> {
    let (before, mut after) = match as_built(&root.path, &root.project) {
        built if built.runtime == root.project.runtime => Default::default(),
        built => template::render(&built)?.differences(&template::render(&root.project)?),
    };
    after.extend(manifests(root, context)?);
    Ok(Change {
        command: "generate manifests",
        root: &root.path,
        before,
        after,
        force,
    })
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
