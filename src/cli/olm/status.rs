use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::address::OLM;
use crate::cli::args::target::TargetArgs;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::cluster::Connection;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::lifecycle::{Component, Generation, components};
use crate::ui::one_line;

/// How long each question to the API server may take: a list can have pages without end.
const TIME: Duration = Duration::from_secs(15);

const EXAMPLES: &str = "\
Examples:
  rop olm status
  rop olm status --context kind-test --json";

/// Show which OLM the cluster has, and whether it is ready.
///
/// Lists the Deployments of OLM v0 and v1 in all namespaces, with their images. Exits with 1 if there is no OLM, or one of
/// them is not ready.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[OLM]))]
pub(in crate::cli) struct StatusArgs {
    #[command(flatten)]
    target: TargetArgs,
}

pub(super) fn run(args: &StatusArgs, invocation: &Invocation) -> Result<()> {
    let kubectl = Kubectl::find(&args.target.target())?.within(TIME);
    let connection = Connection::read(&kubectl)?;
    connection.greet(&kubectl)?;
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
            .hint("install the missing parts: `rop olm install MANIFESTS`"));
    }
    let parts = found.iter().flat_map(|(_, parts)| parts);
    let waiting: Vec<_> = parts.filter(|part| !part.is_ready()).collect();
    if let Some(first) = waiting.first() {
        let names: Vec<_> = waiting.iter().map(|part| &*part.name).collect();
        return Err(Error::new(
            Code::NotReady,
            format!("OLM is not ready: {}", one_line(&names.join(", "))),
        )
        .hint(format!(
            "see `kubectl describe deployment -n {}`",
            one_line(&first.namespace)
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
            let [namespace, deployment, image] =
                [&part.namespace, &part.name, &part.image].map(|text| one_line(text));
            let (available, replicas) = (part.available, part.replicas);
            let counts = format!("{available}/{replicas} available");
            lines.extend([
                name,
                "  ",
                &namespace,
                "/",
                &deployment,
                "  ",
                &counts,
                "  ",
                &image,
                "\n",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file or a pager gets them too, and a terminal shows line breaks.
    #[test]
    fn no_name_of_the_cluster_is_a_line_or_an_escape() {
        let hostile = |text: &str| format!("{text}\u{1b}[2J\nOLM v1  \u{202e}");
        let part = Component {
            name: hostile("a"),
            namespace: hostile("b"),
            image: hostile("c"),
            available: 1,
            replicas: 1,
        };
        let lines = lines(&[(Generation::V0, vec![part])]);
        assert_eq!(lines.matches('\n').count(), 1, "{lines}");
        assert!(crate::ui::is_plain(lines.trim_end()), "{lines}");
    }
}
