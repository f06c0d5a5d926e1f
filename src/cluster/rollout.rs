use std::time::Duration;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::ObjectId;

use super::object;
use super::pods;
use super::wait::{Look, Say, humane, until};

/// Waits until a Deployment runs as it is asked for. `undo` is the command that deletes it.
///
/// # Errors
/// It does not in time, or has given up: the pods' reasons and the last lines of their logs are the
/// cause.
pub fn wait_until_ready(
    kubectl: &Kubectl,
    deployment: &Value,
    timeout: Duration,
    undo: &str,
    say: Say<'_>,
) -> Result<()> {
    let id = ObjectId::of(deployment);
    let namespace = id.namespace.as_deref().unwrap_or_default();
    let arguments = ["get", "deployment", &id.name, "-n", namespace, "-o", "json"];
    let mut last = Value::Null;
    let ready = until(timeout, say, || {
        last = kubectl.json(&arguments, None)?;
        Ok(match state(&last) {
            State::Ready => Look::Done(Ok(())),
            State::GivenUp(why) => Look::Done(Err(why)),
            State::UnderWay(how_far) => {
                let reason = pods::first_reason(kubectl, &last)?
                    .map_or_else(String::new, |reason| format!(" ({reason})"));
                Look::NotYet(format!("{how_far}{reason}"))
            }
        })
    })?;
    let why = match ready {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(why)) => why,
        Err(how_far) => format!("after {}: {how_far}", humane(timeout)),
    };
    let report = pods::report(kubectl, &last);
    Err(Error::new(Code::NotReady, report.text)
        .context(format!("{id} is not ready {why}"))
        .hint(report.hint)
        .hint(format!(
            "the applied objects remain: fix the cause and run the command again, or remove them with `{undo}`"
        )))
}

/// How far a Deployment is.
#[derive(Debug, PartialEq, Eq)]
enum State {
    Ready,
    UnderWay(String),
    GivenUp(String),
}

/// As `kubectl rollout status` judges it.
fn state(deployment: &Value) -> State {
    let count = |key: &str| deployment["status"][key].as_u64().unwrap_or(0);
    let generation = deployment["metadata"]["generation"].as_u64();
    if deployment["status"]["observedGeneration"].as_u64() < generation {
        return State::UnderWay("not observed by the Deployment controller yet".into());
    }
    if let Some(condition) = object::condition(deployment, "Progressing")
        && condition
            .get("reason")
            .is_some_and(|r| r == "ProgressDeadlineExceeded")
    {
        return State::GivenUp(object::words(condition));
    }
    let replicas = deployment["spec"]["replicas"].as_u64().unwrap_or(1);
    let (updated, all) = (count("updatedReplicas"), count("replicas"));
    let available = count("availableReplicas");
    if updated < replicas {
        State::UnderWay(format!("{updated} of {replicas} pods updated"))
    } else if all > updated {
        State::UnderWay(format!("{} old pods terminating", all - updated))
    } else if available < updated {
        State::UnderWay(format!("{available} of {updated} pods available"))
    } else {
        State::Ready
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(status: &Value) -> Value {
        json!({"metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": status})
    }

    #[test]
    fn is_ready_when_every_new_pod_is_available_and_no_old_one_is_left() {
        let status = json!({
            "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2,
        });
        assert_eq!(state(&deployment(&status)), State::Ready);
        for (key, value, message) in [
            (
                "observedGeneration",
                1,
                "not observed by the Deployment controller yet",
            ),
            ("updatedReplicas", 1, "1 of 2 pods updated"),
            ("replicas", 3, "1 old pods terminating"),
            ("availableReplicas", 0, "0 of 2 pods available"),
        ] {
            let mut status = status.clone();
            status[key] = value.into();
            assert_eq!(
                state(&deployment(&status)),
                State::UnderWay(message.into()),
                "{key}"
            );
        }
    }

    #[test]
    fn knows_when_it_has_given_up() {
        let status = json!({"observedGeneration": 2, "conditions": [
            {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"},
        ]});
        let expected = State::GivenUp("ProgressDeadlineExceeded: timed out".into());
        assert_eq!(state(&deployment(&status)), expected);
    }

    /// The status of a Deployment that was only just made.
    #[test]
    fn a_new_one_is_under_way() {
        let state = state(&deployment(&json!({})));
        assert!(matches!(state, State::UnderWay(_)), "{state:?}");
    }
}
