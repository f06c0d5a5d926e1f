//! The status of an `AppService`, from what its pod reports. Pure but for the time of a condition's
//! transition.

use app_operator_api::app::v1alpha1::{AppService, AppServiceStatus};

use k8s_openapi::api::core::v1::Pod;

use crate::runtime::Error;
use crate::runtime::conditions::{self, DEGRADED, READY};

/// The status after a reconcile that saw the pod, or failed for good.
#[must_use]
pub fn status(object: &AppService, outcome: Result<&Pod, &Error>) -> AppServiceStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    status.observed_generation = generation;
    let (ready, reason, message) = match outcome {
        Ok(pod) => readiness(pod),
        Err(error) => (false, error.reason().to_owned(), error.to_string()),
    };
    let degraded = outcome.is_err() || reason == "PodFailed";
    for (type_, holds) in [(READY, ready), (DEGRADED, degraded)] {
        let (conditions, message) = (&mut status.conditions, &*message);
        conditions::set(conditions, generation, type_, holds, &reason, message);
    }
    status
}

/// Whether a pod is ready, with a reason and a message.
fn readiness(pod: &Pod) -> (bool, String, String) {
    let seen = pod.status.as_ref();
    let phase = seen
        .and_then(|seen| seen.phase.as_deref())
        .unwrap_or("Pending");
    let conditions = seen
        .and_then(|seen| seen.conditions.as_deref())
        .unwrap_or_default();
    if conditions
        .iter()
        .any(|condition| condition.type_ == "Ready" && condition.status == "True")
    {
        return (true, "PodReady".to_owned(), "the pod is ready".to_owned());
    }
    let why = conditions
        .iter()
        .filter(|condition| condition.status == "False");
    let why: Vec<_> = why
        .filter_map(|condition| condition.message.as_deref())
        .collect();
    let message = match why.first() {
        Some(why) => format!("the pod is not ready: {why}"),
        None => "the pod is not ready".to_owned(),
    };
    (false, format!("Pod{phase}"), message)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object() -> AppService {
        let object = json!({ "metadata": { "name": "one", "generation": 2 }, "spec": {} });
        serde_json::from_value(object).expect("a valid object")
    }

    fn pod(status: Value) -> Pod {
        serde_json::from_value(json!({ "status": status })).expect("a valid pod")
    }

    /// The status of Ready and Degraded, with the reason and message of Ready.
    fn conditions(outcome: Result<&Pod, &Error>) -> [String; 4] {
        let conditions = status(&object(), outcome).conditions;
        let [ready, degraded] = &*conditions else {
            panic!("two conditions, not {conditions:?}")
        };
        let texts = [
            &ready.status,
            &degraded.status,
            &ready.reason,
            &ready.message,
        ];
        texts.map(Clone::clone)
    }

    #[test]
    fn ready_when_the_pod_is() {
        let pod = pod(
            json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] }),
        );
        assert_eq!(
            conditions(Ok(&pod)),
            ["True", "False", "PodReady", "the pod is ready"]
        );
        assert_eq!(status(&object(), Ok(&pod)).observed_generation, Some(2));
    }

    #[test]
    fn a_pod_that_is_not_ready_says_why() {
        assert_eq!(
            conditions(Ok(&pod(Value::Null))),
            ["False", "False", "PodPending", "the pod is not ready"]
        );
        let condition = json!({ "type": "PodScheduled", "status": "False", "message": "no nodes" });
        let pod = pod(json!({ "phase": "Pending", "conditions": [condition] }));
        assert_eq!(
            conditions(Ok(&pod)),
            [
                "False",
                "False",
                "PodPending",
                "the pod is not ready: no nodes"
            ]
        );
    }

    #[test]
    fn a_terminal_error_is_reported() {
        assert_eq!(
            conditions(Err(&Error::terminal("Forbidden", "quota"))),
            ["False", "True", "Forbidden", "quota"]
        );
    }

    #[test]
    fn the_same_outcome_gives_the_same_status() {
        let mut object = object();
        let pod = pod(Value::Null);
        object.status = Some(status(&object, Ok(&pod)));
        assert_eq!(object.status, Some(status(&object, Ok(&pod))));
    }
}
