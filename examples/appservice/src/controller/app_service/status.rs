// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! Computes the status of an `AppService` from its Deployment or from an error.

use app_operator_api::app::v1::{AppService, AppServiceStatus};

use k8s_openapi::api::apps::v1::{Deployment, DeploymentCondition};
use rop_runtime::conditions::{Conditions, DEGRADED, PROGRESSING, READY};
use rop_runtime::{Error, labels};

use super::resources;

/// Returns the status after a reconcile, from the observed Deployment.
#[must_use]
pub fn of(object: &AppService, deployment: &Deployment) -> AppServiceStatus {
    let seen = deployment.status.clone().unwrap_or_default();
    let mut status = report(object, &rollout(deployment));
    status.replicas = seen.replicas.unwrap_or(0);
    status.ready_replicas = seen.ready_replicas.unwrap_or(0);
    status.selector = labels::to_text(&resources::selector(object));
    status
}

/// Returns the status after a terminal error, or a transient error that persists over several retries.
#[must_use]
pub fn failed(object: &AppService, error: &Error) -> AppServiceStatus {
    let rollout = Rollout {
        phase: Phase::Failed,
        reason: error.reason().to_owned(),
        message: error.to_string(),
    };
    report(object, &rollout)
}

/// Returns the last status with updated conditions.
fn report(object: &AppService, rollout: &Rollout) -> AppServiceStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    let mut conditions = Conditions::of(&status.conditions, generation);
    for (type_, phase) in [
        (READY, Phase::Complete),
        (PROGRESSING, Phase::Progressing),
        (DEGRADED, Phase::Failed),
    ] {
        let holds = rollout.phase == phase;
        conditions.set(type_, holds, &rollout.reason, &rollout.message);
    }
    status.observed_generation = generation;
    status.conditions = conditions.into();
    status
}

/// The progress of the rollout.
struct Rollout {
    phase: Phase,
    reason: String,
    message: String,
}

#[derive(PartialEq)]
enum Phase {
    Complete,
    Progressing,
    Failed,
}

/// Evaluates the Deployment as `kubectl rollout status` does.
fn rollout(deployment: &Deployment) -> Rollout {
    let seen = deployment.status.clone().unwrap_or_default();
    // If an autoscaler sets the replicas, `resources` leaves them out: fall back to the status.
    let replicas = deployment.spec.replicas.or(seen.replicas).unwrap_or(0);
    let available = seen.available_replicas.unwrap_or(0);
    let message = format!("{available} of {replicas} pods are available");

    let is_current = seen.observed_generation >= deployment.metadata.generation;
    // The unavailable replicas include those that do not exist yet, such as after a scale-up.
    let is_complete = seen.replicas.unwrap_or(0) == replicas
        && seen.updated_replicas.unwrap_or(0) == replicas
        && available == replicas
        && seen.unavailable_replicas.unwrap_or(0) == 0;
    let failure = seen.conditions.iter().flatten().find(|c| is_failure(c));
    let (phase, reason, message) = match failure {
        _ if is_current && is_complete => (Phase::Complete, "Available", message),
        Some(failure) if is_current => {
            let reason = failure.reason.as_deref().unwrap_or("DeploymentFailed");
            let why = failure.message.as_deref().unwrap_or("see the Deployment");
            (Phase::Failed, reason, format!("{message}: {why}"))
        }
        _ => (Phase::Progressing, "RollingOut", message),
    };
    Rollout {
        phase,
        reason: reason.to_owned(),
        message,
    }
}

fn is_failure(condition: &DeploymentCondition) -> bool {
    let state = (condition.type_.as_deref(), condition.status.as_deref());
    matches!(
        state,
        (Some("ReplicaFailure"), Some("True")) | (Some("Progressing"), Some("False"))
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixture::fixture;
    use super::*;

    /// A Deployment of two replicas.
    fn deployment(status: Value) -> Deployment {
        let deployment = json!({
            "metadata": { "generation": 4 },
            "spec": { "replicas": 2, "selector": {}, "template": {} },
            "status": status,
        });
        serde_json::from_value(deployment).expect("a valid Deployment")
    }

    /// Ready, Progressing and Degraded, with the reason and message of Ready.
    fn conditions(status: &AppServiceStatus) -> [&str; 5] {
        let find = |type_: &str| {
            let mut conditions = status.conditions.iter();
            let found = conditions.find(|condition| condition.type_ == type_);
            found.expect("the condition")
        };
        let ready = find("Ready");
        [
            &ready.status,
            &find("Progressing").status,
            &find("Degraded").status,
            &ready.reason,
            &ready.message,
        ]
    }

    #[test]
    fn ready_if_all_pods_are_updated_and_available() {
        let mut object = fixture();
        object.metadata.generation = Some(2);
        let status = of(
            &object,
            &deployment(json!({
                "observedGeneration": 4, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
            })),
        );
        assert_eq!(
            conditions(&status),
            [
                "True",
                "False",
                "False",
                "Available",
                "2 of 2 pods are available"
            ]
        );
        assert_eq!(
            (
                status.observed_generation,
                status.replicas,
                status.ready_replicas
            ),
            (Some(2), 2, 2)
        );
        assert_eq!(
            status.selector,
            "app.kubernetes.io/component=app,app.kubernetes.io/instance=web,app.kubernetes.io/name=appservice"
        );
    }

    #[test]
    fn progressing_during_a_rollout() {
        let outdated = json!({
            "observedGeneration": 3, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
        });
        for (seen, message) in [
            (outdated, "2 of 2 pods are available"),
            (Value::Null, "0 of 2 pods are available"),
        ] {
            let status = of(&fixture(), &deployment(seen));
            assert_eq!(
                conditions(&status),
                ["False", "True", "False", "RollingOut", message]
            );
        }
    }

    /// An autoscaler may set the replicas.
    #[test]
    fn unset_replicas_default_to_the_observed_replicas() {
        for (available, unavailable, ready) in [(3, 0, "True"), (2, 1, "False"), (3, 2, "False")] {
            let mut deployment = deployment(json!({
                "observedGeneration": 4, "replicas": 3, "updatedReplicas": 3,
                "availableReplicas": available, "unavailableReplicas": unavailable,
            }));
            deployment.spec.replicas = None;
            let status = of(&fixture(), &deployment);
            let message = format!("{available} of 3 pods are available");
            let [status, _, _, _, seen] = conditions(&status);
            assert_eq!((status, seen), (ready, &*message));
        }
    }

    #[test]
    fn a_failed_rollout_reports_the_reason() {
        let failed = deployment(json!({
            "observedGeneration": 4, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 1,
            "conditions": [{ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota" }],
        }));
        let message = "1 of 2 pods are available: quota";
        assert_eq!(
            conditions(&of(&fixture(), &failed)),
            ["False", "False", "True", "FailedCreate", message]
        );
    }

    #[test]
    fn an_error_is_reported() {
        let error = Error::terminal("Invalid", "spec.ports: no");
        assert_eq!(
            conditions(&failed(&fixture(), &error)),
            ["False", "False", "True", "Invalid", "spec.ports: no"]
        );
    }

    #[test]
    fn the_status_is_stable() {
        let mut object = fixture();
        let deployment = deployment(Value::Null);
        object.status = Some(of(&object, &deployment));
        assert_eq!(object.status, Some(of(&object, &deployment)));
    }
}
