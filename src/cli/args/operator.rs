//! The operator, and the cluster that it goes into or out of.

use std::borrow::Borrow;
use std::cell::Cell;

use clap::Args;

use crate::cluster;
use crate::disk::View;
use crate::error::Result;
use crate::kubectl::{Kubectl, Target};
use crate::objects::Objects;
use crate::project::layout::DEFAULT;

use super::target::{TargetArgs, TimeoutArgs, project_here};
use crate::cli::invocation::Invocation;

/// Flags of commands on the whole operator.
#[derive(Debug, Args)]
pub(in crate::cli) struct OperatorArgs {
    /// Operator namespace [default: the namespace in config/default].
    #[arg(long, short)]
    namespace: Option<String>,

    #[command(flatten)]
    pub(in crate::cli) timeout: TimeoutArgs,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}

impl OperatorArgs {
    /// Renders the project's manifests, and returns the kubectl to use with them.
    pub(in crate::cli) fn manifests(&self, invocation: &Invocation) -> Result<(Kubectl, Objects)> {
        let root = project_here(invocation)?;
        let kubectl = Kubectl::find(&self.target.target())?.within(self.timeout.timeout);
        let view = View::of(&root.path)?;
        let objects = manifests(&view, self.namespace.as_deref(), |reason| {
            note_kubectl(reason, invocation);
            Ok(&kubectl)
        })?;
        Ok((kubectl, objects))
    }
}

/// Renders `config/default`, in the selected namespace.
pub(in crate::cli) fn manifests<K: Borrow<Kubectl>>(
    view: &View,
    namespace: Option<&str>,
    kubectl: impl FnOnce(&str) -> Result<K>,
) -> Result<Objects> {
    let mut objects = Objects::render(view, DEFAULT, kubectl)?;
    objects.check_containers()?;
    if let Some(namespace) = namespace {
        objects.set_namespace(namespace)?;
    }
    Ok(objects)
}

/// Finds kubectl to render a folder, for a command that needs it for nothing else.
pub(in crate::cli) fn kubectl_to_render(
    invocation: &Invocation,
) -> impl Fn(&str) -> Result<Kubectl> {
    |reason| {
        note_kubectl(reason, invocation);
        Kubectl::find(&Target::default())
    }
}

/// Renders `config/default` of a project that need not be on disk, for a command that needs kubectl for nothing else.
pub(in crate::cli) fn render_copy(invocation: &Invocation) -> impl Fn(&View) -> Result<Objects> {
    let is_noted = Cell::new(false);
    move |view| {
        Objects::render_copy(view, DEFAULT, |reason| {
            if !is_noted.replace(true) {
                note_kubectl(reason, invocation);
            }
            Kubectl::find(&Target::default())
        })
    }
}

/// Says with `--verbose` why kubectl renders a folder.
fn note_kubectl(reason: &str, invocation: &Invocation) {
    if invocation.ui.is_verbose() {
        invocation.ui.note(reason);
    }
}

/// Drops Namespaces that the project does not own, with a note.
pub(in crate::cli) fn leave_foreign(
    kubectl: &Kubectl,
    objects: &mut Objects,
    invocation: &Invocation,
) -> Result<()> {
    for name in cluster::leave_foreign(kubectl, objects)? {
        invocation.ui.note(&format!(
            "keeping the namespace `{name}`: only the operator's own namespace is replaced"
        ));
    }
    Ok(())
}
