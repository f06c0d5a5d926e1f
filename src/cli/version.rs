use clap::Args;

use crate::error::Result;

use super::invocation::Invocation;

const EXAMPLES: &str = "\
Examples:
  rop version
  rop version --json";

/// Print the versions of rop and of the libraries in generated code.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VersionArgs {}

pub(super) fn run(_args: &VersionArgs, invocation: &Invocation) -> Result<()> {
    let generated = crate::versions::VERSIONS;
    if invocation.json {
        let report = serde_json::json!({"rop": env!("CARGO_PKG_VERSION"), "generates": generated});
        return invocation.ui.json(&report);
    }
    invocation.ui.data(&format!(
        "rop {} (kube {}, k8s-openapi {}, Kubernetes {})\n",
        env!("CARGO_PKG_VERSION"),
        generated.crates.kube,
        generated.crates.k8s_openapi,
        generated.kubernetes
    ))
}
