//! Reconciles an `App`. All requests are made here; the pure modules `resources` and `status`
//! compute what to write.

use std::sync::Arc;

use my_operator_api::mycompany::v1::app::Phase;
use my_operator_api::mycompany::v1::{App, AppStatus};

use rop_runtime::{Action, Context, Error, EventType};

use super::{resources, status};
use crate::State;

// +kubebuilder:rbac:groups=mycompany.com,resources=apps,verbs=list;watch
// +kubebuilder:rbac:groups=mycompany.com,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=get;list;watch;create;patch

/// Brings one object to its desired state. On an error, the runtime retries with backoff, and writes
/// [`status::failed`] if the error is terminal or persists.
pub async fn reconcile(object: Arc<App>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    let config_map = resources::config_map(object);
    context.apply(object, config_map).await?;
    let deployment = resources::deployment(object);
    let deployment = context.apply(object, deployment).await?;
    context.apply(object, resources::service(object)).await?;

    let status = status::of(object, &deployment);
    context.report(object, status.clone()).await?;
    announce(object, &status, &context);
    Ok(Action::await_change())
}

/// Publishes an event if the phase has changed.
fn announce(object: &App, status: &AppStatus, context: &Context<State>) {
    let before = object.status.as_ref().map(|status| status.phase);
    if before == Some(status.phase) {
        return;
    }
    let type_ = match status.phase {
        Phase::Failed => EventType::Warning,
        Phase::Pending | Phase::Updating | Phase::Running => EventType::Normal,
    };
    let message = status.conditions.first().map_or("", |it| &*it.message);
    context.event(object, type_, &format!("{:?}", status.phase), message);
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{ConfigMap, Service};
    use rop_runtime::testing::FakeApi;
    use serde_json::json;

    use super::super::fixture::{api, current, fixture};
    use super::*;

    fn status(api: &FakeApi<State>) -> Option<AppStatus> {
        current(api).and_then(|object| object.status)
    }

    #[tokio::test]
    async fn an_app_of_three_replicas_gets_a_deployment_of_three() {
        let mut object = fixture();
        object.spec.replicas = 3;
        let api = api(&object);
        api.reconcile("web").await.unwrap();
        let deployment: Deployment = api.get("web").expect("a Deployment");
        assert_eq!(deployment.spec.replicas, Some(3));
        assert_eq!(deployment.metadata.namespace.as_deref(), Some("shop"));
        assert!(api.get::<Service>("web").is_some());
        assert!(api.get::<ConfigMap>("web-config").is_some());
        let status = status(&api).expect("a status");
        assert_eq!(status.phase, Phase::Pending);
        assert_eq!(status.observed_generation, Some(1));
    }

    #[tokio::test]
    async fn the_phase_follows_the_deployment() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        for (available, phase) in [(1, Phase::Updating), (3, Phase::Running)] {
            let mut deployment: Deployment = api.get("web").expect("a Deployment");
            let seen = json!({
                "observedGeneration": deployment.metadata.generation,
                "replicas": 3, "updatedReplicas": 3,
                "readyReplicas": available, "availableReplicas": available,
            });
            deployment.status = serde_json::from_value(seen).ok();
            api.put(&deployment);
            let _ = api.events();
            api.reconcile("web").await.unwrap();
            assert_eq!(status(&api).expect("a status").phase, phase);
            let event = format!("Normal {phase:?} {available} of 3 pods are available");
            assert_eq!(api.events(), [event]);
        }
    }

    #[tokio::test]
    async fn a_second_reconcile_writes_nothing() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        assert_eq!(api.writes().len(), 4);
        api.reconcile("web").await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn a_transient_error_is_retried_and_not_reported() {
        for code in [409, 429, 500] {
            let api = api(&fixture());
            api.refuse_next("PATCH", "/deployments/", code);
            let error = api.reconcile("web").await.unwrap_err();
            assert!(error.is_transient(), "{code}");
            assert_eq!(status(&api), None);
        }
    }

    #[tokio::test]
    async fn a_persistent_transient_error_is_reported() {
        let api = api(&fixture());
        for _ in 0..4 {
            assert_eq!(status(&api), None);
            api.refuse_next("PATCH", "/deployments/", 500);
            api.reconcile("web").await.unwrap_err();
        }
        let status = status(&api).expect("a status");
        assert_eq!(status.phase, Phase::Failed);
        assert_eq!(status.conditions[0].reason, "Retrying");
    }

    #[tokio::test]
    async fn a_terminal_error_is_reported() {
        for (code, reason) in [(403, "Forbidden"), (422, "Invalid")] {
            let api = api(&fixture());
            api.refuse_next("PATCH", "/deployments/", code);
            let error = api.reconcile("web").await.unwrap_err();
            assert!(!error.is_transient(), "{code}");
            let status = status(&api).expect("a status");
            assert_eq!(status.phase, Phase::Failed);
            assert_eq!(status.conditions[0].reason, reason);
        }
    }

    #[tokio::test]
    async fn an_object_that_is_being_deleted_is_not_reconciled() {
        let mut object = fixture();
        object.metadata.finalizers = Some(vec!["example.com/another".to_owned()]);
        let api = api(&object);
        api.delete::<App>("web");
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Deployment>("web"), None);
    }
}
