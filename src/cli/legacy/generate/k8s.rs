use clap::Args;

use crate::cli::invocation::{Access, Invocation};
use crate::error::Result;
use crate::plan::Plan;

const EXAMPLES: &str = "\
Examples:
  rop generate k8s";

/// Does nothing, for users of `operator-sdk generate k8s`: the types' derives do it.
///
/// In Go it writes the code that copies objects. In Rust `#[derive(Clone)]` is that code.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct K8sArgs {}

pub(super) fn run(_args: &K8sArgs, invocation: &Invocation) -> Result<()> {
    invocation.open(Access::Read)?;
    if invocation.json {
        return invocation.report("generate k8s", &Plan::default());
    }
    invocation
        .ui
        .note("nothing to run: the derives of the types generate this code when cargo builds");
    invocation.ui.next(&["rop generate manifests".into()]);
    Ok(())
}
