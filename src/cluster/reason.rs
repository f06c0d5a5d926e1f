use serde_json::Value;

use super::object::{condition, words};

/// What keeps a pod from being ready.
pub(crate) struct Reason {
    /// In one word, as Kubernetes gives it.
    pub(crate) word: String,
    /// In a sentence.
    pub(crate) text: String,
}

/// The reasons that a pod gives: those of its containers, or else that no node takes it.
pub(crate) fn reasons(pod: &Value) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = statuses_of(pod).filter_map(of_container).collect();
    let is_silent = statuses_of(pod).next().is_none();
    if reasons.is_empty()
        && let Some(scheduled) = condition(pod, "PodScheduled")
        && scheduled
            .get("status")
            .is_some_and(|status| status == "False")
    {
        let word = scheduled.get("reason").unwrap_or(&Value::Null);
        reasons.push(Reason {
            word: text(word, "Unschedulable"),
            text: words(scheduled),
        });
    } else if reasons.is_empty() && is_silent {
        reasons.push(without_status(pod));
    }
    reasons
}

/// The statuses of the containers of a pod.
fn statuses_of(pod: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["initContainerStatuses", "containerStatuses"]
        .into_iter()
        .filter_map(|key| pod["status"][key].as_array());
    lists.flatten()
}

/// Why a pod says nothing: no scheduler has looked at it, or no kubelet.
fn without_status(pod: &Value) -> Reason {
    match pod["spec"]["nodeName"].as_str() {
        None => Reason {
            word: "Unscheduled".to_owned(),
            text: "no scheduler has assigned it to a node".to_owned(),
        },
        Some(node) => Reason {
            word: "Unstarted".to_owned(),
            text: format!("the kubelet of the node `{node}` has not reported on it"),
        },
    }
}

fn of_container(status: &Value) -> Option<Reason> {
    // That of an init container too, once it has done its work.
    if status["ready"] == true {
        return None;
    }
    let name = status["name"].as_str().unwrap_or_default();
    let state = &status["state"];
    let (word, detail) = if let Some(waiting) = state["waiting"].as_object() {
        let last = &status["lastState"]["terminated"];
        let ended = last["exitCode"]
            .as_i64()
            .map(|code| format!("; last exit code {code}"));
        let detail = format!("{}{}", words(waiting), ended.unwrap_or_default());
        (text(&state["waiting"]["reason"], "Waiting"), detail)
    } else if let Some(ended) = state["terminated"].as_object() {
        let code = &state["terminated"]["exitCode"];
        let word = text(&state["terminated"]["reason"], "Ended");
        (word, format!("{}, exit code {code}", words(ended)))
    } else {
        let restarts = status["restartCount"].as_u64().unwrap_or(0);
        let detail = format!("running but not ready, after {restarts} restarts");
        ("NotReady".to_owned(), detail)
    };
    Some(Reason {
        word,
        text: format!("container {name}: {detail}"),
    })
}

fn text(value: &Value, or: &str) -> String {
    value.as_str().unwrap_or(or).to_owned()
}

/// What to do about a reason.
pub(super) fn advice(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "ErrImagePull" | "ImagePullBackOff" | "ErrImageNeverPull" | "InvalidImageName" => {
            "push the image to a registry that the cluster can pull from, or load it into the cluster (`kind load \
            docker-image`, `minikube image load`, `k3d image import`)"
        }
        "CrashLoopBackOff" | "Error" | "Ended" => "the operator exits: see its log",
        "OOMKilled" => "raise the memory limit in config/manager/manager.yaml",
        "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
            "the container cannot be started: check config/manager/manager.yaml"
        }
        "NotReady" => "/readyz fails: see the operator's log",
        "Unschedulable" => {
            "no node fits the pod: free resources, or request less in config/manager/manager.yaml"
        }
        "Unscheduled" => "check that the cluster has a scheduler and a node that is ready",
        "Unstarted" => "check that the node is ready: `kubectl get nodes`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(status: Value) -> Vec<String> {
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
            texts(container(
                json!({"name": "manager", "restartCount": 3, "state": {"waiting":
                {"reason": "CrashLoopBackOff", "message": "back-off"}},
                "lastState": {"terminated": {"exitCode": 1}}})
            )),
            ["container manager: CrashLoopBackOff: back-off; last exit code 1"]
        );
        assert_eq!(
            texts(container(json!({"name": "manager", "state": {"terminated":
                {"reason": "OOMKilled", "exitCode": 137}}}))),
            ["container manager: OOMKilled, exit code 137"]
        );
        assert_eq!(
            texts(container(
                json!({"name": "manager", "ready": false, "restartCount": 0,
                "state": {"running": {}}})
            )),
            ["container manager: running but not ready, after 0 restarts"]
        );
        let ready = json!({"name": "manager", "ready": true, "state": {"running": {}}});
        assert!(texts(container(ready)).is_empty());
        let done = json!({"name": "init", "ready": true, "state": {"terminated": {"exitCode": 0}}});
        assert!(texts(json!({"initContainerStatuses": [done]})).is_empty());
    }

    #[test]
    fn a_pod_without_a_node_says_why() {
        let status = json!({"conditions": [{"type": "PodScheduled", "status": "False",
            "reason": "Unschedulable", "message": "0/1 nodes are available"}]});
        assert_eq!(texts(status), ["Unschedulable: 0/1 nodes are available"]);
    }

    #[test]
    fn a_pod_that_nothing_has_looked_at_says_so() {
        assert_eq!(
            texts(json!({"phase": "Pending"})),
            ["no scheduler has assigned it to a node"]
        );
        let pod = json!({"spec": {"nodeName": "n1"}, "status": {"phase": "Pending"}});
        let reasons: Vec<String> = reasons(&pod)
            .into_iter()
            .map(|reason| reason.text)
            .collect();
        assert_eq!(
            reasons,
            ["the kubelet of the node `n1` has not reported on it"]
        );
    }
}
