//! The operator, and the cluster that it goes into or out of.

use clap::Args;

use crate::cluster::{self, Kubectl, Objects};
use crate::error::Result;
use crate::project::Root;

use super::context::Context;
use super::target::{TargetArgs, TimeoutArgs, project_here};

/// What commands on the whole operator take.
#[derive(Debug, Args)]
pub(super) struct OperatorArgs {
    /// Namespace of the operator [default: that of config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    #[command(flatten)]
    pub(super) timeout: TimeoutArgs,

    #[command(flatten)]
    pub(super) target: TargetArgs,
}

impl OperatorArgs {
    /// The project's manifests, and what is to work on them.
    pub(super) fn manifests(&self, context: &Context) -> Result<(Kubectl, Objects)> {
        let root = project_here(context)?;
        let kubectl = Kubectl::find(&self.target.target())?;
        let objects = manifests(&root, &kubectl, self.namespace.as_deref())?;
        Ok((kubectl, objects))
    }
}

/// What `config/default` says, in the namespace that was asked for.
pub(super) fn manifests(
    root: &Root,
    kubectl: &Kubectl,
    namespace: Option<&str>,
) -> Result<Objects> {
    let mut objects = Objects::render(kubectl, &root.path.join("config/default"))?;
    if let Some(namespace) = namespace {
        objects.set_namespace(namespace)?;
    }
    Ok(objects)
}

/// Leaves Namespaces of others alone, and says so.
pub(super) fn leave_foreign(
    kubectl: &Kubectl,
    objects: &mut Objects,
    context: &Context,
) -> Result<()> {
    for name in cluster::leave_foreign(kubectl, objects)? {
        context.ui.note(&format!(
            "the namespace `{name}` is not the operator's own, so it stays as it is"
        ));
    }
    Ok(())
}
