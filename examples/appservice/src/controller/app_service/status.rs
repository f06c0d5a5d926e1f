// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! The status of an `AppService`, from what its children report. Pure but for the time of a
//! condition's transition.

use app_operator_api::app::v1::{AppService, AppServiceStatus};

use k8s_openapi::api::apps::v1::Deployment;

use crate::runtime::conditions::{self, DEGRADED, PROGRESSING, READY};
use crate::runtime::{Error, labels};

/// The status after a reconcile that saw the Deployment, or failed for good.
#[must_use]
pub fn status(object: &AppService, outcome: Result<&Deployment, &Error>) -> AppServiceStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    status.observed_generation = generation;

    let rollout = match outcome {
        Ok(deployment) => {
            let seen = deployment.status.as_ref();
            status.replicas = seen.and_then(|seen| seen.replicas).unwrap_or(0);
            status.ready_replicas = seen.and_then(|seen| seen.ready_replicas).unwrap_or(0);
            status.selector = labels::to_text(&labels::selector(object));
            rollout(deployment)
        }
        Err(error) => Rollout::Failed {
            reason: error.reason().to_owned(),
            message: error.to_string(),
        },
    };
    let (ready, progressing, degraded) = match &rollout {
        Rollout::Complete { .. } => (true, false, false),
        Rollout::UnderWay { .. } => (false, true, false),
        Rollout::Failed { .. } => (false, false, true),
    };
    let (reason, message) = match rollout {
        Rollout::Complete { message } => ("Available".to_owned(), message),
        Rollout::UnderWay { message } => ("RollingOut".to_owned(), message),
        Rollout::Failed { reason, message } => (reason, message),
    };
    for (type_, holds) in [
        (READY, ready),
        (PROGRESSING, progressing),
        (DEGRADED, degraded),
    ] {
        let (conditions, message) = (&mut status.conditions, &*message);
        conditions::set(conditions, generation, type_, holds, &reason, message);
    }
    status
}

/// How far the pods are.
enum Rollout {
    Complete { message: String },
    UnderWay { message: String },
    Failed { reason: String, message: String },
}

/// Reads a Deployment as `kubectl rollout status` does.
fn rollout(deployment: &Deployment) -> Rollout {
    let wanted = deployment.spec.replicas.unwrap_or(1);
    let Some(seen) = &deployment.status else {
        return Rollout::UnderWay {
            message: format!("0 of {wanted} pods are available"),
        };
    };
    let available = seen.available_replicas.unwrap_or(0);
    let message = format!("{available} of {wanted} pods are available");

    let failed = seen.conditions.iter().flatten().find(|condition| {
        let state = (condition.type_.as_deref(), condition.status.as_deref());
        matches!(
            state,
            (Some("ReplicaFailure"), Some("True")) | (Some("Progressing"), Some("False"))
        )
    });
    let up_to_date = seen.observed_generation >= deployment.metadata.generation;
    let counts = [
        seen.replicas,
        seen.updated_replicas,
        seen.available_replicas,
    ];
    if up_to_date && counts.iter().all(|count| count.unwrap_or(0) == wanted) {
        Rollout::Complete { message }
    } else if let Some(condition) = failed.filter(|_| up_to_date) {
        Rollout::Failed {
            reason: condition
                .reason
                .clone()
                .unwrap_or_else(|| "DeploymentFailed".to_owned()),
            message: format!(
                "{message}: {}",
                condition.message.as_deref().unwrap_or("see the Deployment")
            ),
        }
    } else {
        Rollout::UnderWay { message }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn object() -> AppService {
        let object =
            json!({ "metadata": { "name": "web", "generation": 2 }, "spec": { "image": "nginx" } });
        serde_json::from_value(object).expect("a valid object")
    }

    fn deployment(status: Value) -> Deployment {
        let deployment = json!({
            "metadata": { "generation": 4 },
            "spec": { "replicas": 2, "selector": {}, "template": {} },
            "status": status,
        });
        serde_json::from_value(deployment).expect("a valid Deployment")
    }

    /// Ready, Progressing and Degraded, with the reason and message of Ready.
    fn conditions(outcome: Result<&Deployment, &Error>) -> [String; 5] {
        let conditions = status(&object(), outcome).conditions;
        let find = |type_| {
            conditions
                .iter()
                .find(|condition| condition.type_ == type_)
                .expect(type_)
                .clone()
        };
        let ready = find("Ready");
        [
            ready.status,
            find("Progressing").status,
            find("Degraded").status,
            ready.reason,
            ready.message,
        ]
    }

    #[test]
    fn ready_when_all_pods_are_new_and_available() {
        let complete = json!({
            "observedGeneration": 4, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
        });
        let deployment = deployment(complete);
        assert_eq!(
            conditions(Ok(&deployment)),
            [
                "True",
                "False",
                "False",
                "Available",
                "2 of 2 pods are available"
            ]
        );

        let status = status(&object(), Ok(&deployment));
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
            "app.kubernetes.io/instance=web,app.kubernetes.io/name=appservice"
        );
    }

    #[test]
    fn progressing_until_then() {
        let old = json!({
            "observedGeneration": 3, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
        });
        for (seen, message) in [
            (old, "2 of 2 pods are available"),
            (Value::Null, "0 of 2 pods are available"),
        ] {
            assert_eq!(
                conditions(Ok(&deployment(seen))),
                ["False", "True", "False", "RollingOut", message]
            );
        }
    }

    #[test]
    fn a_failed_rollout_says_why() {
        let failed = json!({
            "observedGeneration": 4, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 1,
            "conditions": [{ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota" }],
        });
        let message = "1 of 2 pods are available: quota";
        assert_eq!(
            conditions(Ok(&deployment(failed))),
            ["False", "False", "True", "FailedCreate", message]
        );
    }

    #[test]
    fn a_terminal_error_is_reported() {
        let error = Error::terminal("Invalid", "spec.ports: no");
        assert_eq!(
            conditions(Err(&error)),
            ["False", "False", "True", "Invalid", "spec.ports: no"]
        );
    }

    #[test]
    fn the_same_outcome_gives_the_same_status() {
        let mut object = object();
        let deployment = deployment(Value::Null);
        object.status = Some(status(&object, Ok(&deployment)));
        assert_eq!(object.status, Some(status(&object, Ok(&deployment))));
    }
}
