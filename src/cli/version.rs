use clap::Args;
use serde_json::json;

use crate::error::Result;

use super::invocation::Invocation;

const EXAMPLES: &str = "\
Examples:
  rop version
  rop version --json";

/// Print the versions of rop and of the libraries in generated code.
///
/// `--json` adds how rop was built, and every version that generated projects use.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VersionArgs {}

pub(super) fn run(_args: &VersionArgs, invocation: &Invocation) -> Result<()> {
    let generated = crate::versions::VERSIONS;
    if invocation.json {
        let report = json!({
            "rop": env!("CARGO_PKG_VERSION"),
            "commit": option_env!("ROP_COMMIT"),
            "rustc": env!("ROP_RUSTC"),
            "target": env!("ROP_TARGET"),
            "runtime": env!("ROP_RUNTIME"),
            "generates": generated,
        });
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
