//! Computes the status of an `App` from its Deployment or from an error.

use my_operator_api::mycompany::v1::app::Phase;
use my_operator_api::mycompany::v1::{App, AppStatus};

use k8s_openapi::api::apps::v1::Deployment;
use rop_runtime::conditions::{Conditions, READY};
use rop_runtime::{Error, labels};

use super::resources;

/// The type of the condition for whether all pods are available, including outdated ones.
const AVAILABLE: &str = "Available";

/// Returns the status after a reconcile, from the observed Deployment.
#[must_use]
pub fn of(object: &App, deployment: &Deployment) -> AppStatus {
    let seen = deployment.status.clone().unwrap_or_default();
    let mut status = report(object, &rollout(deployment));
    status.replicas = seen.replicas.unwrap_or(0);
    status.available_replicas = seen.available_replicas.unwrap_or(0);
    status.selector = labels::to_text(&resources::selector(object));
    status
}

/// Returns the status after a terminal error, or a transient error that persists over several retries.
#[must_use]
pub fn failed(object: &App, error: &Error) -> AppStatus {
    let rollout = Rollout {
        phase: Phase::Failed,
        is_available: false,
        failure: Some(error.reason().to_owned()),
        message: error.to_string(),
    };
    report(object, &rollout)
}

/// Returns the last status with an updated phase and conditions.
fn report(object: &App, rollout: &Rollout) -> AppStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    let mut conditions = Conditions::of(&status.conditions, generation);
    let is_ready = rollout.phase == Phase::Running;
    for (type_, holds) in [(AVAILABLE, rollout.is_available), (READY, is_ready)] {
        let reason = match &rollout.failure {
            Some(reason) if !holds => reason.clone(),
            _ if holds => format!("Deployment{type_}"),
            _ => format!("DeploymentNot{type_}"),
        };
        conditions.set(type_, holds, &reason, &*rollout.message);
    }
    status.observed_generation = generation;
    status.phase = rollout.phase;
    status.conditions = conditions.into();
    status
}

/// The progress of the rollout.
struct Rollout {
    phase: Phase,
    is_available: bool,
    /// Reason of the failure.
    failure: Option<String>,
    message: String,
}

/// Evaluates the Deployment as `kubectl rollout status` does.
fn rollout(deployment: &Deployment) -> Rollout {
    let wanted = deployment.spec.replicas.unwrap_or(1);
    let seen = deployment.status.clone().unwrap_or_default();
    let available = seen.available_replicas.unwrap_or(0);
    let mut message = format!("{available} of {wanted} pods are available");

    // The status may be of an older generation.
    let is_up_to_date = seen.observed_generation >= deployment.metadata.generation;
    let counts = [
        seen.replicas,
        seen.updated_replicas,
        seen.available_replicas,
    ];
    let is_complete = is_up_to_date && counts.iter().all(|count| count.unwrap_or(0) == wanted);
    let failed = seen.conditions.iter().flatten().find(|condition| {
        let state = (condition.type_.as_deref(), condition.status.as_deref());
        matches!(
            state,
            (Some("ReplicaFailure"), Some("True")) | (Some("Progressing"), Some("False"))
        )
    });
    let mut failure = None;
    let phase = if is_complete {
        Phase::Running
    } else if let Some(condition) = failed.filter(|_| is_up_to_date) {
        let reason = condition.reason.as_deref().unwrap_or("DeploymentFailed");
        failure = Some(reason.to_owned());
        if let Some(why) = &condition.message {
            message = format!("{message}: {why}");
        }
        Phase::Failed
    } else if seen.replicas.unwrap_or(0) == 0 {
        Phase::Pending
    } else {
        Phase::Updating
    };
    Rollout {
        phase,
        is_available: available >= wanted,
        failure,
        message,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixture::fixture;
    use super::*;

    /// A Deployment of two replicas.
    fn deployment(status: &Value) -> Deployment {
        let deployment = json!({
            "metadata": { "generation": 4 },
            "spec": { "replicas": 2, "selector": {}, "template": {} },
            "status": status,
        });
        serde_json::from_value(deployment).expect("a valid Deployment")
    }

    /// The phase, and the reasons of Available and Ready.
    fn summary(status: &AppStatus) -> (Phase, [&str; 2]) {
        let [available, ready] = &status.conditions[..] else {
            panic!("{:?}", status.conditions);
        };
        assert_eq!((&*available.type_, &*ready.type_), ("Available", "Ready"));
        (status.phase, [&available.reason, &ready.reason])
    }

    #[test]
    fn phases_from_pending_to_running() {
        let seen = |generation, replicas, updated, available| {
            json!({
                "observedGeneration": generation,
                "replicas": replicas,
                "updatedReplicas": updated,
                "availableReplicas": available,
            })
        };
        let not_yet = ["DeploymentNotAvailable", "DeploymentNotReady"];
        let old_pods = ["DeploymentAvailable", "DeploymentNotReady"];
        let complete = ["DeploymentAvailable", "DeploymentReady"];
        for (status, phase, reasons) in [
            (Value::Null, Phase::Pending, not_yet),
            (seen(4, 0, 0, 0), Phase::Pending, not_yet),
            (seen(4, 2, 2, 1), Phase::Updating, not_yet),
            (seen(4, 3, 1, 2), Phase::Updating, old_pods),
            (seen(3, 2, 2, 2), Phase::Updating, old_pods),
            (seen(4, 2, 2, 2), Phase::Running, complete),
        ] {
            let seen = of(&fixture(), &deployment(&status));
            assert_eq!(summary(&seen), (phase, reasons), "{status}");
        }
    }

    #[test]
    fn the_counts_are_those_of_the_deployment() {
        let deployment = deployment(&json!({ "replicas": 2, "availableReplicas": 1 }));
        let mut object = fixture();
        object.metadata.generation = Some(2);
        let status = of(&object, &deployment);
        assert_eq!((status.replicas, status.available_replicas), (2, 1));
        assert_eq!(status.observed_generation, Some(2));
        assert_eq!(
            status.selector,
            "app.kubernetes.io/component=app,app.kubernetes.io/instance=web,app.kubernetes.io/name=app"
        );
        assert_eq!(status.conditions[0].message, "1 of 2 pods are available");
    }

    #[test]
    fn a_failed_rollout_reports_the_reason() {
        let condition = json!({
            "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota",
        });
        let failed = json!({ "observedGeneration": 4, "replicas": 1, "conditions": [condition] });
        let status = of(&fixture(), &deployment(&failed));
        let reasons = ["FailedCreate", "FailedCreate"];
        assert_eq!(summary(&status), (Phase::Failed, reasons));
        let message = "0 of 2 pods are available: quota";
        assert_eq!(status.conditions[1].message, message);
    }

    #[test]
    fn an_error_is_reported() {
        let error = Error::terminal("Invalid", "spec.resources: no");
        let status = failed(&fixture(), &error);
        assert_eq!(summary(&status), (Phase::Failed, ["Invalid", "Invalid"]));
        assert_eq!(status.conditions[1].message, "spec.resources: no");
    }

    #[test]
    fn the_status_is_stable() {
        let mut object = fixture();
        let deployment = deployment(&Value::Null);
        object.status = Some(of(&object, &deployment));
        assert_eq!(object.status, Some(of(&object, &deployment)));
    }
}
