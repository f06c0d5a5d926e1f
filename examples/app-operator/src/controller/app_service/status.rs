//! Computes the status of an `AppService` from its pod or from an error.

use app_operator_api::app::v1alpha1::{AppService, AppServiceStatus};

use k8s_openapi::api::core::v1::Pod;
use rop_runtime::Error;
use rop_runtime::conditions::{Conditions, DEGRADED, READY};

/// Returns the status after a reconcile, from the observed pod.
#[must_use]
pub fn of(object: &AppService, pod: &Pod) -> AppServiceStatus {
    let seen = pod.status.clone().unwrap_or_default();
    let phase = seen.phase.as_deref().unwrap_or("Pending");
    let conditions = seen.conditions.unwrap_or_default();
    let is_ready = |type_: &str, status: &str| type_ == "Ready" && status == "True";
    if conditions.iter().any(|c| is_ready(&c.type_, &c.status)) {
        return report(object, Phase::Ready, "PodReady", "the pod is ready");
    }
    let mut causes = conditions.iter().filter(|c| c.status == "False");
    let message = match causes.find_map(|c| c.message.as_deref()) {
        Some(cause) => format!("the pod is not ready: {cause}"),
        None => "the pod is not ready".to_owned(),
    };
    let state = match phase {
        "Failed" => Phase::Failed,
        _ => Phase::Waiting,
    };
    report(object, state, &format!("Pod{phase}"), &message)
}

/// Returns the status after a terminal error, or a transient error that persists over several retries.
#[must_use]
pub fn failed(object: &AppService, error: &Error) -> AppServiceStatus {
    report(object, Phase::Failed, error.reason(), &error.to_string())
}

#[derive(PartialEq)]
enum Phase {
    Ready,
    Waiting,
    Failed,
}

/// Returns the last status with updated conditions.
fn report(object: &AppService, phase: Phase, reason: &str, message: &str) -> AppServiceStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    let mut conditions = Conditions::of(&status.conditions, generation);
    conditions.set(READY, phase == Phase::Ready, reason, message);
    conditions.set(DEGRADED, phase == Phase::Failed, reason, message);
    status.observed_generation = generation;
    status.conditions = conditions.into();
    status
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixture::fixture;
    use super::*;

    fn pod(status: Value) -> Pod {
        serde_json::from_value(json!({ "status": status })).expect("a valid pod")
    }

    /// The status of Ready and Degraded, with the reason and message of Ready.
    fn conditions(status: &AppServiceStatus) -> [&str; 4] {
        let [ready, degraded] = &*status.conditions else {
            panic!("two conditions, not {:?}", status.conditions)
        };
        [
            &ready.status,
            &degraded.status,
            &ready.reason,
            &ready.message,
        ]
    }

    #[test]
    fn ready_if_the_pod_is_ready() {
        let condition = json!({ "type": "Ready", "status": "True" });
        let pod = pod(json!({ "phase": "Running", "conditions": [condition] }));
        let mut object = fixture();
        object.metadata.generation = Some(2);
        let status = of(&object, &pod);
        assert_eq!(status.observed_generation, Some(2));
        assert_eq!(
            conditions(&status),
            ["True", "False", "PodReady", "the pod is ready"]
        );
    }

    #[test]
    fn a_pod_that_is_not_ready_reports_the_reason() {
        let condition = json!({ "type": "PodScheduled", "status": "False", "message": "no nodes" });
        for (seen, message) in [
            (Value::Null, "the pod is not ready"),
            (
                json!({ "phase": "Pending", "conditions": [condition] }),
                "the pod is not ready: no nodes",
            ),
        ] {
            let status = of(&fixture(), &pod(seen));
            assert_eq!(
                conditions(&status),
                ["False", "False", "PodPending", message]
            );
        }
    }

    #[test]
    fn a_failed_pod_is_reported() {
        let status = of(&fixture(), &pod(json!({ "phase": "Failed" })));
        assert_eq!(
            conditions(&status),
            ["False", "True", "PodFailed", "the pod is not ready"]
        );
    }

    #[test]
    fn an_error_is_reported() {
        let status = failed(&fixture(), &Error::terminal("Forbidden", "quota"));
        assert_eq!(conditions(&status), ["False", "True", "Forbidden", "quota"]);
    }

    #[test]
    fn the_status_is_stable() {
        let mut object = fixture();
        let pod = pod(Value::Null);
        object.status = Some(of(&object, &pod));
        assert_eq!(object.status, Some(of(&object, &pod)));
    }
}
