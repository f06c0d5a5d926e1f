// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! Reconciles an `AppService`. All requests are made here; the pure modules `resources` and `status`
//! compute what to write.

use std::sync::Arc;

use app_operator_api::app::v1::AppService;

use rop_runtime::{Action, Context, Error};

use super::{resources, status};
use crate::State;

// +kubebuilder:rbac:groups=app.example.com,resources=appservices,verbs=list;watch
// +kubebuilder:rbac:groups=app.example.com,resources=appservices/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete

/// Brings one object to its desired state. On an error, the runtime retries with backoff, and writes
/// [`status::failed`] if the error is terminal or persists.
pub async fn reconcile(object: Arc<AppService>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    let deployment = context.apply(object, resources::deployment(object)).await?;
    context
        .apply_or_delete(object, &resources::name(object), resources::service(object))
        .await?;
    context
        .report(object, status::of(object, &deployment))
        .await?;
    Ok(Action::await_change())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{Service, ServicePort};

    use super::super::fixture::{api, current, fixture};
    use super::*;

    /// The fixture with one port.
    fn object() -> AppService {
        let mut object = fixture();
        object.spec.ports = vec![ServicePort {
            port: 80,
            ..ServicePort::default()
        }];
        object
    }

    #[tokio::test]
    async fn children_match_the_spec() {
        let mut object = object();
        object.spec.size = 3;
        let api = api(&object);
        api.reconcile("web").await.unwrap();
        let deployment: Deployment = api.get("web").expect("a Deployment");
        assert_eq!(deployment.spec.replicas, Some(3));
        assert_eq!(deployment.metadata.namespace.as_deref(), Some("shop"));
        assert!(api.get::<Service>("web").is_some());
        let status = current(&api).and_then(|object| object.status);
        assert_eq!(status.expect("a status").observed_generation, Some(1));
    }

    #[tokio::test]
    async fn a_second_reconcile_writes_nothing() {
        let api = api(&object());
        api.reconcile("web").await.unwrap();
        assert!(!api.writes().is_empty());
        api.reconcile("web").await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn the_service_is_deleted_with_the_last_port() {
        let api = api(&object());
        api.reconcile("web").await.unwrap();
        let mut object = current(&api).expect("the object");
        object.spec.ports.clear();
        api.put(&object);
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Service>("web"), None);
    }

    #[tokio::test]
    async fn an_object_that_is_being_deleted_is_not_reconciled() {
        let mut object = fixture();
        object.metadata.finalizers = Some(vec!["example.com/another".to_owned()]);
        let api = api(&object);
        api.delete::<AppService>("web");
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Deployment>("web"), None);
    }
}
