//! Makes the cluster what an `AppService` asks for. All input and output is here; what to write is
//! computed in `resources` and `status`.

use std::sync::Arc;

use app_operator_api::app::v1alpha1::AppService;

use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::runtime::controller::Action;

use super::{resources, status};
use crate::runtime::{Context, Error};

// +kubebuilder:rbac:groups=app.example.com,resources=appservices,verbs=list;watch
// +kubebuilder:rbac:groups=app.example.com,resources=appservices/status,verbs=patch

/// Brings one object to its desired state and reports in its status.
///
/// # Errors
/// A transient error is retried after a while; a terminal one is in the status by then.
pub async fn reconcile(object: Arc<AppService>, context: Arc<Context>) -> Result<Action, Error> {
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
    outcome.map(|_| Action::await_change())
}

// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;patch

/// Applies the pod. Returns it with its status as last seen.
async fn apply(object: &AppService, context: &Context) -> Result<Pod, Error> {
    context.apply(object, &resources::pod(object)).await
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::runtime::testing::FakeApi;

    fn object(object: Value) -> AppService {
        serde_json::from_value(object).expect("a valid object")
    }

    /// An API server that has one object.
    fn api(spec: Value) -> FakeApi {
        let api = FakeApi::default();
        let metadata = json!({ "name": "web", "namespace": "shop" });
        api.put(&object(json!({ "metadata": metadata, "spec": spec })));
        api
    }

    /// The object as it is now.
    fn seen(api: &FakeApi) -> AppService {
        api.get("web").expect("the object")
    }

    /// Reconciles the object as it is now.
    async fn pass(api: &FakeApi, context: &Arc<Context>) -> Result<Action, Error> {
        reconcile(Arc::new(seen(api)), Arc::clone(context)).await
    }

    #[tokio::test]
    async fn the_pod_runs_the_image() {
        let api = api(json!({ "image": "busybox:1" }));
        pass(&api, &api.context()).await.unwrap();
        let pod: Pod = api.get("web-pod").expect("a pod");
        assert_eq!(pod.metadata.namespace.as_deref(), Some("shop"));
        let containers = pod.spec.expect("a spec").containers;
        assert_eq!(containers[0].image.as_deref(), Some("busybox:1"));
        let status = seen(&api).status.expect("a status");
        assert_eq!(status.observed_generation, Some(1));
    }

    #[tokio::test]
    async fn the_second_pass_writes_nothing() {
        let api = api(json!({ "image": "busybox" }));
        let context = api.context();
        context.watched::<Pod>();
        pass(&api, &context).await.unwrap();
        assert_eq!(api.writes().len(), 2);
        pass(&api, &context).await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn what_passes_is_tried_again_and_not_reported() {
        for code in [409, 429, 500] {
            let api = api(json!({ "image": "busybox" }));
            api.refuse_next("PATCH", "/pods/", code);
            let error = pass(&api, &api.context()).await.unwrap_err();
            assert!(error.is_transient(), "{code}");
            assert_eq!(seen(&api).status, None);
        }
    }

    #[tokio::test]
    async fn what_is_forbidden_is_reported() {
        let api = api(json!({ "image": "busybox" }));
        api.refuse_next("PATCH", "/pods/", 403);
        let error = pass(&api, &api.context()).await.unwrap_err();
        assert!(!error.is_transient());
        let status = seen(&api).status.expect("a status");
        let ready = &status.conditions[0];
        assert_eq!(
            (&*ready.type_, &*ready.status, &*ready.reason),
            ("Ready", "False", "Forbidden")
        );
    }

    #[tokio::test]
    async fn what_is_being_deleted_is_left_alone() {
        let api = api(json!({ "image": "busybox" }));
        let mut object = seen(&api);
        object.metadata.deletion_timestamp =
            serde_json::from_value(json!("2026-01-01T00:00:00Z")).ok();
        api.put(&object);
        pass(&api, &api.context()).await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }
}
