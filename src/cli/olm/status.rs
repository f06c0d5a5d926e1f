use clap::Args;
use serde_json::{Value, json};

use crate::address::CLUSTER;
use crate::cli::args::target::TargetArgs;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::cluster::Connection;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::lifecycle::{Component, Generation, components};

const EXAMPLES: &str = "\
Examples:
  rop olm status
  rop olm status --context kind-test --json";

/// Show which OLM the cluster has, and whether it is ready.
///
/// Lists the Deployments of OLM v0 and v1 in all namespaces, with their images. Exits with 1 if there is no OLM, or one of
/// them is not ready.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[CLUSTER]))]
pub(in crate::cli) struct StatusArgs {
    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(args: &StatusArgs, invocation: &Invocation) -> Result<()> {
    let kubectl = Kubectl::find(&args.target.target())?;
    let connection = Connection::read(&kubectl)?;
    connection.check(&kubectl)?;
    let mut found = Vec::new();
    for generation in Generation::served(&kubectl)? {
        found.push((generation, components(&kubectl, generation)?));
    }
    if found.is_empty() {
        return Err(Generation::missing());
    }
    if invocation.json {
        let olm: Vec<_> = found.iter().map(|(it, parts)| report(*it, parts)).collect();
        invocation.ui.json(&json!({
            "command": "olm status",
            "context": connection.context,
            "server": connection.server,
            "olm": olm,
        }))?;
    } else {
        invocation.ui.data(&lines(&found))?;
    }
    if let Some((generation, _)) = found.iter().find(|(_, parts)| parts.is_empty()) {
        let message = format!("{} has no Deployment in the cluster", generation.name());
        return Err(Error::new(Code::NotReady, message)
            .hint("install the rest of it: `rop olm install MANIFESTS`"));
    }
    let parts = found.iter().flat_map(|(_, parts)| parts);
    let waiting: Vec<_> = parts.filter(|part| !part.is_ready()).collect();
    if let Some(first) = waiting.first() {
        let names: Vec<_> = waiting.iter().map(|part| &*part.name).collect();
        return Err(Error::new(
            Code::NotReady,
            format!("OLM is not ready: {}", names.join(", ")),
        )
        .hint(format!(
            "see `kubectl describe deployment -n {}`",
            first.namespace
        )));
    }
    Ok(())
}

fn lines(found: &[(Generation, Vec<Component>)]) -> String {
    let mut lines = String::new();
    for (generation, parts) in found {
        let name = generation.name();
        if parts.is_empty() {
            lines.extend([name, "  served, but no Deployment of it was found\n"]);
        }
        for part in parts {
            let Component {
                namespace, image, ..
            } = part;
            let (available, replicas) = (part.available, part.replicas);
            let counts = format!("{available}/{replicas} available");
            lines.extend([
                name, "  ", namespace, "/", &part.name, "  ", &counts, "  ", image, "\n",
            ]);
        }
    }
    lines
}

fn report(generation: Generation, parts: &[Component]) -> Value {
    let part = |part: &Component| {
        json!({
            "kind": "Deployment", "namespace": part.namespace, "name": part.name, "image": part.image,
            "available": part.available, "replicas": part.replicas, "ready": part.is_ready(),
        })
    };
    let parts: Vec<_> = parts.iter().map(part).collect();
    json!({"generation": generation.flag(), "components": parts})
}
