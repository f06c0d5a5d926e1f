//! The status of an `App`, from what its Deployment reports. Pure but for the time of a
//! condition's transition.

use my_operator_api::mycompany::v1::app::Phase;
use my_operator_api::mycompany::v1::{App, AppStatus};

use k8s_openapi::api::apps::v1::Deployment;

use crate::runtime::conditions::{self, READY};
use crate::runtime::{Error, labels};

/// The type of the condition that says whether all pods serve, be they new or old.
const AVAILABLE: &str = "Available";

/// The status after a reconcile that saw the Deployment, or failed for good.
#[must_use]
pub fn status(object: &App, outcome: Result<&Deployment, &Error>) -> AppStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    status.observed_generation = generation;
    status.selector = labels::to_text(&labels::selector(object));
    let report = match outcome {
        Ok(deployment) => {
            let seen = deployment.status.as_ref();
            status.replicas = seen.and_then(|seen| seen.replicas).unwrap_or(0);
            status.available_replicas = seen.and_then(|seen| seen.available_replicas).unwrap_or(0);
            report(deployment)
        }
        Err(error) => Report {
            phase: Phase::Failed,
            is_available: false,
            failure: Some(error.reason().to_owned()),
            message: error.to_string(),
        },
    };
    status.phase = report.phase;
    let is_ready = report.phase == Phase::Running;
    for (type_, holds) in [(AVAILABLE, report.is_available), (READY, is_ready)] {
        let reason = match &report.failure {
            Some(reason) if !holds => reason.clone(),
            _ if holds => format!("Deployment{type_}"),
            _ => format!("DeploymentNot{type_}"),
        };
        let (conditions, message) = (&mut status.conditions, &*report.message);
        conditions::set(conditions, generation, type_, holds, &reason, message);
    }
    status
}

/// What there is to say of a Deployment.
struct Report {
    phase: Phase,
    is_available: bool,
    /// Why it does not get any further.
    failure: Option<String>,
    message: String,
}

/// Reads a Deployment as `kubectl rollout status` does.
fn report(deployment: &Deployment) -> Report {
    let wanted = deployment.spec.replicas.unwrap_or(1);
    let seen = deployment.status.clone().unwrap_or_default();
    let available = seen.available_replicas.unwrap_or(0);
    let mut message = format!("{available} of {wanted} pods are available");

    // What is said of an older Deployment does not count.
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
    Report {
        phase,
        is_available: available >= wanted,
        failure,
        message,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object() -> App {
        let object = json!({
            "metadata": { "name": "web", "generation": 2 },
            "spec": { "image": "nginx", "replicas": 2 },
        });
        serde_json::from_value(object).expect("a valid object")
    }

    fn deployment(status: &Value) -> Deployment {
        let deployment = json!({
            "metadata": { "generation": 4 },
            "spec": { "replicas": 2, "selector": {}, "template": {} },
            "status": status,
        });
        serde_json::from_value(deployment).expect("a valid Deployment")
    }

    /// The phase, and the reasons of Available and Ready.
    fn summary(outcome: Result<&Deployment, &Error>) -> (Phase, [String; 2]) {
        let status = status(&object(), outcome);
        let [available, ready] = &status.conditions[..] else {
            panic!("{:?}", status.conditions);
        };
        assert_eq!((&*available.type_, &*ready.type_), ("Available", "Ready"));
        let phase = status.phase;
        (phase, [available.reason.clone(), ready.reason.clone()])
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
            let expected = (phase, reasons.map(str::to_owned));
            assert_eq!(summary(Ok(&deployment(&status))), expected, "{status}");
        }
    }

    #[test]
    fn the_counts_are_those_of_the_deployment() {
        let deployment = deployment(&json!({ "replicas": 2, "availableReplicas": 1 }));
        let status = status(&object(), Ok(&deployment));
        assert_eq!((status.replicas, status.available_replicas), (2, 1));
        assert_eq!(status.observed_generation, Some(2));
        assert_eq!(
            status.selector,
            "app.kubernetes.io/instance=web,app.kubernetes.io/name=app"
        );
        assert_eq!(status.conditions[0].message, "1 of 2 pods are available");
    }

    #[test]
    fn a_failed_rollout_says_why() {
        let condition = json!({
            "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota",
        });
        let failed = json!({ "observedGeneration": 4, "replicas": 1, "conditions": [condition] });
        let deployment = deployment(&failed);
        let (phase, reasons) = summary(Ok(&deployment));
        assert_eq!(phase, Phase::Failed);
        assert_eq!(reasons, ["FailedCreate", "FailedCreate"]);
        let status = status(&object(), Ok(&deployment));
        let message = "0 of 2 pods are available: quota";
        assert_eq!(status.conditions[1].message, message);
    }

    #[test]
    fn a_terminal_error_is_reported() {
        let error = Error::terminal("Invalid", "spec.resources: no");
        let reasons = ["Invalid", "Invalid"].map(str::to_owned);
        assert_eq!(summary(Err(&error)), (Phase::Failed, reasons));
    }

    #[test]
    fn the_same_outcome_gives_the_same_status() {
        let mut object = object();
        let deployment = deployment(&Value::Null);
        object.status = Some(status(&object, Ok(&deployment)));
        assert_eq!(object.status, Some(status(&object, Ok(&deployment))));
    }
}
