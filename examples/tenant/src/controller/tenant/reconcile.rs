//! Reconciles a `Tenant`. All requests are made here; the pure modules `resources` and `status` compute what
//! to write.

use std::sync::Arc;

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{Api, ResourceExt};
use rop_runtime::{Action, Context, Error, Index};

use super::{resources, status};
use crate::State;

// +kubebuilder:rbac:groups=platform.example.com,resources=tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups=platform.example.com,resources=tenants/status,verbs=patch
// +kubebuilder:rbac:groups=core,resources=namespaces,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=core,resources=resourcequotas;secrets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;list;watch;create;patch
// Without `bind`, the operator could only grant permissions that it has itself.
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,resourceNames=edit,verbs=bind

/// Indexes namespaces by the UID of their tenant.
const BY_OWNER: Index<Namespace> = Index::new("owner", |namespace| {
    let owners = namespace.owner_references().iter();
    owners.map(|owner| owner.uid.clone()).collect()
});

/// Brings one object to its desired state. On an error, the runtime retries with backoff, and writes
/// [`status::failed`] if the error is terminal or persists.
pub async fn reconcile(object: Arc<Tenant>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    let (spec, billing) = (&object.spec, &context.state.billing);
    let uid = object.uid().unwrap_or_default();
    billing.open(&spec.account, &uid).await?;
    for environment in &spec.environments {
        let namespace = resources::namespace(object, environment);
        context.apply(object, namespace).await?;
        let pods = resources::pods(object, environment);
        context.apply(object, pods).await?;
        let policy = resources::network_policy(object, environment);
        context.apply(object, policy).await?;
        let binding = resources::role_binding(object, environment);
        context.apply(object, binding).await?;
    }
    delete_removed(object, &context).await?;
    // Last, because the Secret may be missing.
    let (secrets, from) = (context.cached::<Secret>()?, &spec.pull_secret);
    let source = secrets.require(Some(&from.namespace), &from.name)?;
    for environment in &spec.environments {
        let copy = resources::pull_secret(object, environment, &source);
        context.apply(object, copy).await?;
    }
    context.report(object, status::of(object)).await?;
    Ok(Action::await_change())
}

/// Deletes the namespaces of environments that are no longer in the spec.
async fn delete_removed(object: &Tenant, context: &Context<State>) -> Result<(), Error> {
    let uid = object.uid().unwrap_or_default();
    let mut removed = context.cached::<Namespace>()?.by(&BY_OWNER, &uid);
    removed.retain(|namespace| {
        let mut environments = object.spec.environments.iter();
        !environments.any(|one| resources::namespace_name(object, one) == namespace.name_any())
    });
    if removed.is_empty() {
        return Ok(());
    }
    // The cache can be stale, and deleting a namespace cannot be undone: ask the API server.
    let tenants = Api::<Tenant>::all(context.client.clone());
    let current = tenants.get(&object.name_any()).await?;
    if current.spec != object.spec || current.uid() != object.uid() {
        return Err(Error::transient("the Tenant has changed in the meantime"));
    }
    for namespace in removed {
        context.delete_child(object, &*namespace).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;
    use k8s_openapi::api::core::v1::ResourceQuota;

    use super::super::fixture::{api, current, fixture, secret};
    use super::*;

    #[tokio::test]
    async fn each_environment_has_a_namespace() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        for (namespace, pods) in [("web-dev", "20"), ("web-prod", "100")] {
            assert!(api.get::<Namespace>(namespace).is_some());
            let quota: ResourceQuota = api.get(&format!("{namespace}/tenant")).unwrap();
            let hard = quota.spec.and_then(|spec| spec.hard).unwrap();
            assert_eq!(hard["pods"].0, pods);
        }
        let ready = &current(&api)
            .and_then(|object| object.status)
            .unwrap()
            .conditions[0];
        assert_eq!(ready.status, "True");
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
    async fn the_namespace_of_a_removed_environment_is_deleted() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        let mut object = current(&api).unwrap();
        object.spec.environments.remove(0);
        api.put(&object);
        api.reconcile("web").await.unwrap();
        assert_eq!(api.get::<Namespace>("web-dev"), None);
        assert!(api.get::<Namespace>("web-prod").is_some());
    }

    #[tokio::test]
    async fn a_changed_secret_is_copied_again() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        let mut rotated = secret();
        let data = ByteString(b"{\"auths\":{\"new\":{}}}".to_vec());
        rotated.data = Some([(".dockerconfigjson".to_owned(), data)].into());
        api.put(&rotated);
        api.reconcile("web").await.unwrap();
        let copy: Secret = api.get("web-prod/registry").unwrap();
        assert_eq!(copy.data, rotated.data);
    }

    #[tokio::test]
    async fn a_secret_that_is_not_shared_is_missing() {
        let api = api(&fixture());
        let mut secret = secret();
        secret.metadata.labels = None;
        api.put(&secret);
        let error = api.reconcile("web").await.unwrap_err();
        assert_eq!(error.reason(), "SecretMissing");
        assert!(api.get::<Namespace>("web-dev").is_some(), "all the same");
    }

    #[tokio::test]
    async fn a_taken_account_is_retried() {
        let api = api(&fixture());
        let context = api.context();
        let billing = &context.state.billing;
        billing.open("acme-17", "garden").await.unwrap();
        let error = api.reconcile("web").await.unwrap_err();
        assert!(error.is_transient());
        assert_eq!(api.get::<Namespace>("web-dev"), None);
        billing.close("acme-17", "garden").await.unwrap();
        api.reconcile("web").await.unwrap();
    }
}
