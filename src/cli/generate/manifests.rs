use clap::Args;

use crate::error::{Error, Result};
use crate::manifest;
use crate::plan::{Class, Tree};
use crate::project;

use crate::cli::context::{Change, Context, difference, working_directory};

const EXAMPLES: &str = "\
Examples:
  rop generate manifests
  rop generate manifests --check";

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
    let mut after = Tree::default();
    context.ui.building("the types in `api/`");
    for crd in manifest::crds(&root, context.ui.hides_progress())? {
        after.insert(crd);
    }
    after.insert(manifest::role(
        &root.path,
        &root.project,
        &Tree::default(),
        &after,
    )?);
    if manifest::flat_is_used(&root.path) {
        let flat = manifest::flat(&root.path, &root.project, &Tree::default(), &after)?;
        after.extend(flat.of_class(Class::Owned));
    }
    if args.check {
        return check(&root.path, &after, context);
    }
    context
        .carry_out(&Change {
            command: "generate manifests",
            root: &root.path,
            before: Tree::default(),
            after,
            force: args.force,
        })
        .map(drop)
}

fn check(root: &std::path::Path, after: &Tree, context: &Context) -> Result<()> {
    let plan = difference(root, after)?;
    if context.json {
        context.report("generate manifests --check", &plan)?;
    } else {
        context.ui.data(&plan.diff())?;
    }
    if plan.is_empty() {
        context
            .ui
            .done("done", "the manifests are what the code says");
        return Ok(());
    }
    let files: Vec<_> = plan.changes.iter().map(|c| &*c.path).collect();
    Err(
        Error::drift(format!("not what the code says: {}", files.join(", ")))
            .hint("run `rop generate manifests` and commit what it writes"),
    )
}
