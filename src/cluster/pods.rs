//! What keeps the pods of a Deployment from being ready.

use serde_json::Value;

use crate::error::Result;
use crate::kubectl::Kubectl;
use crate::objects;

use super::object::{condition, is_true, words};
use super::reason::{advice, reasons};

/// So many lines of a log are shown.
const LINES: &str = "--tail=20";

/// Why a Deployment is not ready, and what to do.
pub(super) struct Report {
    pub(super) text: String,
    pub(super) hint: &'static str,
}

/// The shortest reason that a pod gives, for a line of progress.
pub(super) fn first_reason(kubectl: &Kubectl, deployment: &Value) -> Result<Option<String>> {
    let pods = pods(kubectl, deployment)?;
    let reasons = pods.iter().flat_map(reasons).map(|reason| reason.word);
    Ok(reasons.chain(refused(deployment)).next())
}

/// The reasons of all pods, and the last lines of the logs of those that ran. What cannot be read is
/// said in its place.
pub(super) fn report(kubectl: &Kubectl, deployment: &Value) -> Report {
    let pods = match pods(kubectl, deployment) {
        Ok(pods) => pods,
        Err(error) => {
            let causes: Vec<String> = error.chain().collect();
            return Report {
                text: format!("cannot read its pods: {}", causes.join(": ")),
                hint: "ask a cluster administrator to check the pods",
            };
        }
    };
    let mut lines: Vec<String> = refused(deployment).into_iter().collect();
    let mut hint = "see `kubectl describe deployment` and `kubectl get events`";
    // Those that are ready are of the rollout before.
    for pod in pods.iter().filter(|pod| !is_true(pod, "Ready")) {
        let name = objects::name(pod);
        let reasons = reasons(pod);
        if reasons.is_empty() {
            lines.push(format!("pod {name} gives no reason"));
        }
        for reason in &reasons {
            lines.push(format!("pod {name}: {}", reason.text));
            hint = advice(&reason.word).unwrap_or(hint);
        }
        lines.extend(log(kubectl, pod));
    }
    if lines.is_empty() {
        lines.push("it has no pods".to_owned());
    }
    Report {
        text: lines.join("\n"),
        hint,
    }
}

fn pods(kubectl: &Kubectl, deployment: &Value) -> Result<Vec<Value>> {
    let namespace = deployment["metadata"]["namespace"]
        .as_str()
        .unwrap_or_default();
    let labels = deployment["spec"]["selector"]["matchLabels"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key, value.as_str()?)));
    let terms: Vec<String> = labels
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let selector = terms.join(",");
    kubectl.objects(
        &[
            "get", "pods", "-n", namespace, "-l", &selector, "-o", "json",
        ],
        None,
    )
}

/// Why no pod could be made, such as a quota or Pod Security.
fn refused(deployment: &Value) -> Option<String> {
    let failure = condition(deployment, "ReplicaFailure")?;
    failure
        .get("status")
        .is_some_and(|status| status == "True")
        .then(|| words(failure))
}

/// The last lines of a pod's log: of the run before where the container waits to be started again.
fn log(kubectl: &Kubectl, pod: &Value) -> Vec<String> {
    let metadata = &pod["metadata"];
    let (Some(name), Some(namespace)) = (metadata["name"].as_str(), metadata["namespace"].as_str())
    else {
        return Vec::new();
    };
    let statuses = pod["status"]["containerStatuses"].as_array();
    let mut lines = Vec::new();
    for status in statuses.into_iter().flatten() {
        let container = status["name"].as_str().unwrap_or_default();
        let has_run = status["restartCount"].as_u64() > Some(0);
        let is_there = status["state"]["waiting"].is_null();
        let mut arguments = vec!["logs", name, "-n", namespace, "-c", container, LINES];
        match (is_there, has_run) {
            (true, _) => {}
            (false, true) => arguments.push("--previous"),
            (false, false) => continue,
        }
        // Where there is no log, the reasons have to do.
        if let Ok(Ok(log)) = kubectl.try_answer(&arguments, None) {
            lines.extend(
                log.stdout
                    .lines()
                    .map(|line| format!("  {container} | {line}")),
            );
        }
    }
    lines
}
