//! kubectl and the cluster of the current context.

use std::path::Path;
use std::time::Duration;

use crate::cluster::Connection;
use crate::error::Error;
use crate::kubectl::{Kubectl, Target, json};
use crate::versions::VERSIONS;

use super::finding::{Finding, State};
use super::program::first_line;

/// How long kubectl, and the cluster, may take.
const PATIENCE: Duration = Duration::from_secs(10);

const CLUSTER: &str = "`rop install`, `deploy`, `run`, `undeploy`, `uninstall` and OLM commands";

pub(super) fn check(_: &Path) -> Vec<Finding> {
    let kubectl = match Kubectl::find(&Target::default()) {
        Ok(kubectl) => kubectl.within(PATIENCE),
        Err(error) => {
            let (reason, hint) = parts(&error);
            let finding = Finding::optional("kubectl", CLUSTER, State::Missing(reason));
            return vec![finding.remedy(hint)];
        }
    };
    let program = Finding::optional("kubectl", CLUSTER, client(&kubectl))
        .remedy("install kubectl (https://kubernetes.io/docs/tasks/tools)");
    if !program.is_usable() {
        return vec![program];
    }
    vec![program, cluster(&kubectl)]
}

fn client(kubectl: &Kubectl) -> State {
    let answer = kubectl.text_within(&["version", "--client", "-o", "json"], PATIENCE);
    let version = answer.and_then(|answer| json(&answer));
    match version {
        Ok(version) => {
            let version = version["clientVersion"]["gitVersion"].as_str();
            let place = kubectl.program().display().to_string();
            State::found(first_line(version.unwrap_or_default()), place)
        }
        Err(error) => State::Unusable(parts(&error).0),
    }
}

/// A cluster that does not answer is nothing that stops anybody: it may be for another day.
fn cluster(kubectl: &Kubectl) -> Finding {
    let answer = Connection::read(kubectl).and_then(|connection| {
        let version = connection.version(kubectl, PATIENCE)?;
        Ok((connection, version))
    });
    let oldest = VERSIONS.oldest_kubernetes;
    let default = format!("start a cluster of Kubernetes {oldest} or newer, or select a context");
    let (state, remedy) = match answer {
        Ok((connection, version)) => {
            let place = format!("context {}, {}", connection.context, connection.server);
            (
                State::found(first_line(&version), first_line(&place)),
                default,
            )
        }
        Err(error) => {
            let (reason, hint) = parts(&error);
            let remedy = if hint.is_empty() { default } else { hint };
            (State::Unusable(reason), remedy)
        }
    };
    Finding::optional("cluster", CLUSTER, state).remedy(remedy)
}

/// An error in a line, and its hint.
fn parts(error: &Error) -> (String, String) {
    let chain: Vec<_> = error.chain().collect();
    let hint = error.hints().first().cloned().unwrap_or_default();
    (first_line(&chain.join(": ")), hint)
}
