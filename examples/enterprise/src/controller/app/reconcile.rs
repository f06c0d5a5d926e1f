//! Makes the cluster what an `App` asks for. All input and output is here; what to write is
//! computed in `resources` and `status`.

use std::sync::Arc;

use my_operator_api::mycompany::v1::app::Phase;
use my_operator_api::mycompany::v1::{App, AppStatus};

use k8s_openapi::api::apps::v1::Deployment;
use kube::Resource;
use kube::runtime::controller::Action;
use kube::runtime::events::EventType;

use super::{resources, status};
use crate::runtime::{Context, Error};

// +kubebuilder:rbac:groups=mycompany.com,resources=apps,verbs=list;watch
// +kubebuilder:rbac:groups=mycompany.com,resources=apps/status,verbs=patch

/// Brings one object to its desired state and reports in its status.
///
/// # Errors
/// A transient error is retried after a while; a terminal one is in the status by then.
pub async fn reconcile(object: Arc<App>, context: Arc<Context>) -> Result<Action, Error> {
    if object.meta().deletion_timestamp.is_some() {
        // The garbage collector deletes the children: do not bring them back.
        return Ok(Action::await_change());
    }
    let outcome = match apply(&object, &context).await {
        Err(error) if error.is_transient() => return Err(error),
        outcome => outcome,
    };
    let status = status::status(&object, outcome.as_ref());
    context.apply_status(&*object, &status).await?;
    // Of an error, an event tells already.
    if outcome.is_ok() {
        announce(&object, &status, &context);
    }
    outcome.map(|_| Action::await_change())
}

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=get;list;watch;create;patch

/// Applies the children. Returns the Deployment with its status as last seen.
async fn apply(object: &App, context: &Context) -> Result<Deployment, Error> {
    context
        .apply(object, &resources::config_map(object))
        .await?;
    let deployment = context
        .apply(object, &resources::deployment(object))
        .await?;
    context.apply(object, &resources::service(object)).await?;
    Ok(deployment)
}

/// Tells of a new phase.
fn announce(object: &App, status: &AppStatus, context: &Context) {
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
    use k8s_openapi::api::core::v1::{ConfigMap, Service};
    use serde_json::{Value, json};

    use super::*;
    use crate::runtime::testing::FakeApi;

    fn object(object: Value) -> App {
        serde_json::from_value(object).expect("a valid object")
    }

    /// An API server that has the object of the tutorial.
    fn api() -> FakeApi {
        let api = FakeApi::default();
        api.put(&object(json!({
            "metadata": { "name": "test-app", "namespace": "default" },
            "spec": { "replicas": 3, "image": "nginx:latest", "port": 80 },
        })));
        api
    }

    /// The object as it is now.
    fn seen(api: &FakeApi) -> App {
        api.get("test-app").expect("the object")
    }

    /// Reconciles the object as it is now.
    async fn pass(api: &FakeApi, context: &Arc<Context>) -> Result<Action, Error> {
        reconcile(Arc::new(seen(api)), Arc::clone(context)).await
    }

    #[tokio::test]
    async fn an_app_of_three_replicas_gets_a_deployment_of_three() {
        let api = api();
        pass(&api, &api.context()).await.unwrap();
        let deployment: Deployment = api.get("test-app").expect("a Deployment");
        assert_eq!(deployment.spec.replicas, Some(3));
        assert_eq!(deployment.metadata.namespace.as_deref(), Some("default"));
        assert!(api.get::<Service>("test-app").is_some());
        assert!(api.get::<ConfigMap>("test-app-config").is_some());
        let status = seen(&api).status.expect("a status");
        assert_eq!(status.phase, Phase::Pending);
        assert_eq!(status.observed_generation, Some(1));
    }

    #[tokio::test]
    async fn the_phase_follows_the_deployment() {
        let api = api();
        let context = api.context();
        pass(&api, &context).await.unwrap();
        for (available, phase) in [(1, Phase::Updating), (3, Phase::Running)] {
            let mut deployment: Deployment = api.get("test-app").expect("a Deployment");
            let status = json!({
                "observedGeneration": deployment.metadata.generation,
                "replicas": 3, "updatedReplicas": 3, "availableReplicas": available,
            });
            deployment.status = serde_json::from_value(status).ok();
            api.put(&deployment);
            pass(&api, &context).await.unwrap();
            assert_eq!(seen(&api).status.expect("a status").phase, phase);
        }
    }

    #[tokio::test]
    async fn the_second_pass_writes_nothing() {
        let api = api();
        let context = api.context();
        context.watched::<ConfigMap>();
        context.watched::<Deployment>();
        context.watched::<Service>();
        pass(&api, &context).await.unwrap();
        assert_eq!(api.writes().len(), 4);
        pass(&api, &context).await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn what_passes_is_tried_again_and_not_reported() {
        for code in [409, 429, 500] {
            let api = api();
            api.refuse_next("PATCH", "/deployments/", code);
            let error = pass(&api, &api.context()).await.unwrap_err();
            assert!(error.is_transient(), "{code}");
            assert_eq!(seen(&api).status, None);
        }
    }

    #[tokio::test]
    async fn what_is_refused_is_reported() {
        for (code, reason) in [(403, "Forbidden"), (422, "Invalid")] {
            let api = api();
            api.refuse_next("PATCH", "/deployments/", code);
            let error = pass(&api, &api.context()).await.unwrap_err();
            assert!(!error.is_transient(), "{code}");
            let status = seen(&api).status.expect("a status");
            assert_eq!(status.phase, Phase::Failed);
            assert_eq!(status.conditions[0].reason, reason);
        }
    }

    #[tokio::test]
    async fn what_is_being_deleted_is_left_alone() {
        let api = api();
        let mut object = seen(&api);
        object.metadata.deletion_timestamp =
            serde_json::from_value(json!("2026-01-01T00:00:00Z")).ok();
        api.put(&object);
        pass(&api, &api.context()).await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }
}
