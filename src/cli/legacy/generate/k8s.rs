use clap::Args;

use crate::cli::invocation::{Access, Invocation};
use crate::error::Result;
use crate::plan::Plan;

const EXAMPLES: &str = "\
Examples:
  rop generate k8s";

/// No-op, for compatibility: `#[derive]` generates this code.
///
/// In Go, this command generates the code that copies objects. In Rust, `#[derive(Clone)]` does.
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
        .note("nothing to do: `#[derive]` generates this code when cargo builds");
    invocation.ui.next(&["rop generate manifests".into()]);
    Ok(())
}
