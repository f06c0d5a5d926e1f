//! Reconciles an `Instance`. All requests are made here; the pure module `status` computes the status.

use std::sync::Arc;

use instance_operator_api::cloud::v1alpha1::Instance;

use rop_runtime::{Action, Context, Error};

use super::status;
use crate::State;

// +kubebuilder:rbac:groups=cloud.example.com,resources=instances,verbs=list;watch
// +kubebuilder:rbac:groups=cloud.example.com,resources=instances/status,verbs=patch

/// Brings one object to its desired state. On an error, the runtime retries with backoff, and writes
/// [`status::failed`] if the error is terminal or persists.
pub async fn reconcile(object: Arc<Instance>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    // Your code goes here: `context.apply(object, child).await?` creates or updates a child. Grant the
    // verbs in a marker above, and add `.owns::<…>()` in `register`.
    context.report(object, status::of(object)).await?;
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{api, current, fixture};
    use super::*;

    #[tokio::test]
    async fn the_status_has_the_observed_generation() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
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
        api.delete::<Instance>("web");
        let _ = api.writes();
        api.reconcile("web").await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }
}
