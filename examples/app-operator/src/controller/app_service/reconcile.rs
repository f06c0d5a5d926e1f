//! Reconciles an `AppService`. All requests are made here; the pure modules `resources` and `status`
//! compute what to write.

use std::sync::Arc;

use app_operator_api::app::v1alpha1::AppService;

use rop_runtime::{Action, Context, Error};

use super::{resources, status};
use crate::State;

// +kubebuilder:rbac:groups=app.example.com,resources=appservices,verbs=list;watch
// +kubebuilder:rbac:groups=app.example.com,resources=appservices/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;patch

/// Brings one object to its desired state. On an error, the runtime retries with backoff, and writes
/// [`status::failed`] if the error is terminal or persists.
pub async fn reconcile(object: Arc<AppService>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    let pod = context.apply(object, resources::pod(object)).await?;
    context.report(object, status::of(object, &pod)).await?;
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::super::fixture::{api, current, fixture};
    use super::*;

    #[tokio::test]
    async fn the_pod_runs_the_image() {
        let mut object = fixture();
        object.spec.image = "busybox:1".to_owned();
        let api = api(&object);
        api.reconcile("web").await.unwrap();
        let pod: Pod = api.get("web-pod").expect("a pod");
        assert_eq!(pod.metadata.namespace.as_deref(), Some("shop"));
        let containers = pod.spec.expect("a spec").containers;
        assert_eq!(containers[0].image.as_deref(), Some("busybox:1"));
        let status = current(&api).and_then(|object| object.status);
        assert_eq!(status.expect("a status").observed_generation, Some(1));
    }

    #[tokio::test]
    async fn a_second_reconcile_writes_nothing() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        assert!(!api.writes().is_empty());
        api.reconcile("web").await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn an_object_that_is_being_deleted_is_not_reconciled() {
        let mut object = fixture();
        object.metadata.finalizers = Some(vec!["example.com/another".to_owned()]);
        let api = api(&object);
        api.delete::<AppService>("web");
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Pod>("web-pod"), None);
    }
}
