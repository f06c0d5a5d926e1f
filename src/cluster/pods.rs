//! What keeps the pods of a Deployment from being ready.

use serde_json::Value;

use crate::error::Result;

use super::Kubectl;
use super::object::{condition, words};

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
                text: format!("its pods cannot be read: {}", causes.join(": ")),
                hint: "ask an administrator of the cluster to look at the pods",
            };
        }
    };
    let mut lines: Vec<String> = refused(deployment).into_iter().collect();
    let mut hint = "`kubectl describe deployment` and `kubectl get events` say more";
    for pod in &pods {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
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
    let labels = deployment["spec"]["selector"]["matchLabels"].as_object();
    let labels = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key, value.as_str()?)));
    let selector: Vec<String> = labels
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let selector = selector.join(",");
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

/// What keeps a pod from being ready.
struct Reason {
    word: String,
    text: String,
}

/// The reasons that a pod gives: those of its containers, or else that no node takes it.
fn reasons(pod: &Value) -> Vec<Reason> {
    let statuses = ["initContainerStatuses", "containerStatuses"];
    let statuses = statuses
        .iter()
        .filter_map(|key| pod["status"][key].as_array());
    let mut reasons: Vec<Reason> = statuses.flatten().filter_map(of_container).collect();
    if reasons.is_empty()
        && let Some(scheduled) = condition(pod, "PodScheduled")
        && scheduled
            .get("status")
            .is_some_and(|status| status == "False")
    {
        reasons.push(Reason {
            word: text(
                &scheduled.get("reason").cloned().unwrap_or_default(),
                "Unschedulable",
            ),
            text: words(scheduled),
        });
    }
    reasons
}

fn of_container(status: &Value) -> Option<Reason> {
    let name = status["name"].as_str().unwrap_or_default();
    let state = &status["state"];
    let (word, told) = if let Some(waiting) = state["waiting"].as_object() {
        let last = &status["lastState"]["terminated"];
        let ended = last["exitCode"]
            .as_i64()
            .map(|code| format!("; it ended with {code}"));
        let told = format!("{}{}", words(waiting), ended.unwrap_or_default());
        (text(&state["waiting"]["reason"], "Waiting"), told)
    } else if let Some(ended) = state["terminated"].as_object() {
        let code = &state["terminated"]["exitCode"];
        let word = text(&state["terminated"]["reason"], "Ended");
        (word, format!("{}, exit code {code}", words(ended)))
    } else if status["ready"] == false {
        let restarts = status["restartCount"].as_u64().unwrap_or(0);
        let word = "NotReady".to_owned();
        (
            word,
            format!("runs and is not ready, after {restarts} restarts"),
        )
    } else {
        return None;
    };
    Some(Reason {
        word,
        text: format!("container {name}: {told}"),
    })
}

fn text(value: &Value, or: &str) -> String {
    value.as_str().unwrap_or(or).to_owned()
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
        if let Ok(Ok(log)) = kubectl.try_text(&arguments, None) {
            lines.extend(log.lines().map(|line| format!("  {container} | {line}")));
        }
    }
    lines
}

/// What to do about a reason.
fn advice(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "ErrImagePull" | "ImagePullBackOff" | "ErrImageNeverPull" | "InvalidImageName" => {
            "push the image to where the cluster can pull it, or load it into the cluster (`kind load docker-image`, `minikube image load`, `k3d image import`)"
        }
        "CrashLoopBackOff" | "Error" | "Ended" => "the operator ends by itself: its log says why",
        "OOMKilled" => "raise the memory limit in config/manager/manager.yaml",
        "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
            "the container cannot be started as config/manager/manager.yaml has it"
        }
        "NotReady" => "its log says why /readyz does not answer",
        "Unschedulable" => {
            "no node takes the pod: make room, or ask for less in config/manager/manager.yaml"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(status: Value) -> Vec<String> {
        let pod = json!({"metadata": {"name": "a"}, "status": status});
        reasons(&pod)
            .into_iter()
            .map(|reason| reason.text)
            .collect()
    }

    #[test]
    fn a_container_says_why() {
        let container = |state: Value| json!({"containerStatuses": [state]});
        assert_eq!(
            told(container(
                json!({"name": "manager", "restartCount": 3, "state": {"waiting":
                {"reason": "CrashLoopBackOff", "message": "back-off"}},
                "lastState": {"terminated": {"exitCode": 1}}})
            )),
            ["container manager: CrashLoopBackOff: back-off; it ended with 1"]
        );
        assert_eq!(
            told(container(json!({"name": "manager", "state": {"terminated":
                {"reason": "OOMKilled", "exitCode": 137}}}))),
            ["container manager: OOMKilled, exit code 137"]
        );
        assert_eq!(
            told(container(
                json!({"name": "manager", "ready": false, "restartCount": 0,
                "state": {"running": {}}})
            )),
            ["container manager: runs and is not ready, after 0 restarts"]
        );
        let ready = json!({"name": "manager", "ready": true, "state": {"running": {}}});
        assert!(told(container(ready)).is_empty());
    }

    #[test]
    fn a_pod_without_a_node_says_why() {
        let status = json!({"conditions": [{"type": "PodScheduled", "status": "False",
            "reason": "Unschedulable", "message": "0/1 nodes are available"}]});
        assert_eq!(told(status), ["Unschedulable: 0/1 nodes are available"]);
    }
}
